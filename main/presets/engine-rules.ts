import { toWire } from '../contract/errors';
import { isLoopback } from '../contract/loopback';
import type { DockerEngineSpec, RunSpec } from '../contract/run-spec';
import { imageFamily } from '../contract/serving';
import { parseRemoteUrl } from '../triton/remote-url';
import type { RuleFinding } from './rule-finding';
import { problem, warning } from './rule-finding';
import { tlsFindings } from './tls-rules';

/** Ports below are the system's own where nothing else is configured (net.ipv4.ip_unprivileged_port_start). */
const firstPlainPort = 1024;

function portFindings(engine: Exclude<RunSpec['engine'], { kind: 'remote' }>): RuleFinding[] {
  const { httpPort, grpcPort } = engine;
  const found: RuleFinding[] = [];
  if (httpPort !== undefined && httpPort === grpcPort) {
    found.push(
      problem(
        'engine.grpcPort',
        `HTTP and gRPC cannot both listen on port ${httpPort}`,
        'Choose another port.',
      ),
    );
  }
  for (const [field, port] of [
    ['engine.httpPort', httpPort],
    ['engine.grpcPort', grpcPort],
  ] as const) {
    if (port !== undefined && port < firstPlainPort) {
      found.push(
        warning(
          field,
          `Port ${port} is reserved for the system on most machines`,
          `Choose one from ${firstPlainPort} on, or leave it empty.`,
        ),
      );
    }
  }
  return found;
}

function remoteFindings(url: string): RuleFinding[] {
  try {
    const { http } = parseRemoteUrl(url);
    if (isLoopback(http)) return [];
    const remedy = 'Measure only your own server, and on a quiet network.';
    return [
      warning(
        'engine.url',
        'Another machine receives the load, and the network to it is measured too',
        remedy,
      ),
    ];
  } catch (error) {
    return [problem('engine.url', toWire(error).message, 'For example http://localhost:8000')];
  }
}

function dockerFindings(engine: DockerEngineSpec): RuleFinding[] {
  const found: RuleFinding[] = [];
  if (imageFamily(engine) === 'cpu' && engine.gpus.length > 0) {
    const remedy = 'Choose the images "ngc", or no GPU.';
    found.push(warning('engine.images', 'The CPU images do not use the selected GPUs', remedy));
  }
  if (engine.release !== undefined && imageFamily(engine) === 'cpu') {
    const remedy = 'Leave the release empty, or choose the images "ngc".';
    found.push(
      warning(
        'engine.release',
        "A release applies only to NVIDIA's images; these images are built locally",
        remedy,
      ),
    );
  }
  return found;
}

/** Ports, address and images of the place to run. */
export function engineProblems(spec: RunSpec): RuleFinding[] {
  const { engine } = spec;
  switch (engine.kind) {
    case 'remote':
      return [...remoteFindings(engine.url), ...tlsFindings(spec)];
    case 'local':
      return portFindings(engine);
    case 'docker':
      return [...portFindings(engine), ...dockerFindings(engine)];
  }
}

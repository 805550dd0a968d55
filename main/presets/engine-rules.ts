import { isAbsolute } from 'node:path';
import { isLoopback, parseRemoteUrl, unverifiedRefusal } from '../contract/address';
import { toWire } from '../contract/errors';
import type { SlurmEngineSpec } from '../contract/job/job-engines';
import type { DockerEngineSpec, RunSpec } from '../contract/run/run-spec';
import { imageFamily } from '../contract/run/serving';
import { ofScenarios, toolsOf } from '../contract/run/sweep';
import { problem, type RuleFinding, warning } from './rule-finding';

const files = ['caFile', 'certFile', 'keyFile'] as const;

/** What the files of TLS and the address say together; whether a server takes them is known when one is asked. */
export function tlsFindings({ engine, performance }: RunSpec): RuleFinding[] {
  if (engine.kind !== 'remote' || engine.tls === undefined) return [];
  const { tls } = engine;
  const found: RuleFinding[] = files.flatMap((name) => {
    const path = tls[name];
    return path === undefined || isAbsolute(path)
      ? []
      : [
          problem(
            `engine.tls.${name}`,
            `"${path}" is not an absolute path`,
            'Use an absolute path, starting with "/".',
          ),
        ];
  });
  if ((tls.certFile === undefined) !== (tls.keyFile === undefined)) {
    const missing = tls.certFile === undefined ? 'certFile' : 'keyFile';
    const what = 'A client certificate needs its key, and a key needs its certificate';
    found.push(problem(`engine.tls.${missing}`, what, 'Set both, or neither.'));
  }
  if (!engine.url.startsWith('https:') && Object.keys(tls).length > 0) {
    const remedy = 'Use an address of the form https://host:port, or clear the TLS fields.';
    found.push(warning('engine.url', 'The TLS fields have no effect on an http address', remedy));
  }
  if (tls.insecure === true && engine.url.startsWith('https:')) {
    const { message, remedy } = unverifiedRefusal;
    found.push(problem('engine.tls.insecure', message, remedy, 'combination-unsupported'));
  }
  const analyzer = ofScenarios(performance).some((one) => toolsOf(one).includes('perf_analyzer'));
  if (tls.serverName !== undefined && analyzer) {
    found.push(
      problem(
        'engine.tls.serverName',
        'perf_analyzer checks the certificate only against the host of the address',
        'Leave the name empty, or measure only with the native generator.',
        'combination-unsupported',
      ),
    );
  }
  return found;
}

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

function jobFindings({ container = 'none', containerImage }: SlurmEngineSpec): RuleFinding[] {
  if (container !== 'none' && containerImage === undefined) {
    const remedy = 'Name an image with Triton, or run without a container.';
    return [problem('engine.containerImage', 'The container runtime has no image to start', remedy)];
  }
  if (container === 'none' && containerImage !== undefined) {
    const remedy = 'Choose Apptainer or Pyxis, or clear the image.';
    return [warning('engine.containerImage', 'The image has no effect without a container runtime', remedy)];
  }
  return [];
}

/** Ports, address and images of the place to run. */
export function engineProblems(spec: RunSpec): RuleFinding[] {
  const { engine } = spec;
  switch (engine.kind) {
    case 'remote':
      return [...remoteFindings(engine.url), ...tlsFindings(spec)];
    case 'local':
    case 'kubernetes':
      return portFindings(engine);
    case 'slurm':
      return [...portFindings(engine), ...jobFindings(engine)];
    case 'docker':
      return [...portFindings(engine), ...dockerFindings(engine)];
  }
}

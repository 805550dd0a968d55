import { isAbsolute } from 'node:path';
import { isLoopback, parseRemoteUrl, unverifiedRefusal } from '../contract/address';
import { toWire } from '../contract/errors';
import type { SlurmEngineSpec } from '../contract/job/job-engines';
import { imageFamily, inContainers, isElsewhere, isProcess, type OfKind } from '../contract/run/engine-kinds';
import type { DockerEngineSpec, RunSpec } from '../contract/run/run-spec';
import { ofScenarios, toolsOf } from '../contract/run/sweep';
import {
  allOf,
  type Found,
  notAbsolute,
  problem,
  type RuleFinding,
  unsupported,
  warning,
} from '../domain/run/rule-finding';
import { compareVersions, defaultRelease } from '../machine/releases';

const files = ['caFile', 'certFile', 'keyFile'] as const;

/** Consistency of TLS files and address; whether the server accepts them is seen when connecting. */
export function tlsFindings({ engine, performance }: RunSpec): RuleFinding[] {
  if (!isElsewhere(engine) || engine.tls === undefined) return [];
  const { tls } = engine;
  const isHttps = engine.url.startsWith('https:');
  const missing = tls.certFile === undefined ? 'certFile' : 'keyFile';
  const analyzer = ofScenarios(performance).some((one) => toolsOf(one).includes('perf_analyzer'));
  const { message, remedy } = unverifiedRefusal;
  return allOf(
    ...files.map((name) => {
      const path = tls[name];
      const isWrong = path !== undefined && !isAbsolute(path);
      return isWrong && notAbsolute(`engine.tls.${name}`, path);
    }),
    (tls.certFile === undefined) !== (tls.keyFile === undefined) &&
      problem(
        `engine.tls.${missing}`,
        'A client certificate needs its key, and a key needs its certificate',
        'Set both, or neither.',
      ),
    !isHttps &&
      Object.keys(tls).length > 0 &&
      warning(
        'engine.url',
        'The TLS fields have no effect on an http address',
        'Use an address of the form https://host:port, or clear the TLS fields.',
      ),
    tls.insecure === true && isHttps && unsupported('engine.tls.insecure', message, remedy),
    tls.serverName !== undefined &&
      analyzer &&
      unsupported(
        'engine.tls.serverName',
        'perf_analyzer checks the certificate only against the host of the address',
        'Leave the name empty, or measure only with the built-in load generator.',
      ),
  );
}

/** Lower ports are privileged unless net.ipv4.ip_unprivileged_port_start says otherwise. */
const firstPlainPort = 1024;

function portFindings(engine: Exclude<RunSpec['engine'], { kind: 'remote' }>): RuleFinding[] {
  const { httpPort, grpcPort } = engine;
  const reserved = (field: string, port: number | undefined): Found =>
    port !== undefined &&
    port < firstPlainPort &&
    warning(
      field,
      `Port ${port} is reserved for the system on most machines`,
      `Choose one from ${firstPlainPort} on, or leave it empty.`,
    );
  const same = `HTTP and gRPC cannot both listen on port ${httpPort ?? ''}`;
  return allOf(
    httpPort !== undefined &&
      httpPort === grpcPort &&
      problem('engine.grpcPort', same, 'Choose another port.'),
    reserved('engine.httpPort', httpPort),
    reserved('engine.grpcPort', grpcPort),
  );
}

function remoteFindings(url: string): Found {
  try {
    const { http } = parseRemoteUrl(url);
    if (isLoopback(http)) return null;
    const message = 'Another machine receives the load, and the network to it is measured too';
    return warning('engine.url', message, 'Measure only your own server, and on a quiet network.');
  } catch (error) {
    return problem('engine.url', toWire(error).message, 'For example http://localhost:8000');
  }
}

/** First release with TensorRT 11. */
const firstStronglyTyped = '26.06';

/**
 * TensorRT 11.1 silently builds plans of some fp32 models that are wrong by up to 0.15; only the accuracy gate finds it.
 * Source: https://github.com/NVIDIA/TensorRT/issues/4813
 */
function planFinding({ engine, format, accuracy }: RunSpec): Found {
  if (!inContainers(engine) || format !== 'trt' || !accuracy.allowUnverified) return null;
  if (engine.tritonImage !== undefined) return null;
  if (compareVersions(engine.release ?? defaultRelease, firstStronglyTyped) < 0) return null;
  return warning(
    'accuracy.allowUnverified',
    `TensorRT 11 (release ${firstStronglyTyped} and later) builds wrong plans of some models without a message, and the run would measure such a plan`,
    `Leave it off for TensorRT plans, or choose a release before ${firstStronglyTyped}.`,
  );
}

function dockerFindings(engine: DockerEngineSpec): Found {
  if (imageFamily(engine) !== 'cpu') return null;
  const release = "A release applies only to NVIDIA's images; these images are built locally";
  return allOf(
    engine.gpus.length > 0 &&
      warning(
        'engine.images',
        'The CPU images do not use the selected GPUs',
        'Choose the images "ngc", or no GPU.',
      ),
    engine.release !== undefined &&
      warning('engine.release', release, 'Leave the release empty, or choose the images "ngc".'),
  );
}

function jobFinding({ container = 'none', containerImage }: SlurmEngineSpec): Found {
  if (container !== 'none' && containerImage === undefined) {
    const remedy = 'Name an image with Triton, or run without a container.';
    return problem('engine.containerImage', 'The container runtime has no image to start', remedy);
  }
  if (container !== 'none' || containerImage === undefined) return null;
  const remedy = 'Choose Apptainer or Pyxis, or clear the image.';
  return warning('engine.containerImage', 'The image has no effect without a container runtime', remedy);
}

const environmentFinding = ({ environment }: OfKind<'local'>): Found =>
  environment !== undefined && !isAbsolute(environment) && notAbsolute('engine.environment', environment);

export function engineProblems(spec: RunSpec): Found {
  const { engine } = spec;
  if (isElsewhere(engine)) return allOf(remoteFindings(engine.url), tlsFindings(spec));
  if (inContainers(engine)) return allOf(portFindings(engine), dockerFindings(engine), planFinding(spec));
  if (isProcess(engine)) return allOf(portFindings(engine), environmentFinding(engine));
  return engine.kind === 'slurm' ? allOf(portFindings(engine), jobFinding(engine)) : portFindings(engine);
}

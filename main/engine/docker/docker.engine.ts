import { errorText } from '../../contract/error-text';
import type { EngineStatus } from '../../contract/machine';
import { imageFamily, type OfKind } from '../../contract/run/engine-kinds';
import type { DockerEngineSpec, Format } from '../../contract/run/run-spec';
import type { StartProblem } from '../../contract/run/spec-tools';
import { sharedMemoryOf } from '../../contract/run/sweep';
import type { DockerLink } from '../../docker/docker-link';
import { remoteHost } from '../../machine/preflight-docker';
import { releaseOf } from '../../machine/releases';
import { thisMachine } from '../engine';
import type { Engine, StartFacts } from '../engine-interface';
import { portProblems } from '../local/port-problems';
import { gpuNamesHere } from '../without-images';
import { containerTraceFile } from './container-traces';
import { openDockerExecutor } from './docker-executor';
import { sweepEngines } from './orphans';
import { imageNamesOf, usualRelease, wantedImages, withRelease } from './run-images';
import { checkPlan, preflightPlan, runPreflight } from './run-preflight';
import { allowsClientSharedMemory, containerPorts, tritonCommand } from './triton-command';

async function dockerStatus(docker: DockerLink): Promise<EngineStatus> {
  const facts = await docker.facts();
  if (facts.reachable) {
    const note = `Docker at ${facts.host}, API ${facts.apiVersion}: runs Triton and every client step in containers.`;
    return { kind: 'docker', available: true, version: facts.serverVersion, note, remedy: null };
  }
  const code = facts.reason === 'permission' ? 'docker-permission' : 'docker-unreachable';
  const { remedy } = errorText[code];
  return { kind: 'docker', available: false, version: null, note: facts.message, remedy };
}

/** Identifies the engine's machine by whatever address it is reached. */
async function machineOf(link: DockerLink, here: DockerLink): Promise<string> {
  const { kind, host } = await link.address();
  if (kind === 'unix') return thisMachine;
  const idOf = (one: DockerLink): Promise<string | null> =>
    one.info().then(
      // Machines cloned from an image may share an engine id: before version 25 it comes from a file.
      ({ ID, Name }) => (ID === '' ? null : `${ID} of ${Name}`),
      () => null,
    );
  const [id, own] = await Promise.all([
    idOf(link),
    // ssh may lead to this machine's own engine.
    here.address().then(
      (address) => (address.kind === 'unix' ? idOf(here) : null),
      () => null,
    ),
  ]);
  if (id === null) return `engine at ${host}`;
  return id === own ? thisMachine : `engine ${id}`;
}

/** The release in the Triton image's name; null if unknown or built here. */
function plannedRelease(engine: DockerEngineSpec, format: Format): string | null {
  if (engine.tritonImage !== undefined) return releaseOf(engine.tritonImage);
  return imageFamily(engine) === 'ngc' ? (engine.release ?? usualRelease(format)) : null;
}

async function startProblems(engine: DockerEngineSpec, start: StartFacts): Promise<readonly StartProblem[]> {
  const docker = await start.docker.facts();
  // Ports of another machine are checked there.
  const ports = remoteHost(docker) === null ? await portProblems(engine, start) : [];
  if (docker.reachable) return ports;
  const { host } = engine;
  const local = !start.tools.missing.some((tool) => tool === 'python' || tool === 'triton');
  const reach =
    host === undefined
      ? 'The Environment page shows how to reach Docker.'
      : `Check it with "triton-workbench hosts check ${host}".`;
  const away: StartProblem = {
    field: host === undefined ? 'engine.kind' : 'engine.host',
    code: docker.reason === 'permission' ? 'docker-permission' : 'docker-unreachable',
    severity: 'problem',
    message: docker.message,
    remedy: `${reach}${local ? ' Or run on the local Triton.' : ''}`,
    fixes: local ? ['use-local'] : [],
  };
  return [away, ...ports];
}

export const dockerEngine: Engine<OfKind<'docker'>> = {
  detect: async ({ docker }) => [await dockerStatus(docker)],
  link: ({ host }, { docker, hosts }) => (host === undefined ? Promise.resolve(docker) : hosts.link(host)),
  check: async (engine, parts) => {
    await (await dockerEngine.link(engine, parts)).connect();
  },
  open: async (engine, spec, run, parts) =>
    openDockerExecutor({ ...parts, link: await dockerEngine.link(engine, parts), spec, engine, run }),
  imageNames: async (engine, model, from) => imageNamesOf(await wantedImages(engine, from, model)),
  /** Docker Engines are identified by id. */
  deviceOf: async (engine, _node, parts) => machineOf(await dockerEngine.link(engine, parts), parts.docker),
  plannedServer: (engine, { format, performance }, { asIs }) => {
    const release = plannedRelease(engine, format);
    return {
      command: tritonCommand({
        builtHere: imageFamily(engine) === 'cpu' && engine.tritonImage === undefined,
        gpus: engine.gpus.length > 0,
        ...{ release, asIs, traceFile: containerTraceFile },
        clientSharedMemory: allowsClientSharedMemory(sharedMemoryOf(performance), release),
      }),
      forClients: {
        httpAddress: `127.0.0.1:${containerPorts.http}`,
        grpcAddress: `127.0.0.1:${containerPorts.grpc}`,
      },
    };
  },
  startProblems,
  completed: async (engine, spec, { presetOf, host }, parts) => {
    const { preset } = await presetOf(spec.model);
    const link = await dockerEngine.link(engine, parts);
    return withRelease(spec, preset.ngcRelease, { ...parts, host, link });
  },
  preflight: async (engine, spec, { presetOf, host }, parts) => {
    const { preset } = await presetOf(spec.model);
    const link = await dockerEngine.link(engine, parts);
    return runPreflight(spec, preset, { ...parts, host, link, home: parts.layout.home });
  },
  gpuNames: async (engine, parts) => {
    const { kind, host } = await (await dockerEngine.link(engine, parts)).address();
    // Another machine may be away, so its address stands for its GPUs.
    return kind === 'unix' ? gpuNamesHere(parts.env) : [`${host} ${engine.gpus.join(',')}`.trim()];
  },
  checkPlan: async (engine, plan, parts) => {
    const link = await dockerEngine.link(engine, parts);
    const docker = await link.facts();
    const wanted = await preflightPlan(engine, { ...parts, link }, docker, { format: 'trt', plan });
    return checkPlan({ ...parts, docker, plan: wanted });
  },
  sweep: async (parts, how) => ({
    ended: [],
    removedContainers: await sweepEngines(parts, how, (engine) => dockerEngine.link(engine, parts)),
  }),
};

import { errorText } from '../contract/error-text';
import { isJobEngine } from '../contract/job/run-job';
import type { EngineStatus } from '../contract/machine';
import { inContainers } from '../contract/run/engine-kinds';
import type { Framework, RunSpec } from '../contract/run/run-spec';
import type { DockerLink } from '../docker/docker-link';
import { formatOf } from '../formats/formats';
import type { Hosts } from '../hosts/hosts';
import { createLoadTools } from '../perf/load-tools';
import { endLeftChildren } from '../platform/exec';
import { exists } from '../platform/files';
import type { HomeLayout } from '../platform/layout';
import { createTensorflowOnDemand, type Setup } from '../setup/setup';
import { createLocalPython, createPythonAhead } from '../toolkit/local-python';
import { openDockerPlace, type PrepareImage } from './docker/docker-place';
import { adoptionMs, enginesWithLeft, sweepEngine } from './docker/orphans';
import { imageNamesOf, type ImageSource, wantedImages } from './docker/run-images';
import {
  deviceOf,
  type Engine,
  type Place,
  type PlaceRun,
  type PlaceSpec,
  type SweptAll,
  thisMachine,
} from './engine';
import { inContainerOf, type JobScheduler } from './job';
import { createLocalEngine } from './local/local-engine';
import { createRemoteEngine } from './remote-engine';

interface EnginesOptions extends ImageSource {
  readonly layout: HomeLayout;
  readonly env: NodeJS.ProcessEnv;
  /** Bundled entry of the native load generator. */
  readonly workerFile: string;
  readonly docker: DockerLink;
  readonly hosts: Pick<Hosts, 'link' | 'list'>;
  readonly prepareImage: PrepareImage;
  readonly setup: Setup;
  readonly jobs: JobScheduler;
}

interface SweepHow {
  readonly all?: boolean;
  readonly except?: string;
  /** The host of this specification too. */
  readonly spec?: Pick<RunSpec, 'engine'>;
  /** Every host where runs left something, too. */
  readonly everywhere?: boolean;
}

export interface Engines {
  /** The Docker Engine that a run works with; of one without containers this machine's. Throws host-unknown. */
  linkOf(engine: RunSpec['engine']): Promise<DockerLink>;
  /** Throws where the engine of the specification cannot be used at all: no run is made for it then. */
  check(spec: RunSpec): Promise<void>;
  openPlace(spec: PlaceSpec, run: PlaceRun): Promise<Place>;
  /** Those of its place, without opening it. */
  imageNames(spec: RunSpec, framework: Framework): Promise<Place['imageNames']>;
  /**
   * What a run measures on, whatever name its machine has: a Docker Engine is known by its id. See {@link deviceOf}.
   * @param node that the run's job has; null outside of a job
   */
  deviceOf(engine: RunSpec['engine'], node: string | null): Promise<string>;
  detect(): Promise<readonly EngineStatus[]>;
  /**
   * Over all engines, and what else dead workbenches started on this machine. Containers of a dead workbench wait half
   * an hour for `resume`; `all` takes those too, save the ones of the run `except`.
   */
  sweep(options?: SweepHow): Promise<SweptAll>;
  /** The engines of hosts where runs left something. */
  sweepHosts(): Promise<void>;
}

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

const sweepLinks = async (
  links: readonly DockerLink[],
  how: Parameters<typeof sweepEngine>[1] = { graceMs: adoptionMs },
): Promise<readonly string[]> => (await Promise.all(links.map((link) => sweepEngine(link, how)))).flat();

/** Over this machine's engine and those that are asked for. @returns names of the containers that were removed */
async function sweepEngines(
  { docker, hosts, layout }: EnginesOptions,
  linkOf: Engines['linkOf'],
  { all = false, except, spec, everywhere = false }: SweepHow = {},
): Promise<readonly string[]> {
  // A home that never asked for a container has none, and needs no engine to know it.
  if (!(await exists(layout.instance))) return [];
  const links = new Set([docker]);
  if (spec !== undefined) links.add(await linkOf(spec.engine));
  if (everywhere) for (const link of await enginesWithLeft(layout.runs, hosts, all)) links.add(link);
  return sweepLinks([...links], { graceMs: all ? 0 : adoptionMs, except, shared: all && everywhere });
}

async function sweepHosts({ hosts, layout }: EnginesOptions): Promise<void> {
  if (await exists(layout.instance)) await sweepLinks(await enginesWithLeft(layout.runs, hosts, false));
}

async function sweepAll(
  options: EnginesOptions,
  linkOf: Engines['linkOf'],
  local: Engine,
  how?: SweepHow,
): Promise<SweptAll> {
  const { ended } = await local.sweep();
  const endedChildren = await endLeftChildren();
  return { ended, endedChildren, removedContainers: await sweepEngines(options, linkOf, how) };
}

/** The machine of an engine, the same by whatever name or way it is reached. */
async function machineOf(link: DockerLink, here: DockerLink): Promise<string> {
  const { kind, host } = await link.address();
  if (kind === 'unix') return thisMachine;
  const idOf = (one: DockerLink): Promise<string | null> =>
    one.info().then(
      // Machines made from one image may have one engine id: until version 25 it comes from a file.
      ({ ID, Name }) => (ID === '' ? null : `${ID} of ${Name}`),
      () => null,
    );
  const [id, own] = await Promise.all([
    idOf(link),
    // This machine's own engine, reached by ssh.
    here.address().then(
      (address) => (address.kind === 'unix' ? idOf(here) : null),
      () => null,
    ),
  ]);
  if (id === null) return `engine at ${host}`;
  return id === own ? thisMachine : `engine ${id}`;
}

/** A place on this machine, without images and without an engine that could go away. */
function placeHere(
  engine: Engine,
  loadTools: Place['loadTools'],
  pythonOf: (ahead: ReturnType<typeof createPythonAhead>) => Place['launchPython'],
  isOnnxFile: boolean,
): Place {
  const ahead = createPythonAhead(isOnnxFile ? ['onnxruntime'] : ['framework']);
  return {
    engine,
    launchPython: pythonOf(ahead),
    loadTools,
    imageNames: [],
    prepareImages: null,
    engineWatch: null,
    reclaim: () => Promise.resolve(),
    release: () => {
      ahead.close();
      return Promise.resolve();
    },
  };
}

/** Every place to run Triton. */
export function createEngines(options: EnginesOptions): Engines {
  const { layout, env, docker } = options;
  const local = createLocalEngine({ layout, env });
  const tensorflow = createTensorflowOnDemand(options.setup, layout);
  const pythonOf = (framework: Framework) => (framework === 'tf' ? tensorflow : layout.python);
  const loadTools = createLoadTools(options);
  const linkOf: Engines['linkOf'] = (engine) =>
    inContainers(engine) && engine.host !== undefined
      ? options.hosts.link(engine.host)
      : Promise.resolve(docker);

  const dockerAbout: Pick<Engine, 'detect' | 'sweep'> = {
    detect: () => dockerStatus(docker),
    sweep: async () => ({ ended: [], removedContainers: await sweepEngines(options, linkOf) }),
  };
  /** The local Triton whose models run in that framework's environment. */
  const localFor = (framework: Framework, engine: RunSpec['engine']): Engine => {
    const inContainer = isJobEngine(engine) ? inContainerOf(engine) : null;
    if (inContainer !== null) return createLocalEngine({ layout, env, inContainer });
    return framework === 'tf' ? createLocalEngine({ layout, env, modelPython: tensorflow }) : local;
  };
  const onThisMachine = (engine: Engine, framework: Framework, { source }: RunSpec['model']): Place =>
    placeHere(
      engine,
      loadTools,
      (ahead) =>
        createLocalPython({
          ...{ python: pythonOf(framework), resources: options.resources, env, cache: layout.cache },
          ahead,
        }),
      source?.kind === 'onnx',
    );
  return {
    check: async ({ engine }) => {
      if (inContainers(engine)) await (await linkOf(engine)).connect();
    },
    linkOf,
    openPlace: async (spec, run) => {
      const { engine } = spec;
      switch (engine.kind) {
        // Inside of its job; outside nothing is done of it.
        case 'slurm':
        case 'kubernetes':
        case 'local':
          return onThisMachine(
            localFor(formatOf(spec.format).shimFramework ?? 'pyt', engine),
            run.framework,
            spec.model,
          );
        case 'remote':
          return onThisMachine(createRemoteEngine(engine.url, engine.tls), run.framework, spec.model);
        case 'docker':
          return openDockerPlace({
            link: await linkOf(engine),
            env,
            spec,
            engine,
            run,
            resources: options.resources,
            registry: options.registry,
            workerFile: options.workerFile,
            prepareImage: options.prepareImage,
            about: dockerAbout,
          });
      }
    },
    imageNames: async ({ engine, format }, framework) =>
      inContainers(engine) ? imageNamesOf(await wantedImages(engine, options, { framework, format })) : [],
    deviceOf: async (engine, node) =>
      inContainers(engine) ? machineOf(await linkOf(engine), docker) : deviceOf(engine, node),
    detect: () =>
      Promise.all([
        local.detect(),
        dockerStatus(docker),
        createRemoteEngine(null).detect(),
        options.jobs.detect(),
      ]).then((found) => found.flat()),
    sweep: (how) => sweepAll(options, linkOf, local, how),
    sweepHosts: () => sweepHosts(options),
  };
}

import type { KubernetesEngineSpec } from '../job/job-engines';
import type { ToolId } from '../machine';
import type { DockerEngineSpec, EngineKind, RunSpec } from './run-spec';

type EngineSpec = RunSpec['engine'];
/** The specification of an engine of this kind; `rows[engine.kind].ask(engine)` compiles for a generic one. */
type OfKind<Kind extends EngineKind = EngineKind> = {
  readonly [K in Kind]: { readonly kind: K } & Extract<EngineSpec, { readonly kind: K }>;
}[Kind];

/** `cpu`: built here from `resources/docker`; `ngc`: NVIDIA's. GPUs need NVIDIA's images. */
export function imageFamily(engine: DockerEngineSpec): 'cpu' | 'ngc' {
  return engine.images ?? (engine.gpus.length > 0 ? 'ngc' : 'cpu');
}

export const backendSets = ['python', 'all'] as const;

/**
 * Backends of the Triton that serves: the PyPI wheel, here and in the images for the CPU, has the Python backend alone;
 * NVIDIA's images have all of them, and so is taken for a server that runs already.
 */
export type BackendSet = (typeof backendSets)[number];

/** A slice of a GPU, by UUID or as "GPU:instance". */
export const isSlice = (id: string): boolean => id.startsWith('MIG-') || /^\d+:\d+$/.test(id);

/** As many as the pod asks for; null: it does not say, which leaves it to the cluster. */
function podGpus({ gpuCount, gpuResource = '' }: KubernetesEngineSpec): readonly number[] | null {
  if (gpuCount === undefined) return null;
  const count = gpuResource.includes('/mig-') ? Math.min(1, gpuCount) : gpuCount;
  return Array.from({ length: count }, (_none, index) => index);
}

function containerGpus(engine: DockerEngineSpec): readonly number[] | null {
  if (imageFamily(engine) === 'cpu') return [];
  const ids = new Set(engine.gpus);
  if (ids.has('all')) return null;
  const isOne = ids.has('idlest') || [...ids].some(isSlice);
  return isOne ? [0] : [...ids].map((_id, index) => index);
}

/** What there is to know of a kind of engine; a new engine is one more row. */
interface EngineRow<Engine> {
  /** What it is, where it is chosen. */
  readonly note: string;
  /** What was chosen, in a few words: "Docker, GPU". */
  readonly summary: (engine: Engine) => string;
  /** Where its Triton serves: "in a container on gpu1". */
  readonly place: (engine: Engine) => string;
  /** What its Triton runs on: "2 per GPU of the node". */
  readonly machine: 'machine' | 'server' | 'node';
  readonly backends: (engine: Engine) => BackendSet;
  /** See {@link visibleGpus}. */
  readonly gpus: (engine: Engine) => readonly number[] | null;
  /** Tools of this machine that a run needs, without the load tool. */
  readonly tools: (engine: Engine) => readonly ToolId[];
  /** What the tools are for, where the engine does not say so by its name; a sentence with a space behind it. */
  readonly toolsAreFor: string;
}

type EngineRows = { readonly [Kind in EngineKind]: EngineRow<OfKind<Kind>> };

const rows: EngineRows = {
  local: {
    note: 'A server process on this machine’s CPU; nothing else to install.',
    summary: () => 'Local Triton',
    place: () => 'on this machine',
    machine: 'machine',
    backends: () => 'python',
    gpus: () => [],
    tools: () => ['python', 'triton'],
    toolsAreFor: '',
  },
  docker: {
    note: 'Triton and the client in containers of one release, with or without GPUs.',
    summary: ({ gpus }) => (gpus.length === 0 ? 'Docker, CPU' : 'Docker, GPU'),
    place: ({ host }) => `in a container on ${host ?? 'this machine'}`,
    machine: 'machine',
    backends: (engine) => (imageFamily(engine) === 'cpu' ? 'python' : 'all'),
    gpus: containerGpus,
    // The images have them, and are built without.
    tools: () => [],
    toolsAreFor: '',
  },
  remote: {
    note: 'A running server that the workbench neither starts nor stops.',
    summary: ({ url }) => url,
    place: ({ url }) => `at ${url}`,
    machine: 'server',
    backends: () => 'all',
    gpus: () => null,
    tools: () => ['python'],
    toolsAreFor: 'The export and the accuracy check run on this machine. ',
  },
  slurm: {
    note: 'A job on a node of the cluster, which continues when the workbench is closed.',
    summary: () => 'Slurm cluster',
    place: () => 'on a node of Slurm',
    machine: 'node',
    // Without a container it is the wheel of the home, on the node.
    backends: ({ container = 'none' }) => (container === 'none' ? 'python' : 'all'),
    gpus: (engine) => (backendsOf(engine) === 'python' ? [] : null),
    tools: (engine) => (backendsOf(engine) === 'python' ? ['python', 'triton'] : ['python']),
    toolsAreFor: 'The jobs use the tools of this home, on the file system that the nodes share. ',
  },
  kubernetes: {
    note: 'A Job in a pod of the cluster, which continues when the workbench is closed.',
    summary: () => 'Kubernetes cluster',
    place: () => 'in a pod of Kubernetes',
    machine: 'node',
    backends: ({ triton }) => (triton === 'home' ? 'python' : 'all'),
    gpus: (engine) => (backendsOf(engine) === 'python' ? [] : podGpus(engine)),
    tools: (engine) => (backendsOf(engine) === 'python' ? ['python', 'triton'] : ['python']),
    toolsAreFor: 'The jobs use the tools of this home, on the volume of the claim. ',
  },
};

/** Words of a kind, before anything of it is chosen. */
export const engineWords = (kind: EngineKind): Pick<EngineRow<never>, 'note' | 'machine' | 'toolsAreFor'> =>
  rows[kind];

export const engineSummary = <Kind extends EngineKind>(engine: OfKind<Kind>): string =>
  rows[engine.kind].summary(engine);

export const enginePlace = <Kind extends EngineKind>(engine: OfKind<Kind>): string =>
  rows[engine.kind].place(engine);

export const backendsOf = <Kind extends EngineKind>(engine: OfKind<Kind>): BackendSet =>
  rows[engine.kind].backends(engine);

/**
 * GPUs as Triton numbers those of its container; null where their number is not known: all of a machine, or those of a
 * server elsewhere. A process of CUDA uses one MIG device, whatever its container has. Pure.
 */
export const visibleGpus = <Kind extends EngineKind>(engine: OfKind<Kind>): readonly number[] | null =>
  rows[engine.kind].gpus(engine);

export const neededTools = <Kind extends EngineKind>(engine: OfKind<Kind>): readonly ToolId[] =>
  rows[engine.kind].tools(engine);

/** All of it is done in containers, whose images have the tools. */
export const inContainers = <Engine extends { readonly kind: EngineKind }>(
  engine: Engine,
): engine is Engine & { readonly kind: 'docker' } => engine.kind === 'docker';

/** Its Triton runs already, and is neither started nor stopped. */
export const isElsewhere = <Engine extends { readonly kind: EngineKind }>(
  engine: Engine,
): engine is Engine & { readonly kind: 'remote' } => engine.kind === 'remote';

/** Its Triton is a process of this machine, outside of containers. */
export const isProcess = <Engine extends { readonly kind: EngineKind }>(
  engine: Engine,
): engine is Engine & { readonly kind: 'local' } => engine.kind === 'local';

/** Name of the host whose Docker Engine does the work; undefined: this machine, or no host of the list. */
export const hostOf = (engine: {
  readonly kind: EngineKind;
  readonly host?: string | undefined;
}): string | undefined => (inContainers(engine) ? engine.host : undefined);

/** GPUs that were asked for by id; none of an engine that is not asked for any. */
export const askedGpus = (engine: {
  readonly kind: EngineKind;
  readonly gpus?: readonly string[] | undefined;
}): readonly string[] => (inContainers(engine) ? (engine.gpus ?? []) : []);

/** The ports that were asked for of a Triton that the engine starts. */
export function askedPorts(engine: EngineSpec): {
  readonly httpPort?: number | undefined;
  readonly grpcPort?: number | undefined;
} {
  if (isElsewhere(engine)) return {};
  const { httpPort, grpcPort } = engine;
  return { httpPort, grpcPort };
}

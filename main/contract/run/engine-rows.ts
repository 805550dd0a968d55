import { shellWord } from '../flag-text';
import {
  jobContainers,
  type JobEngineKind,
  type JobNames,
  type KubernetesEngineSpec,
} from '../job/job-engines';
import type { ToolId } from '../machine';
import type { Tree } from '../trees';
import type { DockerEngineSpec, EngineKind, RunSpec } from './run-spec';

type EngineSpec = RunSpec['engine'];
/** The specification of an engine of this kind; `rows[engine.kind].ask(engine)` compiles for a generic one. */
export type OfKind<Kind extends EngineKind = EngineKind> = {
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

/** A part of the form, by the names of its fields. */
export interface EngineSection {
  readonly title: string;
  readonly note?: string;
  readonly folded?: boolean;
  readonly fields: readonly string[];
}

/** What there is to know of a kind of engine; a new engine is one more row. */
export interface EngineRow<Engine> {
  /** Where it is chosen: "Docker containers". */
  readonly title: string;
  /** In headings and messages: "Docker". */
  readonly name: string;
  /** What it is, where it is chosen. */
  readonly note: string;
  /** What was chosen, in a few words: "Docker, GPU". */
  readonly summary: (engine: Engine) => string;
  /** Where its Triton serves: "in a container on gpu1". */
  readonly place: (engine: Engine) => string;
  /** What its Triton runs on: "2 per GPU of the node". */
  readonly machine: 'machine' | 'server' | 'node';
  /** Where the commands of a run are typed, if not on this machine: "in the containers of the run". */
  readonly commandsAre: string | null;
  readonly backends: (engine: Engine) => BackendSet;
  /** See `visibleGpus`. */
  readonly gpus: (engine: Engine) => readonly number[] | null;
  /** Tools of this machine that a run needs, without the load tool. */
  readonly tools: (engine: Engine) => readonly ToolId[];
  /** What the tools are for, where the engine does not say so by its name; a sentence with a space behind it. */
  readonly toolsAreFor: string;
  /** Its own fields in the form, with the dots that follow "engine.". */
  readonly form: readonly EngineSection[];
  /** As far as it is chosen in a form: complete enough for the questions of this table. */
  readonly draft: (chosen: Tree) => Engine;
  /** Fields that name what its programs run on, each with what a message has before the name: "Kubernetes context ". */
  readonly machineFields: Readonly<Record<string, string>>;
  /** Fields that name images. */
  readonly imageFields: readonly string[];
}

type EngineRows = { readonly [Kind in EngineKind]: EngineRow<OfKind<Kind>> };

const ports = ['httpPort', 'grpcPort'];

export const engineRows: EngineRows = {
  local: {
    title: 'Local Triton',
    name: 'Local Triton',
    note: 'A server process on this machine’s CPU; nothing else to install.',
    summary: () => 'Local Triton',
    place: () => 'on this machine',
    machine: 'machine',
    commandsAre: null,
    backends: () => 'python',
    gpus: () => [],
    tools: () => ['python', 'triton'],
    toolsAreFor: '',
    form: [{ title: 'Ports', fields: ports }],
    draft: () => ({ kind: 'local' }),
    machineFields: {},
    imageFields: [],
  },
  docker: {
    title: 'Docker containers',
    name: 'Docker',
    note: 'Triton and the client in containers of one release, with or without GPUs.',
    summary: ({ gpus }) => (gpus.length === 0 ? 'Docker, CPU' : 'Docker, GPU'),
    place: ({ host }) => `in a container on ${host ?? 'this machine'}`,
    machine: 'machine',
    commandsAre: 'in the containers of the run',
    backends: (engine) => (imageFamily(engine) === 'cpu' ? 'python' : 'all'),
    gpus: containerGpus,
    // The images have them, and are built without.
    tools: () => [],
    toolsAreFor: '',
    form: [
      { title: 'Containers', fields: ['host', 'gpus', 'images', 'release', 'shmSizeMiB'] },
      {
        title: 'Ports and other images',
        folded: true,
        fields: [...ports, 'tritonImage', 'clientImage'],
      },
    ],
    draft: ({ images, gpus }) => ({
      kind: 'docker',
      shmSizeMiB: 1,
      gpus: Array.isArray(gpus) ? gpus.map(String) : [],
      ...(images === 'cpu' || images === 'ngc' ? { images } : {}),
    }),
    machineFields: { host: '' },
    imageFields: ['tritonImage', 'clientImage'],
  },
  remote: {
    title: 'Remote Triton',
    name: 'Remote Triton',
    note: 'A running server that the workbench neither starts nor stops.',
    summary: ({ url }) => url,
    place: ({ url }) => `at ${url}`,
    machine: 'server',
    commandsAre: null,
    backends: () => 'all',
    gpus: () => null,
    tools: () => ['python'],
    toolsAreFor: 'The export and the accuracy check run on this machine. ',
    // TLS applies only with such an address; its terms are perf_analyzer's.
    form: [
      { title: 'Address', fields: ['url'] },
      {
        title: 'TLS',
        note: 'PEM files on this machine. The server’s certificate is always verified.',
        fields: ['tls.caFile', 'tls.certFile', 'tls.keyFile', 'tls.serverName'],
      },
    ],
    draft: () => ({ kind: 'remote', url: '' }),
    // The load falls on it; nothing of the run's is started there.
    machineFields: {},
    imageFields: [],
  },
  slurm: {
    title: 'Slurm cluster',
    name: 'Slurm',
    note: 'A job on a node of the cluster, which continues when the workbench is closed.',
    summary: () => 'Slurm cluster',
    place: () => 'on a node of Slurm',
    machine: 'node',
    commandsAre: 'in a job of the cluster',
    // Without a container it is the wheel of the home, on the node.
    backends: ({ container = 'none' }) => (container === 'none' ? 'python' : 'all'),
    gpus: ({ container = 'none' }) => (container === 'none' ? [] : null),
    tools: ({ container = 'none' }) => (container === 'none' ? ['python', 'triton'] : ['python']),
    toolsAreFor: 'The jobs use the tools of this home, on the file system that the nodes share. ',
    form: [
      {
        title: 'Job',
        note: 'Empty fields come from the profile, then from the cluster.',
        fields: ['login', 'profile', 'partition', 'gres', 'timeLimit'],
      },
      {
        title: 'Account, node and container',
        folded: true,
        fields: ['account', 'constraint', 'pauseAheadS', 'container', 'containerImage'],
      },
    ],
    draft: ({ container }) => ({ kind: 'slurm', container: jobContainers.find((one) => one === container) }),
    machineFields: { login: '' },
    imageFields: ['containerImage'],
  },
  kubernetes: {
    title: 'Kubernetes cluster',
    name: 'Kubernetes',
    note: 'A Job in a pod of the cluster, which continues when the workbench is closed.',
    summary: () => 'Kubernetes cluster',
    place: () => 'in a pod of Kubernetes',
    machine: 'node',
    commandsAre: 'in a job of the cluster',
    backends: ({ triton }) => (triton === 'home' ? 'python' : 'all'),
    gpus: (engine) => (engine.triton === 'home' ? [] : podGpus(engine)),
    tools: ({ triton }) => (triton === 'home' ? ['python', 'triton'] : ['python']),
    toolsAreFor: 'The jobs use the tools of this home, on the volume of the claim. ',
    form: [
      {
        title: 'Job',
        note: 'Empty fields come from the profile, then from the kubeconfig.',
        fields: ['profile', 'context', 'namespace', 'image', 'gpuCount', 'activeDeadlineS'],
      },
      {
        title: 'Volume, resources and node',
        folded: true,
        fields: [
          ...['claim', 'mountPath', 'triton', 'gpuResource', 'cpu', 'memory'],
          ...['tolerations', 'serviceAccount', 'pauseAheadS'],
        ],
      },
    ],
    draft: ({ triton }) => ({ kind: 'kubernetes', triton: triton === 'home' ? 'home' : undefined }),
    // Names in the person's kubeconfig, and in what it leads to.
    machineFields: {
      context: 'Kubernetes context ',
      namespace: 'Kubernetes namespace ',
      claim: 'Kubernetes volume claim ',
      mountPath: 'Kubernetes mount path ',
      serviceAccount: 'Kubernetes service account ',
    },
    imageFields: ['image'],
  },
};

/** What there is to know of an engine of jobs beside that. */
export interface JobRow {
  /** Set in every process of a job. */
  readonly variable: string;
  /** Runs that ask for the same are one job; else each has a job of its own, journalled before the next is submitted. */
  readonly takesSeveral: boolean;
  /** Asking it anything may start programs that the person's own configuration names. */
  readonly startsPrograms: boolean;
  /** Its commands may be those of a host of the list. */
  readonly atHosts: boolean;
  /** The command by which people end a job themselves. */
  readonly endCommand: (job: JobNames) => string;
}

export const jobRows: Readonly<Record<JobEngineKind, JobRow>> = {
  slurm: {
    variable: 'SLURM_JOB_ID',
    takesSeveral: true,
    startsPrograms: false,
    atHosts: true,
    endCommand: ({ id, login }) => `scancel ${shellWord(id)}${login === undefined ? '' : `, on ${login}`}`,
  },
  kubernetes: {
    variable: 'TRITON_WORKBENCH_JOB',
    takesSeveral: false,
    startsPrograms: true,
    atHosts: false,
    // With the context and the namespace that what it printed is read with.
    endCommand: ({ name, log }) => log.replace(/ logs job\/\S+$/, ` delete job ${shellWord(name)}`),
  },
};

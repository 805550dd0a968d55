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

export type EngineSpec = RunSpec['engine'];
/** The specification of an engine kind; `rows[engine.kind].ask(engine)` compiles for a generic one. */
export type OfKind<Kind extends EngineKind = EngineKind> = {
  readonly [K in Kind]: { readonly kind: K } & Extract<EngineSpec, { readonly kind: K }>;
}[Kind];

/** `cpu`: built from `resources/docker`; `ngc`: NVIDIA's, which GPUs need. */
export function imageFamily(engine: DockerEngineSpec): 'cpu' | 'ngc' {
  return engine.images ?? (engine.gpus.length > 0 ? 'ngc' : 'cpu');
}

export const backendSets = ['python', 'all'] as const;

/**
 * Backends of the serving Triton: the PyPI wheel, here and in the CPU images, has only the Python backend; NVIDIA's
 * images and, it is assumed, running servers have all.
 */
export type BackendSet = (typeof backendSets)[number];

/** MIG slice: by UUID or as "GPU:instance". */
export const isSlice = (id: string): boolean => id.startsWith('MIG-') || /^\d+:\d+$/.test(id);

/** As many as the pod requests; null: left to the cluster. */
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

export interface EngineSection {
  readonly title: string;
  readonly note?: string;
  readonly folded?: boolean;
  readonly fields: readonly string[];
}

/** Facts of an engine kind; a new engine is one more row. */
export interface EngineRow<Engine> {
  /** In the choice: "Docker containers". */
  readonly title: string;
  /** In headings and messages: "Docker". */
  readonly name: string;
  readonly note: string;
  /** Short form of the chosen values: "Docker, GPU". */
  readonly summary: (engine: Engine) => string;
  /** Where Triton serves: "in a container on gpu1". */
  readonly place: (engine: Engine) => string;
  /** What instances are counted per: "2 per GPU of the node". */
  readonly machine: 'machine' | 'server' | 'node';
  /** Where the run's commands are typed, if not here: "in the containers of the run". */
  readonly commandsAre: string | null;
  readonly backends: (engine: Engine) => BackendSet;
  /** See `visibleGpus`. */
  readonly gpus: (engine: Engine) => readonly number[] | null;
  /** Local tools that a run needs, without the load tool. */
  readonly tools: (engine: Engine) => readonly ToolId[];
  /** Purpose of the tools, where the engine's name does not show it; a sentence with a trailing space. */
  readonly toolsAreFor: string;
  /** Its fields in the form, with the dots after "engine.". */
  readonly form: readonly EngineSection[];
  /** Completes a partial choice of a form for the questions of this table. */
  readonly draft: (chosen: Tree) => Engine;
  /** Fields that name where its programs run, each with its prefix in messages: "Kubernetes context ". */
  readonly machineFields: Readonly<Record<string, string>>;
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
    form: [
      { title: 'Ports', fields: ports },
      { title: 'Serving environment', folded: true, fields: ['environment'] },
    ],
    draft: () => ({ kind: 'local' }),
    machineFields: { environment: 'the Triton in ' },
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
    // It receives the load; nothing of the run is started there.
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
    // Without a container it is the home's wheel, on the node.
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
    // Names in the kubeconfig, and what it refers to.
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

export interface JobRow {
  readonly variable: string;
  /** Runs with equal requests are one job; otherwise each job is journalled before the next is submitted. */
  readonly takesSeveral: boolean;
  /** Queries may start programs that the user's configuration names. */
  readonly startsPrograms: boolean;
  readonly atHosts: boolean;
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
    // Same context and namespace as the log command.
    endCommand: ({ name, log }) => log.replace(/ logs job\/\S+$/, ` delete job ${shellWord(name)}`),
  },
};

import { jobEngines } from '../job/job-engines';
import { isJobEngine } from '../job/run-job';
import { engineRows } from '../run/engine-rows';
import { type FieldRow, jobField, type ValueAt } from './field';

const withKubernetes = {
  text: 'a Kubernetes cluster',
  holds: (valueAt: ValueAt): boolean => valueAt('engine.kind') === 'kubernetes',
};

const row = jobField(withKubernetes);

const kubernetesFields: readonly FieldRow[] = [
  row('context', {
    label: 'Context',
    term: 'context',
    help: 'Context of your kubeconfig that the Job is submitted with.',
    absent: 'the current context',
    option: '--kubernetes-context <name>',
    essential: true,
  }),
  row('namespace', {
    label: 'Namespace',
    term: 'namespace',
    help: 'Namespace of the Job.',
    absent: 'that of the context',
    option: '--kubernetes-namespace <name>',
  }),
  row('image', {
    label: 'Image',
    term: 'image',
    help: 'Container image of the Job; it has triton-workbench on its PATH.',
    absent: 'that of the profile',
    option: '--kubernetes-image <image>',
    decides: 'step',
    essential: true,
  }),
  row('triton', {
    label: 'Triton',
    term: 'triton',
    help: 'Triton that serves the model: the tritonserver of the image, or the one of the workbench home on the CPU.',
    choices: { image: 'Of the image', home: 'Of the home (CPU)' },
    absent: 'that of the image',
    option: '--kubernetes-triton <which>',
    decides: 'step',
  }),
  row('claim', {
    label: 'Volume claim',
    term: 'persistent-volume-claim',
    help: 'Persistent volume claim that holds the workbench home.',
    absent: 'that of the profile',
    option: '--kubernetes-claim <name>',
  }),
  row('mountPath', {
    label: 'Mount path',
    term: 'mount-path',
    help: 'Where the volume of the claim is mounted on this machine; the pod has it at the same path.',
    absent: 'that of the profile',
    option: '--kubernetes-mount-path <path>',
    pathKind: 'folder',
  }),
  row('gpuCount', {
    label: 'GPUs per pod',
    term: 'limits',
    help: 'Number of GPUs of the pod.',
    absent: 'none',
    option: '--kubernetes-gpus <n>',
    essential: true,
  }),
  row('gpuResource', {
    label: 'GPU resource',
    term: 'resource-name',
    help: 'Resource name of the GPUs, for example nvidia.com/mig-1g.10gb.',
    absent: 'nvidia.com/gpu',
    option: '--kubernetes-gpu-resource <name>',
  }),
  row('cpu', {
    label: 'CPUs',
    term: 'cpu',
    help: 'CPUs of the pod, as request and limit: 8, 500m.',
    absent: 'the cluster’s default',
    option: '--kubernetes-cpu <amount>',
    identifier: true,
  }),
  row('memory', {
    label: 'Memory',
    term: 'memory',
    help: 'Memory of the pod, as request and limit: 32Gi.',
    absent: 'the cluster’s default',
    option: '--kubernetes-memory <amount>',
    identifier: true,
  }),
  row('nodeSelector.*', {
    label: 'Node label',
    term: 'node-selector',
    help: 'Label that the node must have, for example nvidia.com/gpu.product=NVIDIA-A100-SXM4-80GB.',
    absent: 'none',
    option: '--kubernetes-node-selector <LABEL=VALUE>',
  }),
  row('tolerations', {
    label: 'Tolerations',
    term: 'tolerations',
    help: 'Tolerated taints, in the notation of kubectl: nvidia.com/gpu:NoSchedule.',
    absent: 'none',
    option: '--kubernetes-tolerations <list>',
  }),
  row('serviceAccount', {
    label: 'Service account',
    term: 'service-account',
    help: 'Service account of the pod, for its image pull secrets; its token is not mounted.',
    absent: 'that of the namespace',
    option: '--kubernetes-service-account <name>',
  }),
  row('activeDeadlineS', {
    label: 'Active deadline',
    term: 'active-deadline-seconds',
    help: 'Maximum run time of the pod, from the time at which it is on a node.',
    unit: 's',
    absent: 'no limit',
    option: '--kubernetes-deadline <time>',
  }),
];

const withSlurm = {
  text: 'a Slurm cluster',
  holds: (valueAt: ValueAt): boolean => valueAt('engine.kind') === 'slurm',
};
/** Not `Intl.ListFormat`, which takes 2 ms of every start. */
const either = (words: readonly string[]): string =>
  words.length < 3 ? words.join(' or ') : `${words.slice(0, -1).join(', ')}, or ${words.at(-1)}`;

const withJob = {
  text: `a ${either(jobEngines.map((kind) => engineRows[kind].name))} cluster`,
  holds: (valueAt: ValueAt): boolean => isJobEngine({ kind: String(valueAt('engine.kind')) }),
};
const aliasesOf = (name: string): readonly string[] =>
  jobEngines.filter((kind) => kind !== 'slurm').map((kind) => `--${kind}-${name}`);
const withContainer = {
  text: 'a container on a Slurm cluster',
  holds: (valueAt: ValueAt): boolean =>
    withSlurm.holds(valueAt) && ['apptainer', 'pyxis'].includes(String(valueAt('engine.container'))),
};

const slurmRow = jobField(withSlurm);

const slurmFields: readonly FieldRow[] = [
  slurmRow('profile', {
    label: 'Profile',
    term: 'profile',
    help: `Profile of ${either(jobEngines.map((kind) => `${kind}.yaml`))} in the workbench home, or a file with one profile; it fills the fields that are not set.`,
    absent: 'the default profile, if any',
    option: '--slurm-profile <name>',
    aliases: aliasesOf('profile'),
    onlyWith: withJob,
  }),
  slurmRow('login', {
    label: 'Login node',
    term: 'login',
    help: 'Host in the list of hosts whose Slurm commands are used over ssh. The workbench home must be on a file system that it shares with the cluster, under the same path.',
    absent: 'this machine',
    option: '--slurm-login <host>',
  }),
  slurmRow('partition', {
    label: 'Partition',
    term: 'partition',
    help: 'Partition that the job is submitted to.',
    absent: 'the default partition of the cluster',
    option: '--slurm-partition <name>',
    essential: true,
  }),
  slurmRow('gres', {
    label: 'Generic resources',
    term: 'gres',
    help: 'Generic resources of the job, for example gpu:1 or gpu:a100:2.',
    absent: 'none',
    option: '--slurm-gres <list>',
    essential: true,
  }),
  slurmRow('timeLimit', {
    label: 'Time limit',
    term: 'time',
    help: 'Time limit of the job, as sbatch takes it: minutes, HH:MM:SS or D-HH.',
    absent: 'that of the partition',
    option: '--slurm-time <limit>',
    identifier: true,
  }),
  slurmRow('pauseAheadS', {
    label: 'Pause before the limit',
    term: 'signal',
    help: 'How long before the time limit or deadline the run pauses after its level, so that resume loses nothing.',
    unit: 's',
    absent: '60 s',
    option: '--slurm-pause-ahead <time>',
    aliases: aliasesOf('pause-ahead'),
    onlyWith: withJob,
  }),
  slurmRow('account', {
    label: 'Account',
    term: 'account',
    help: 'Account that the job is charged to.',
    absent: 'your default account',
    option: '--slurm-account <name>',
  }),
  slurmRow('constraint', {
    label: 'Constraint',
    term: 'constraint',
    help: 'Features that the node must have.',
    absent: 'none',
    option: '--slurm-constraint <list>',
  }),
  slurmRow('tasksAtOnce', {
    label: 'Concurrent tasks',
    term: 'array',
    help: 'Maximum number of runs of a matrix at the same time.',
    absent: 'all',
    option: '--slurm-at-once <n>',
  }),
  slurmRow('container', {
    label: 'Container runtime',
    term: 'container',
    help: 'What runs Triton on the node; none uses the Triton of the workbench home.',
    choices: { none: 'None', apptainer: 'Apptainer', pyxis: 'Pyxis and Enroot' },
    absent: 'none',
    option: '--slurm-container <runtime>',
    decides: 'step',
  }),
  slurmRow('containerImage', {
    label: 'Container image',
    term: 'container-image',
    help: 'Image with Triton: a file on the shared file system, or an address that the runtime takes.',
    absent: 'none',
    option: '--slurm-image <image>',
    decides: 'step',
    onlyWith: withContainer,
  }),
  slurmRow('options.*', {
    label: 'Option of sbatch',
    term: 'sbatch',
    help: 'Further option of sbatch, for example qos=high.',
    absent: 'none',
    option: '--slurm-option <NAME=VALUE>',
  }),
];

export const clusterFields: readonly FieldRow[] = [...slurmFields, ...kubernetesFields];

import { type FieldRow, jobField, type ValueAt } from './field';

const withSlurm = {
  text: 'a Slurm cluster',
  holds: (valueAt: ValueAt): boolean => valueAt('engine.kind') === 'slurm',
};
/** Of either scheduler. */
const withJob = {
  text: 'a Slurm or Kubernetes cluster',
  holds: (valueAt: ValueAt): boolean => ['slurm', 'kubernetes'].includes(String(valueAt('engine.kind'))),
};
const withContainer = {
  text: 'a container on a Slurm cluster',
  holds: (valueAt: ValueAt): boolean =>
    withSlurm.holds(valueAt) && ['apptainer', 'pyxis'].includes(String(valueAt('engine.container'))),
};

const row = jobField(withSlurm);

/** What a run asks a Slurm cluster for. */
export const slurmFields: readonly FieldRow[] = [
  row('profile', {
    label: 'Profile',
    term: 'profile',
    help: 'Profile of slurm.yaml or kubernetes.yaml in the workbench home, or a file with one profile; it fills the fields that are not set.',
    absent: 'the default profile, if any',
    option: '--slurm-profile <name>',
    aliases: ['--kubernetes-profile'],
    onlyWith: withJob,
  }),
  row('login', {
    label: 'Login node',
    term: 'login',
    help: 'Host of the list whose Slurm commands are used, over ssh. The workbench home must be on a file system that it shares with the cluster, under the same path.',
    absent: 'this machine',
    option: '--slurm-login <host>',
  }),
  row('partition', {
    label: 'Partition',
    term: 'partition',
    help: 'Partition that the job is submitted to.',
    absent: 'the default partition of the cluster',
    option: '--slurm-partition <name>',
    essential: true,
  }),
  row('gres', {
    label: 'Generic resources',
    term: 'gres',
    help: 'Generic resources of the job, for example gpu:1 or gpu:a100:2.',
    absent: 'none',
    option: '--slurm-gres <list>',
    essential: true,
  }),
  row('timeLimit', {
    label: 'Time limit',
    term: 'time',
    help: 'Time limit of the job, as sbatch takes it: minutes, HH:MM:SS or D-HH.',
    absent: 'that of the partition',
    option: '--slurm-time <limit>',
    identifier: true,
  }),
  row('pauseAheadS', {
    label: 'Pause before the limit',
    term: 'signal',
    help: 'How long before the time limit or deadline the run pauses after its level, so that resume loses nothing.',
    unit: 's',
    absent: '60 s',
    option: '--slurm-pause-ahead <time>',
    aliases: ['--kubernetes-pause-ahead'],
    onlyWith: withJob,
  }),
  row('account', {
    label: 'Account',
    term: 'account',
    help: 'Account that the job is charged to.',
    absent: 'your default account',
    option: '--slurm-account <name>',
  }),
  row('constraint', {
    label: 'Constraint',
    term: 'constraint',
    help: 'Features that the node must have.',
    absent: 'none',
    option: '--slurm-constraint <list>',
  }),
  row('tasksAtOnce', {
    label: 'Tasks at once',
    term: 'array',
    help: 'Most runs of a matrix that run at the same time.',
    absent: 'all',
    option: '--slurm-at-once <n>',
  }),
  row('container', {
    label: 'Container runtime',
    term: 'container',
    help: 'What runs Triton on the node; none uses the Triton of the workbench home.',
    choices: { none: 'None', apptainer: 'Apptainer', pyxis: 'Pyxis and Enroot' },
    absent: 'none',
    option: '--slurm-container <runtime>',
    decides: 'step',
  }),
  row('containerImage', {
    label: 'Container image',
    term: 'container-image',
    help: 'Image with Triton: a file on the shared file system, or an address that the runtime takes.',
    absent: 'none',
    option: '--slurm-image <image>',
    decides: 'step',
    onlyWith: withContainer,
  }),
  row('options.*', {
    label: 'Option of sbatch',
    term: 'sbatch',
    help: 'Further option of sbatch, for example qos=high.',
    absent: 'none',
    option: '--slurm-option <NAME=VALUE>',
  }),
];

import { z } from 'zod';
import { hostNameSchema } from '../host/host-name';

/** Where Triton comes from inside of a job. */
export const jobContainers = ['none', 'apptainer', 'pyxis'] as const;

/** Further options of sbatch that may be given; the others decide what the workbench itself relies on. */
export const sbatchOptions = [
  'comment',
  'cpu-freq',
  'cpus-per-task',
  'dependency',
  'exclude',
  'exclusive',
  'gpu-bind',
  'gpu-freq',
  'hint',
  'licenses',
  'mail-type',
  'mail-user',
  'mem',
  'mem-bind',
  'mem-per-cpu',
  'mem-per-gpu',
  'nice',
  'nodelist',
  'priority',
  'qos',
  'reservation',
  'switches',
  'tmp',
  'wckey',
] as const;

/** One argument of a program: no line break, and nothing that a terminal would act on. */
const text = z
  .string()
  .min(1)
  .max(512)
  .regex(/^[^\p{Cc}]+$/u, 'one line of text');
/** Names of the cluster begin with no dash, or they would be options. */
const word = text.regex(/^[^-\s][^\s]*$/, 'a word without spaces that does not begin with "-"');

/** As sbatch takes it: minutes, minutes:seconds, hours:minutes:seconds, or days-hours with minutes and seconds. */
const timeLimit = z
  .string()
  .regex(
    /^(\d+|\d+:\d{2}|\d+:\d{2}:\d{2}|\d+-\d{1,2}(:\d{2}){0,2})$/,
    'a time limit of Slurm: minutes, hours:minutes:seconds or days-hours',
  );

/** What a job asks the cluster for; a profile has the same fields. */
export const slurmRequestShape = {
  /** Host of the list that is a login node of the cluster; this machine when absent. */
  login: hostNameSchema.optional(),
  partition: word.optional(),
  /** Generic resources, as "gpu:1" or "gpu:a100:2". */
  gres: word.optional(),
  timeLimit: timeLimit.optional(),
  account: word.optional(),
  constraint: word.optional(),
  /** Tasks of an array job that run at the same time; all when absent. */
  tasksAtOnce: z.int().min(1).optional(),
  /** How long before the time limit the run pauses after its level, in seconds. */
  pauseAheadS: z.int().min(1).max(65_535).optional(),
  container: z.enum(jobContainers).optional(),
  /** Image with Triton: a file or an address that Apptainer or Enroot takes. */
  containerImage: word.optional(),
  options: z.partialRecord(z.enum(sbatchOptions), text).optional(),
};

const port = z.int().min(1).max(65535);

/** The run is a job of a Slurm cluster, on a file system that its nodes share. */
export const slurmEngineSchema = z.strictObject({
  kind: z.literal('slurm'),
  /** Name of a profile in `slurm.yaml` of the home, or the path of a file with one profile. */
  profile: text.optional(),
  ...slurmRequestShape,
  httpPort: port.optional(),
  grpcPort: port.optional(),
});
export type SlurmEngineSpec = z.infer<typeof slurmEngineSchema>;

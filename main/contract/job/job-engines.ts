import { z } from 'zod';
import { imageReferenceSchema } from '../docker';
import { hostNameSchema } from '../host/host-name';
import { later } from '../later';
import { controls, oneLine } from '../one-line';

/** DNS labels, which cannot be mistaken for options or paths. */
const label = later(() =>
  z
    .string()
    .regex(
      /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/,
      'must have lower-case letters, digits and "-" only, at most 63',
    ),
);
/** DNS subdomains: claims, service accounts. */
const subdomain = later(() =>
  z
    .string()
    .max(253)
    .regex(/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/, 'must have lower-case letters, digits, "-" and "." only'),
);
/** With its domain: "nvidia.com/gpu", "nvidia.com/mig-1g.10gb". */
const qualified = later(() =>
  z
    .string()
    .max(317)
    .regex(
      /^([a-z0-9]([-a-z0-9.]*[a-z0-9])?\/)?[A-Za-z0-9]([-\w.]{0,61}[A-Za-z0-9])?$/,
      'must be a name such as nvidia.com/gpu',
    ),
);
const labelValue = later(() =>
  z
    .string()
    .regex(
      /^([A-Za-z0-9]([-\w.]{0,61}[A-Za-z0-9])?)?$/,
      'must have letters, digits, "-", "_" and "." only, at most 63',
    ),
);
/** "4", "500m", "64Gi". */
const quantity = later(() =>
  z
    .string()
    .max(32)
    .regex(
      /^\d+(\.\d+)?(m|[kMGTPE]|[KMGTPE]i)?$/,
      'must be an amount as Kubernetes writes it: 4, 500m, 64Gi',
    ),
);

export const tolerationPattern =
  /^([A-Za-z0-9](?:[-\w./]{0,250}[A-Za-z0-9])?)(?:=([-\w.]{0,63}))?(?::(NoSchedule|PreferNoSchedule|NoExecute))?$/;
/** As for `kubectl taint`: "nvidia.com/gpu:NoSchedule", "team=vision:NoExecute"; a key only: every taint of it. */
const toleration = later(() =>
  z.string().regex(tolerationPattern, 'must be a taint as kubectl writes it: key=value:NoSchedule'),
);

const path = later(() =>
  z
    .string()
    .max(4096)
    .regex(
      new RegExp(`^/[^${controls}:]*[^${controls}:/]$`, 'u'),
      'must be an absolute path, and not "/" itself',
    ),
);
const contextName = later(() =>
  z
    .string()
    .min(1)
    .max(512)
    .regex(new RegExp(`^[^${controls}\\s]+$`, 'u'), 'must be one word'),
);

const kubernetesTritons = ['image', 'home'] as const;

const kubernetesRequestShape = () => ({
  context: contextName.optional(),
  namespace: label.optional(),
  /** Has `triton-workbench` on its PATH, and `tritonserver` where `triton` is `image`. */
  image: imageReferenceSchema.optional(),
  triton: z.enum(kubernetesTritons).optional(),
  claim: subdomain.optional(),
  /** Mount path of the claim, the same on this machine and in the pod. */
  mountPath: path.optional(),
  gpuCount: z.int().min(0).max(64).optional(),
  gpuResource: qualified.optional(),
  cpu: quantity.optional(),
  /** A bare number would be bytes: the unit was forgotten. */
  memory: quantity
    .unwrap()
    .refine((text) => !/^\d{1,6}$/.test(text), 'has no unit: use 32Gi for 32 GiB')
    .optional(),
  nodeSelector: z.record(qualified, labelValue).optional(),
  tolerations: z.array(toleration).max(64).optional(),
  serviceAccount: subdomain.optional(),
  activeDeadlineS: z.int().min(1).max(2_147_483).optional(),
  /** Seconds before the deadline at which the run pauses after its level. */
  pauseAheadS: z.int().min(1).max(65_535).optional(),
});

const port = z.int().min(1).max(65535);

/** The run is a Job of a Kubernetes cluster, with the home on a volume that this machine mounts too. */
export const kubernetesEngineSchema = later(() =>
  z.strictObject({
    kind: z.literal('kubernetes'),
    /** Name of a profile in `kubernetes.yaml` of the home, or the path of a file with one profile. */
    profile: z.string().min(1).max(512).regex(oneLine, 'must be one line of text').optional(),
    ...kubernetesRequestShape(),
    /** Inside the pod, which shares its ports with nothing. */
    httpPort: port.optional(),
    grpcPort: port.optional(),
  }),
);
export type KubernetesEngineSpec = z.infer<typeof kubernetesEngineSchema>;

export const jobContainers = ['none', 'apptainer', 'pyxis'] as const;

/** Permitted further options of sbatch; the workbench relies on its own values of the others. */
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

/** One argument of a program, without line breaks and terminal control characters. */
const text = later(() => z.string().min(1).max(512).regex(oneLine, 'must be one line of text'));
/** Does not begin with a dash, which would make it an option. */
const word = later(() =>
  text.unwrap().regex(/^[^-\s][^\s]*$/, 'must be a word without spaces that does not begin with "-"'),
);

/** As sbatch takes it: minutes, minutes:seconds, hours:minutes:seconds, or days-hours with minutes and seconds. */
const timeLimit = later(() =>
  z
    .string()
    .regex(
      /^(\d+|\d+:\d{2}|\d+:\d{2}:\d{2}|\d+-\d{1,2}(:\d{2}){0,2})$/,
      'must be a time limit of Slurm: minutes, hours:minutes:seconds or days-hours',
    ),
);

const slurmRequestShape = () => ({
  /** Host of the list that is a login node of the cluster; absent: this machine. */
  login: hostNameSchema.optional(),
  partition: word.optional(),
  /** Generic resources, as "gpu:1" or "gpu:a100:2". */
  gres: word.optional(),
  timeLimit: timeLimit.optional(),
  account: word.optional(),
  constraint: word.optional(),
  /** Tasks of an array job that run at once; absent: all. */
  tasksAtOnce: z.int().min(1).optional(),
  /** Seconds before the time limit at which the run pauses after its level. */
  pauseAheadS: z.int().min(1).max(65_535).optional(),
  container: z.enum(jobContainers).optional(),
  /** Image with Triton: a file or an address that Apptainer or Enroot takes. */
  containerImage: word.optional(),
  options: z.partialRecord(z.enum(sbatchOptions), text).optional(),
});

/** The run is a job of a Slurm cluster, on a file system that its nodes share. */
export const slurmEngineSchema = later(() =>
  z.strictObject({
    kind: z.literal('slurm'),
    /** Name of a profile in `slurm.yaml` of the home, or the path of a file with one profile. */
    profile: text.optional(),
    ...slurmRequestShape(),
    httpPort: port.optional(),
    grpcPort: port.optional(),
  }),
);
export type SlurmEngineSpec = z.infer<typeof slurmEngineSchema>;

export const jobEngines = ['slurm', 'kubernetes'] as const;
export type JobEngineKind = (typeof jobEngines)[number];

/** Schema of the specification, and of a profile. */
export const jobEngineSchemas = {
  slurm: { engine: slurmEngineSchema, request: slurmRequestShape },
  kubernetes: { engine: kubernetesEngineSchema, request: kubernetesRequestShape },
} as const satisfies Readonly<
  Record<JobEngineKind, { readonly engine: z.ZodType; readonly request: () => z.ZodRawShape }>
>;

export interface JobNames {
  readonly id: string;
  readonly name: string;
  /** File that the job prints to, or the command that shows its output. */
  readonly log: string;
  readonly login?: string | undefined;
}

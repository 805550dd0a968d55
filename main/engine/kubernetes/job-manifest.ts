import { shellWord } from '../../contract/flag-text';
import { type KubernetesEngineSpec, tolerationPattern } from '../../contract/job/job-engines';
import { jobRows } from '../../contract/run/engine-rows';
import { noGpuVariables } from '../../docker/container-body';

/** Of the deadline; a level of the published procedures takes half of it. */
const usualPauseAheadS = 60;
/** For Triton to end and the journal to be written. */
const graceS = 60;
/** A finished Job is kept this long, with what it printed. */
const keptS = 7 * 24 * 3600;
/** At most, and only as far as it is used: shared memory of the Python backend and of requests. */
const shmSize = '4Gi';
/** Sidecars that a cluster adds have names of their own. */
export const runContainer = 'run';
const usualGpuResource = 'nvidia.com/gpu';
/** Of NVIDIA's images, and those built on them. */
const nvidiaEntrypoint = '/opt/nvidia/nvidia_entrypoint.sh';

export interface JobInput {
  readonly engine: KubernetesEngineSpec;
  readonly namespace: string;
  /** Of the Job, and of nothing else. */
  readonly name: string;
  readonly runId: string;
  /** Workbench home, on this machine and in the pod alike. */
  readonly home: string;
  /** Tells the jobs of this home from those of others. */
  readonly homeId: string;
  /** User and group that the files of the home belong to. */
  readonly user: { readonly uid: number; readonly gid: number };
}

/** Variables by which a process finds out that it is in a pod of the workbench. */
export const podVariables = {
  job: jobRows.kubernetes.variable,
  node: 'TRITON_WORKBENCH_JOB_NODE',
  /** Seconds after the start of the program at which the run pauses; what stops it later is the deadline. */
  pauseAfter: 'TRITON_WORKBENCH_JOB_PAUSE_S',
} as const;

const managedBy = { 'app.kubernetes.io/managed-by': 'triton-workbench' };
const labelsOf = (homeId: string) => ({ ...managedBy, 'app.kubernetes.io/instance': homeId });

/** Of the jobs of this home, and of their pods. */
export const selectorOf = (homeId: string): string =>
  Object.entries(labelsOf(homeId))
    .map(([key, value]) => `${key}=${value}`)
    .join();

/** Kubernetes replaces `$(NAME)`, and reduces `$$` to `$`, in commands and in values of variables: this text stays as it is. */
const literal = (text: string): string => text.split('$').join('$$');

/** Continues the run that is its only argument, or says in the pod's log why it cannot. */
function scriptOf({ engine }: JobInput, pauseAfterS: number | null): string {
  const { claim = '', mountPath = '' } = engine;
  const why = `the volume of the claim ${claim} is not the one that is mounted at ${mountPath} where the run was started.`;
  return [
    `if [ ! -e "$TRITON_WORKBENCH_HOME/runs/$1" ]; then`,
    `  echo "Run $1 is not in $TRITON_WORKBENCH_HOME of this pod:" ${shellWord(why)} >&2`,
    '  exit 2',
    'fi',
    ...(pauseAfterS === null
      ? []
      : // Not ended by the signal before it listens, which takes its time on a busy node.
        ["trap '' USR2", `{ sleep "$${podVariables.pauseAfter}"; kill -USR2 $$; } >/dev/null 2>&1 &`]),
    // Set aside as the pod's own command; it starts programs with the CUDA libraries that the driver asks for.
    `if [ -x ${nvidiaEntrypoint} ]; then exec ${nvidiaEntrypoint} triton-workbench resume "$1"; fi`,
    'exec triton-workbench resume "$1"',
  ].join('\n');
}

/** A taint that kubectl would write so is tolerated. */
export function tolerationOf(text: string) {
  const [, key = '', value, effect] = tolerationPattern.exec(text) ?? [];
  return {
    key,
    ...(value === undefined ? { operator: 'Exists' } : { operator: 'Equal', value }),
    ...(effect === undefined ? {} : { effect }),
  };
}

/** Requests are the limits: what is measured must not depend on what others leave. */
function resourcesOf({ gpuCount = 0, gpuResource = usualGpuResource, cpu, memory }: KubernetesEngineSpec) {
  const amounts = {
    ...(cpu === undefined ? {} : { cpu }),
    ...(memory === undefined ? {} : { memory }),
    ...(gpuCount === 0 ? {} : { [gpuResource]: String(gpuCount) }),
  };
  return Object.keys(amounts).length === 0 ? {} : { resources: { limits: amounts, requests: amounts } };
}

/** null: it is paused by nobody. */
function pauseAfterOf({ activeDeadlineS, pauseAheadS = usualPauseAheadS }: KubernetesEngineSpec) {
  return activeDeadlineS === undefined ? null : Math.max(1, activeDeadlineS - pauseAheadS);
}

function podOf(input: JobInput) {
  const { engine, namespace, name, runId, home, user } = input;
  const { nodeSelector, tolerations, serviceAccount, activeDeadlineS, gpuCount = 0 } = engine;
  const pauseAfterS = pauseAfterOf(engine);
  return {
    restartPolicy: 'Never',
    ...(activeDeadlineS === undefined ? {} : { activeDeadlineSeconds: activeDeadlineS }),
    terminationGracePeriodSeconds: graceS,
    ...(serviceAccount === undefined ? {} : { serviceAccountName: serviceAccount }),
    // The program asks nothing of the cluster.
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    // What a child leaves behind is then reaped.
    shareProcessNamespace: true,
    ...(nodeSelector === undefined ? {} : { nodeSelector }),
    ...(tolerations === undefined ? {} : { tolerations: tolerations.map(tolerationOf) }),
    securityContext: {
      runAsUser: user.uid,
      runAsGroup: user.gid,
      ...(user.uid === 0 ? {} : { runAsNonRoot: true }),
      seccompProfile: { type: 'RuntimeDefault' },
    },
    containers: [
      {
        name: runContainer,
        image: engine.image ?? '',
        command: ['/bin/sh', '-c', scriptOf(input, pauseAfterS), 'triton-workbench', runId].map(literal),
        env: [
          { name: 'HOME', value: '/tmp' },
          { name: 'TRITON_WORKBENCH_HOME', value: literal(home) },
          { name: podVariables.job, value: `${namespace}/${name}` },
          { name: podVariables.node, valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } },
          ...(pauseAfterS === null ? [] : [{ name: podVariables.pauseAfter, value: String(pauseAfterS) }]),
          ...(gpuCount === 0
            ? Object.entries(noGpuVariables).map(([variable, value]) => ({ name: variable, value }))
            : []),
        ],
        ...resourcesOf(engine),
        volumeMounts: [
          { name: 'home', mountPath: engine.mountPath ?? '' },
          { name: 'shm', mountPath: '/dev/shm' },
        ],
        terminationMessagePolicy: 'FallbackToLogsOnError',
        securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
      },
    ],
    volumes: [
      { name: 'home', persistentVolumeClaim: { claimName: engine.claim ?? '' } },
      { name: 'shm', emptyDir: { medium: 'Memory', sizeLimit: shmSize } },
    ],
  };
}

/**
 * The Job that continues a run. A pod that fails ends it: `resume` submits another one. A pod that the cluster takes away
 * for its own reasons (preemption, drain, eviction) does not count, and the Job starts it again. Pure.
 */
export function jobManifest(input: JobInput) {
  const labels = labelsOf(input.homeId);
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name: input.name,
      namespace: input.namespace,
      labels,
      annotations: { 'triton-workbench/run': input.runId },
    },
    spec: {
      backoffLimit: 0,
      ttlSecondsAfterFinished: keptS,
      podFailurePolicy: {
        rules: [{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] }],
      },
      template: { metadata: { labels }, spec: podOf(input) },
    },
  };
}

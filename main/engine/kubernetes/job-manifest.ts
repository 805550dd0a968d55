import { shellWord } from '../../contract/flag-text';
import { type KubernetesEngineSpec, tolerationPattern } from '../../contract/job/job-engines';
import { jobRows } from '../../contract/run/engine-rows';
import { noGpuVariables } from '../../docker/container-body';

/** Seconds before the deadline; a level of the published procedures takes half of it. */
const usualPauseAheadS = 60;
/** Seconds for Triton to end and the journal to be written. */
const graceS = 60;
/** How long a finished Job and its log are kept. */
const keptS = 7 * 24 * 3600;
/** Upper limit of /dev/shm, for the Python backend and requests. */
const shmSize = '4Gi';
/** Distinguishes the run's container from injected sidecars. */
export const runContainer = 'run';
const usualGpuResource = 'nvidia.com/gpu';
/** In NVIDIA's images and derived ones. */
const nvidiaEntrypoint = '/opt/nvidia/nvidia_entrypoint.sh';

export interface JobInput {
  readonly engine: KubernetesEngineSpec;
  readonly namespace: string;
  readonly name: string;
  readonly runId: string;
  /** Workbench home, same path in the pod. */
  readonly home: string;
  /** Label that identifies jobs of this home. */
  readonly homeId: string;
  /** Owner of the home's files. */
  readonly user: { readonly uid: number; readonly gid: number };
}

/** Variables that identify a pod of the workbench. */
export const podVariables = {
  job: jobRows.kubernetes.variable,
  node: 'TRITON_WORKBENCH_JOB_NODE',
  /** Seconds after program start at which the run pauses; the deadline stops everything else. */
  pauseAfter: 'TRITON_WORKBENCH_JOB_PAUSE_S',
} as const;

const managedBy = { 'app.kubernetes.io/managed-by': 'triton-workbench' };
const labelsOf = (homeId: string) => ({ ...managedBy, 'app.kubernetes.io/instance': homeId });

export const selectorOf = (homeId: string): string =>
  Object.entries(labelsOf(homeId))
    .map(([key, value]) => `${key}=${value}`)
    .join();

/** Escapes `$`: Kubernetes expands `$(NAME)` and `$$` in commands and variables. */
const literal = (text: string): string => text.split('$').join('$$');

/** Continues the run in `$1`, or logs why it cannot. */
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
    // NVIDIA's entrypoint, replaced as the pod's command, selects CUDA libraries that fit the driver.
    `if [ -x ${nvidiaEntrypoint} ]; then exec ${nvidiaEntrypoint} triton-workbench resume "$1"; fi`,
    'exec triton-workbench resume "$1"',
  ].join('\n');
}

/** Parses kubectl's taint syntax. */
export function tolerationOf(text: string) {
  const [, key = '', value, effect] = tolerationPattern.exec(text) ?? [];
  return {
    key,
    ...(value === undefined ? { operator: 'Exists' } : { operator: 'Equal', value }),
    ...(effect === undefined ? {} : { effect }),
  };
}

/** Requests equal limits, so that other pods cannot affect measurements. */
function resourcesOf({ gpuCount = 0, gpuResource = usualGpuResource, cpu, memory }: KubernetesEngineSpec) {
  const amounts = {
    ...(cpu === undefined ? {} : { cpu }),
    ...(memory === undefined ? {} : { memory }),
    ...(gpuCount === 0 ? {} : { [gpuResource]: String(gpuCount) }),
  };
  return Object.keys(amounts).length === 0 ? {} : { resources: { limits: amounts, requests: amounts } };
}

/** null: no pause. */
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
    // The program does not use the cluster's API.
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    // Then the pause container reaps orphaned children.
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

/** Continues a run. A failed pod ends the Job; preempted, drained or evicted pods are restarted and do not count. */
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

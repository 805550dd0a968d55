import { stringify } from 'yaml';
import type { ColdStart } from '../contract/measured/cold-start';
import { formatDuration } from '../contract/numbers';
import { noGpuVariables } from '../docker/container-body';
import { containerPorts, tritonCommand } from '../engine/docker/triton-command';
import { pythonVariables } from '../platform/process';
import { queueMetric, rateMetric, resourceName } from './names';
import { prometheusRule, type Watched } from './watching';

export interface BundleImage {
  /** With digest where a registry has one. */
  readonly reference: string;
  readonly builtHere: boolean;
  /** NVIDIA's release; null: unknown. */
  readonly release: string | null;
  /** NVIDIA's entrypoint must run: CUDA forward compatibility depends on it. */
  readonly keepsEntrypoint?: boolean;
}

/** How long a start may take. */
export interface Startup {
  readonly limitS: number;
  /** Where the limit is from. */
  readonly text: string;
}

const unmeasured: Startup = { limitS: 600, text: 'a starting point: the time to ready was not measured' };
/** Another machine reads the model from slower storage, and starts Triton beside others. */
const startupMargin = { times: 10, leastS: 60 };
const probePeriodS = 5;

/** By the time to ready that was measured. */
export function startupOf(cold: Pick<ColdStart, 'readyUs'> | null): Startup {
  const readyUs = cold?.readyUs ?? null;
  if (readyUs === null) return unmeasured;
  const ownS = (startupMargin.times * readyUs) / 1e6;
  const measured = `${startupMargin.times} times the measured ${formatDuration(readyUs)} to ready`;
  const wantedS = Math.max(startupMargin.leastS, ownS);
  return {
    limitS: Math.ceil(wantedS / probePeriodS) * probePeriodS,
    text: ownS < startupMargin.leastS ? `the minimum, more than ${measured}` : measured,
  };
}

export interface Serving {
  readonly model: string;
  readonly image: BundleImage;
  readonly gpus: number;
  readonly shmSizeMiB: number;
  readonly repositoryBytes: number;
  /** Triton completes configurations; see `StartServerInput.asIs`. */
  readonly asIs?: boolean;
  /**
   * Requests in flight at the best level, or at that of the plan: a pod with more waiting is behind. null: not known, and
   * nothing scales by it.
   */
  readonly pendingRequests: number | null;
  /** Requests per second and replica at which another one is started; null: no search promises a rate. */
  readonly scaledRate: { readonly value: number; readonly text: string } | null;
  readonly watched: Watched;
  /** In which a server has to be ready; see `startupOf`. */
  readonly startup: Startup;
  /** null: the replicas were not planned. */
  readonly plan: { readonly replicas: number; readonly text: string } | null;
}

const ports = Object.entries(containerPorts);
const user = 1000;
const envOf = ({ gpus }: Serving) => ({
  HOME: '/tmp',
  ...pythonVariables,
  ...(gpus > 0 ? {} : noGpuVariables),
});
const health = (name: 'live' | 'ready') => `/v2/health/${name}`;

/** Starting points where nothing was planned: only one was ever measured. */
const replicasOf = ({ plan }: Serving) =>
  plan === null
    ? { minReplicas: 1, maxReplicas: 4 }
    : { minReplicas: plan.replicas, maxReplicas: Math.max(4, 2 * plan.replicas) };

const planNote = ({ plan }: Serving): string => (plan === null ? '' : `\n${plan.text}`);

const claimName = ({ model }: Serving): string => `${resourceName(model)}-models`;

const commandOf = ({ image: { builtHere, release }, gpus, asIs }: Serving) =>
  tritonCommand({ builtHere, release, gpus: gpus > 0, asIs, loadAll: true });

const yaml = (note: string, document: unknown): string =>
  `${note
    .split('\n')
    .map((line) => `# ${line}\n`)
    .join('')}${stringify(document, { lineWidth: 0, aliasDuplicateObjects: false })}`;

const probeProgram = `import urllib.request as r; r.urlopen("http://127.0.0.1:${containerPorts.http}${health('ready')}", timeout=3)`;

export function composeFile(serving: Serving): string {
  const { image, gpus, shmSizeMiB } = serving;
  const [program, ...rest] = commandOf(serving);
  const triton = {
    image: image.reference,
    ...(image.keepsEntrypoint ? { command: [program, ...rest] } : { entrypoint: [program], command: rest }),
    environment: envOf(serving),
    working_dir: '/tmp',
    user: `${user}:${user}`,
    read_only: true,
    init: true,
    cap_drop: ['ALL'],
    security_opt: ['no-new-privileges:true'],
    tmpfs: [`/tmp:${gpus > 0 ? 'exec,' : ''}mode=1777,size=4g`],
    shm_size: `${shmSizeMiB}m`,
    ulimits: { stack: 67_108_864, ...(gpus > 0 ? { memlock: -1 } : {}) },
    volumes: [{ type: 'bind', source: './model-repository', target: '/models', read_only: true }],
    ports: ports.map(
      ([name, port]) => `\${TRITON_LISTEN:-127.0.0.1}:\${TRITON_${name.toUpperCase()}_PORT:-${port}}:${port}`,
    ),
    healthcheck: {
      test: ['CMD', 'python3', '-c', probeProgram],
      interval: '10s',
      timeout: '5s',
      retries: 3,
      start_period: `${serving.startup.limitS}s`,
    },
    restart: 'always',
    ...(gpus > 0
      ? {
          deploy: {
            resources: {
              reservations: { devices: [{ driver: 'nvidia', count: gpus, capabilities: ['gpu'] }] },
            },
          },
        }
      : {}),
  };
  const note = image.builtHere
    ? `The image was built by the workbench and is in no registry: push it to yours, or load it with "docker save" and "docker load".\n`
    : '';
  return yaml(
    `${note}Published only on this machine; TRITON_LISTEN=0.0.0.0 opens the ports to all: Triton has no authentication. TRITON_HTTP_PORT, TRITON_GRPC_PORT and TRITON_METRICS_PORT choose other ports.`,
    { services: { triton } },
  );
}

const gibibytes = (bytes: number): string => `${Math.max(1, Math.ceil(bytes / 2 ** 30))}Gi`;

const gpuResources = (gpus: number) => (gpus > 0 ? { 'nvidia.com/gpu': String(gpus) } : {});

/** Same Triton, without any unneeded privilege. */
function podContainer(serving: Serving, name: string) {
  const { image, gpus, shmSizeMiB, repositoryBytes } = serving;
  const [program, ...rest] = commandOf(serving);
  return {
    name,
    image: image.reference,
    ...(image.keepsEntrypoint ? { args: [program, ...rest] } : { command: [program], args: rest }),
    env: Object.entries(envOf(serving)).map(([key, value]) => ({ name: key, value })),
    workingDir: '/tmp',
    resources: {
      // An estimate, not measured: three times the model files, plus shared memory.
      requests: {
        cpu: '1',
        memory: gibibytes(2 ** 30 + 3 * repositoryBytes + shmSizeMiB * 2 ** 20),
        ...gpuResources(gpus),
      },
      ...(gpus > 0 ? { limits: gpuResources(gpus) } : {}),
    },
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    },
    volumeMounts: [
      { name: 'models', mountPath: '/models', readOnly: true },
      { name: 'tmp', mountPath: '/tmp' },
      { name: 'shm', mountPath: '/dev/shm' },
    ],
  };
}

const probe = (name: 'live' | 'ready') => ({ httpGet: { path: health(name), port: containerPorts.http } });
const probesOf = ({ startup }: Serving) => ({
  startupProbe: {
    ...probe('ready'),
    periodSeconds: probePeriodS,
    failureThreshold: startup.limitS / probePeriodS,
  },
  readinessProbe: { ...probe('ready'), periodSeconds: 5, failureThreshold: 3 },
  livenessProbe: { ...probe('live'), periodSeconds: 10, failureThreshold: 3 },
});

const podSettings = (serving: Serving) => ({
  automountServiceAccountToken: false,
  securityContext: {
    runAsNonRoot: true,
    runAsUser: user,
    runAsGroup: user,
    fsGroup: user,
    seccompProfile: { type: 'RuntimeDefault' },
  },
  volumes: [
    { name: 'models', persistentVolumeClaim: { claimName: claimName(serving), readOnly: true } },
    { name: 'tmp', emptyDir: { sizeLimit: '4Gi' } },
    { name: 'shm', emptyDir: { medium: 'Memory', sizeLimit: `${serving.shmSizeMiB}Mi` } },
  ],
});

type Metadata = { readonly name: string; readonly labels: Readonly<Record<string, string>> };

const metadataOf = ({ model }: Serving): Metadata => {
  const name = resourceName(model);
  return { name, labels: { 'app.kubernetes.io/name': 'triton', 'app.kubernetes.io/instance': name } };
};

/** The autoscaler sets the number of pods; a plan also holds without one. */
const deployment = (serving: Serving, metadata: Metadata) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata,
  spec: {
    ...(serving.plan === null ? {} : { replicas: serving.plan.replicas }),
    selector: { matchLabels: metadata.labels },
    template: {
      metadata: { labels: metadata.labels },
      spec: {
        ...podSettings(serving),
        terminationGracePeriodSeconds: 30,
        containers: [
          {
            ...podContainer(serving, 'triton'),
            ports: ports.map(([name, containerPort]) => ({ name, containerPort })),
            ...probesOf(serving),
          },
        ],
      },
    },
  },
});

const service = (metadata: Metadata) => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata,
  spec: {
    type: 'ClusterIP',
    selector: metadata.labels,
    ports: ports.map(([name, port]) => ({ name, port, targetPort: name })),
  },
});

const podMetric = (name: string, averageValue: string) => ({
  type: 'Pods',
  pods: { metric: { name }, target: { type: 'AverageValue', averageValue } },
});

/** A quantity without an exponent: "212500m". */
const quantity = (value: number): string => `${Math.max(1, Math.round(value * 1000))}m`;

const metricsOf = ({ pendingRequests, scaledRate }: Serving) => [
  ...(scaledRate === null ? [] : [podMetric(rateMetric, quantity(scaledRate.value))]),
  ...(pendingRequests === null ? [] : [podMetric(queueMetric, String(pendingRequests))]),
];

/** A rule of prometheus-adapter, which serves no rate of a counter that is not called "_total". */
const adapterRule = [
  `- seriesQuery: 'nv_inference_request_success{namespace!="",pod!=""}'`,
  '  resources: {overrides: {namespace: {resource: namespace}, pod: {resource: pod}}}',
  `  name: {as: ${rateMetric}}`,
  "  metricsQuery: 'sum(rate(<<.Series>>{<<.LabelMatchers>>}[2m])) by (<<.GroupBy>>)'",
];

/** When another pod is started, and what serves the metrics. */
function scalingNote(serving: Serving): string {
  const { pendingRequests, scaledRate, plan } = serving;
  const level = plan === null ? 'best measured level' : 'level that the replicas are planned with';
  return [
    ...(pendingRequests === null
      ? []
      : [
          `Needs an adapter that serves Triton's ${queueMetric} as a metric of pods, such as prometheus-adapter.`,
          `Another pod is started when more requests wait than were in flight at the ${level}.`,
        ]),
    ...(scaledRate === null
      ? []
      : [
          `Another pod is started when the pods answer more than ${scaledRate.text}.`,
          `Needs an adapter that serves this rate as ${rateMetric}, such as prometheus-adapter with the rule`,
          ...adapterRule,
        ]),
  ].join('\n');
}

const autoscaler = (serving: Serving, metadata: Metadata) => ({
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  metadata,
  spec: {
    scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: metadata.name },
    ...replicasOf(serving),
    metrics: metricsOf(serving),
    // Models load slowly: started pods are kept for some minutes.
    behavior: { scaleDown: { stabilizationWindowSeconds: 300 } },
  },
});

const podMonitor = (metadata: Metadata) => ({
  apiVersion: 'monitoring.coreos.com/v1',
  kind: 'PodMonitor',
  metadata,
  spec: {
    selector: { matchLabels: metadata.labels },
    podMetricsEndpoints: [{ port: 'metrics', path: '/metrics', interval: '15s' }],
  },
});

/** A custom predictor: KServe's Triton runtime has neither this image nor these arguments. */
const inferenceService = (serving: Serving, metadata: Metadata) => ({
  apiVersion: 'serving.kserve.io/v1beta1',
  kind: 'InferenceService',
  metadata: { ...metadata, annotations: { 'serving.kserve.io/deploymentMode': 'RawDeployment' } },
  spec: {
    predictor: {
      ...replicasOf(serving),
      ...podSettings(serving),
      containers: [
        {
          ...podContainer(serving, 'kserve-container'),
          ports: [{ name: 'http1', containerPort: containerPorts.http, protocol: 'TCP' }],
          ...probesOf(serving),
        },
      ],
    },
  },
});

export function kubernetesFiles(serving: Serving): Readonly<Record<string, string>> {
  const metadata = metadataOf(serving);
  const claim = `The persistent volume claim ${claimName(serving)} holds the contents of model-repository/.`;
  const isScaled = metricsOf(serving).length > 0;
  const scaled = isScaled ? ['hpa.yaml'] : [];
  return {
    'kubernetes/deployment.yaml': yaml(`${claim}${planNote(serving)}`, deployment(serving, metadata)),
    'kubernetes/service.yaml': yaml('Inside the cluster: Triton has no authentication.', service(metadata)),
    ...(isScaled
      ? {
          'kubernetes/hpa.yaml': yaml(
            `${scalingNote(serving)}${planNote(serving)}`,
            autoscaler(serving, metadata),
          ),
        }
      : {}),
    'kubernetes/podmonitor.yaml': yaml('Needs the Prometheus Operator.', podMonitor(metadata)),
    'kubernetes/prometheusrule.yaml': yaml(
      'Needs the Prometheus Operator. The rules of prometheus/rules.yaml.',
      prometheusRule(serving.watched, metadata),
    ),
    'kubernetes/kustomization.yaml': yaml('kubectl apply -k kubernetes/', {
      apiVersion: 'kustomize.config.k8s.io/v1beta1',
      kind: 'Kustomization',
      resources: ['deployment.yaml', 'service.yaml', ...scaled, 'podmonitor.yaml', 'prometheusrule.yaml'],
    }),
    'kserve/inferenceservice.yaml': yaml(
      `In place of kubernetes/, where KServe is installed. ${claim}${planNote(serving)}`,
      inferenceService(serving, metadata),
    ),
  };
}

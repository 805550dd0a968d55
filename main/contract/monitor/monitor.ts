import { z } from 'zod';
import { tlsFilesSchema } from '../address';
import { hostNameSchema } from '../host/host-name';

/** `gone`: nothing listens, or no answer in time. `starting`: answers, but was not ready yet. */
const serverStates = ['starting', 'up', 'not-ready', 'gone'] as const;
export type ServerState = (typeof serverStates)[number];

/** `failing`: ready according to Triton, but its requests fail. */
const modelStates = ['ready', 'loading', 'unloading', 'unavailable', 'failing'] as const;
export type ModelState = (typeof modelStates)[number];

const markerKinds = [
  'server-gone',
  'server-up',
  'restart',
  'model-loaded',
  'model-unloaded',
  'model-failing',
  'model-recovered',
  'alert',
  'alert-resolved',
] as const;

const monitorMarkerSchema = z.object({
  /** Milliseconds since the epoch. */
  atMs: z.number(),
  kind: z.enum(markerKinds),
  text: z.string(),
});
export type MonitorMarker = z.infer<typeof monitorMarkerSchema>;

const figure = z.number().nullable();

/** Between two polls, from Triton's counters. null: nothing to divide by. */
const modelRatesSchema = z.object({
  requestsPerSecond: z.number(),
  /** Batch items. */
  inferencesPerSecond: z.number(),
  errorShare: figure,
  /** Mean microseconds per successful request. */
  queueUs: figure,
  computeInputUs: figure,
  computeInferUs: figure,
  computeOutputUs: figure,
  /** Batch items per execution. */
  batch: figure,
  cacheHitShare: figure,
});
export type ModelRates = z.infer<typeof modelRatesSchema>;

/** Microseconds from the time the probe was due, over the last minute. */
const probeFiguresSchema = z.object({
  count: z.number(),
  failures: z.number(),
  p50Us: figure,
  p95Us: figure,
  p99Us: figure,
  /** 99th percentile from the send. */
  sendP99Us: figure,
  worstUs: figure,
});
export type ProbeFigures = z.infer<typeof probeFiguresSchema>;

const modelSampleSchema = z.object({
  name: z.string(),
  /** '' where the server does not say. */
  version: z.string(),
  state: z.enum(modelStates),
  reason: z.string().nullable(),
  /** null: counters were reset, or there was no earlier poll. */
  rates: modelRatesSchema.nullable(),
  /** Requests waiting for execution, from the metrics. */
  pending: figure,
  probe: probeFiguresSchema.nullable(),
});
export type ModelSample = z.infer<typeof modelSampleSchema>;

const gpuSampleSchema = z.object({
  uuid: z.string(),
  /** 0 to 1. */
  utilization: figure,
  memoryUsedBytes: figure,
  memoryTotalBytes: figure,
  powerWatts: figure,
  powerLimitWatts: figure,
});
export type GpuSample = z.infer<typeof gpuSampleSchema>;

export const longestPollIntervalMs = 3_600_000;

/** Result of one poll, one per second unless another interval is set. */
export const monitorSampleSchema = z.object({
  /** When the poll was due, milliseconds since the epoch. */
  atMs: z.number(),
  intervalMs: z.number().positive().max(longestPollIntervalMs).default(1000),
  server: z.object({
    state: z.enum(serverStates),
    reason: z.string().nullable(),
    version: z.string().nullable(),
    /** A server that is not Triton, as it calls itself, with its version; absent: Triton. */
    name: z.string().optional(),
    /** Restarts seen since monitoring began. */
    restarts: z.number(),
  }),
  /** Why this second has no figures; null when it has. */
  hole: z.string().nullable(),
  models: z.array(modelSampleSchema),
  gpus: z.array(gpuSampleSchema),
  /** Entries beyond the limits of a sample; absent: none. */
  more: z.object({ models: z.number(), gpus: z.number() }).optional(),
  /** Why there are no Prometheus metrics; null when there are. */
  metricsProblem: z.string().nullable(),
  /** Metrics not used above, by `name{label="value"}`. */
  other: z.record(z.string(), z.number()),
  markers: z.array(monitorMarkerSchema),
  pollMs: z.number(),
});
export type MonitorSample = z.infer<typeof monitorSampleSchema>;

export const alertMetrics = ['probe-p99-ms', 'error-percent', 'queue-ms', 'server', 'model'] as const;
export type AlertMetric = (typeof alertMetrics)[number];

export const alertRuleSchema = z.strictObject({
  id: z.string().min(1).max(64),
  metric: z.enum(alertMetrics),
  /** '' for every model; unused with the metric "server". */
  model: z.string().max(256),
  /** Milliseconds or per cent; unused with "server" and "model", which alert when not up or ready. */
  above: z.number().min(0).max(1e9),
  forSeconds: z.int().min(0).max(86_400),
  enabled: z.boolean(),
});
export type AlertRule = z.infer<typeof alertRuleSchema>;

export const defaultRules: readonly AlertRule[] = [
  { id: 'server', metric: 'server', model: '', above: 0, forSeconds: 2, enabled: true },
  { id: 'model', metric: 'model', model: '', above: 0, forSeconds: 0, enabled: true },
  { id: 'errors', metric: 'error-percent', model: '', above: 1, forSeconds: 10, enabled: true },
  { id: 'queue', metric: 'queue-ms', model: '', above: 100, forSeconds: 10, enabled: false },
  { id: 'p99', metric: 'probe-p99-ms', model: '', above: 500, forSeconds: 10, enabled: false },
];

export interface Alert {
  readonly ruleId: string;
  /** "resnet50/1", or "server". */
  readonly subject: string;
  readonly state: 'pending' | 'firing' | 'resolved';
  /** Start of the condition; of a resolved alert its end. */
  readonly sinceMs: number;
  readonly text: string;
  /** Since when a running server no longer lists the model; absent while it does. */
  readonly missingSinceMs?: number;
}

export const probeSettingsSchema = z.strictObject({
  model: z.string().min(1).max(256),
  /** '' lets the server choose. */
  version: z.string().max(32),
  perSecond: z.number().min(0.1).max(20),
  input: z.enum(['zero', 'random']),
  /** Dimensions of inputs with dynamic ones, without the batch; 1 for those not named. */
  shapes: z.record(z.string(), z.array(z.int().min(1).max(1_000_000)).max(8)),
});
export type ProbeSettings = z.infer<typeof probeSettingsSchema>;

export const monitorTargetSchema = z.strictObject({
  /** HTTP address: http://host:8000. */
  url: z.string().min(1).max(512),
  /** http://host:8002/metrics; '' for that port of the same host. */
  metricsUrl: z.string().max(512),
  /** For https; absent: the system's authorities. */
  tls: tlsFilesSchema.optional(),
  /** Host of the list from which the addresses are reached, by ssh; absent: this machine. */
  host: hostNameSchema.optional(),
});
export type MonitorTarget = z.infer<typeof monitorTargetSchema>;

/** "http://127.0.0.1:8000 on gpu1", or the address. */
export const watchedName = ({ url, host }: Pick<MonitorTarget, 'url' | 'host'>): string =>
  host === undefined ? url : `${url} on ${host}`;

export const replaySpeeds = [1, 10, 60, 600, 0] as const;

/** Target and settings; figures come as `monitor-sample` events. */
export interface MonitorState {
  readonly source:
    | {
        readonly kind: 'live';
        readonly url: string;
        readonly metricsUrl: string;
        readonly host?: string | undefined;
        readonly sinceMs: number;
      }
    | {
        readonly kind: 'replay';
        readonly file: string;
        /** 1: as recorded; 0: as fast as possible. */
        readonly speed: number;
        readonly done: boolean;
        readonly damaged: number;
      }
    | null;
  readonly probe: ProbeSettings | null;
  readonly probeProblem: string | null;
  readonly recording: { readonly file: string; readonly problem: string | null } | null;
  readonly rules: readonly AlertRule[];
  readonly alerts: readonly Alert[];
  readonly recent: readonly MonitorTarget[];
}

export interface RecordingInfo {
  readonly file: string;
  readonly sizeBytes: number;
  /** ISO 8601. */
  readonly changedAt: string;
  /** The server as it was named; null: the head cannot be read. */
  readonly url: string | null;
  /** ISO 8601; null as `url`. */
  readonly startedAt: string | null;
}

export type MonitorEvent =
  | { readonly type: 'monitor-changed'; readonly state: MonitorState }
  | { readonly type: 'monitor-sample'; readonly sample: MonitorSample; readonly alerts: readonly Alert[] }
  /** A model's state between two samples, so that a failing one is seen at once. */
  | {
      readonly type: 'monitor-verdict';
      readonly model: Pick<ModelSample, 'name' | 'version' | 'state' | 'reason'>;
    }
  | { readonly type: 'monitor-cleared' };

/** "Triton 2.51.0", "mlserver 1.7.1"; null: not known yet. */
export const watchedServer = ({ name, version }: MonitorSample['server']): string | null =>
  name ?? (version === null ? null : `Triton ${version}`);

/** "resnet50/1"; the name where no version is known. */
export const modelKey = ({ name, version }: Pick<ModelSample, 'name' | 'version'>): string =>
  version === '' ? name : `${name}/${version}`;

/** Models kept per sample and history; further ones are only counted. */
export const mostModels = 4096;
export const mostGpus = 64;
/** Of the whole history with object overhead; over 1,000 busy models fill it in half an hour. */
export const mostHistoryBytes = 128 * 2 ** 20;
/** Triton's names are folder names of at most 255 bytes; GPUs have 40 characters. */
export const longestName = 256;
/** Per sample; further changes are only counted. */
export const mostSampleMarkers = 200;
export const longestMarkerText = 1000;
export const longestReason = 1000;
/** Of all models of a sample; beyond, each keeps its first words. */
export const mostReasonCharacters = 256 * 1024;
/** Metrics kept unused; a foreign server may have thousands. */
export const mostOthers = 400;
/** Alerts kept; thousands at once say no more than the first. */
export const mostAlerts = 1000;
export const longestAlertText = 300;

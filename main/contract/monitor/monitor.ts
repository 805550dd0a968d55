import { z } from 'zod';
import { tlsFilesSchema } from '../address';
import { hostNameSchema } from '../host/host-name';

/** `gone`: nothing listens there, or no answer came in time. `starting`: answers, but has not been ready yet. */
const serverStates = ['starting', 'up', 'not-ready', 'gone'] as const;
export type ServerState = (typeof serverStates)[number];

/** `failing`: Triton says that it is ready, but its requests fail. */
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

/** Over the time between two polls, from Triton's own counters. null: there was nothing to divide by. */
const modelRatesSchema = z.object({
  /** Successful and failed. */
  requestsPerSecond: z.number(),
  /** Batch items. */
  inferencesPerSecond: z.number(),
  errorShare: figure,
  /** Mean microseconds a successful request. */
  queueUs: figure,
  computeInputUs: figure,
  computeInferUs: figure,
  computeOutputUs: figure,
  /** Batch items an execution. */
  batch: figure,
  cacheHitShare: figure,
});
export type ModelRates = z.infer<typeof modelRatesSchema>;

/** Latencies in microseconds from the time that the probe was due, over the last minute. */
const probeFiguresSchema = z.object({
  count: z.number(),
  failures: z.number(),
  p50Us: figure,
  p95Us: figure,
  p99Us: figure,
  /** 99th percentile from the sending on. */
  sendP99Us: figure,
  /** Slowest that ended in this second. */
  worstUs: figure,
});
export type ProbeFigures = z.infer<typeof probeFiguresSchema>;

const modelSampleSchema = z.object({
  name: z.string(),
  /** '' where the server does not say. */
  version: z.string(),
  state: z.enum(modelStates),
  reason: z.string().nullable(),
  /** null: the counters began anew, or there was no poll before. */
  rates: modelRatesSchema.nullable(),
  /** Requests that wait for execution, as the metrics say. */
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

/** What one poll saw; one a second unless another interval is asked for. */
export const monitorSampleSchema = z.object({
  /** When the poll was due, milliseconds since the epoch. */
  atMs: z.number(),
  /** Milliseconds from one poll to the next. */
  intervalMs: z.number().positive().max(longestPollIntervalMs).default(1000),
  server: z.object({
    state: z.enum(serverStates),
    reason: z.string().nullable(),
    version: z.string().nullable(),
    /** Restarts seen since monitoring began. */
    restarts: z.number(),
  }),
  /** Why this second has no figures; null when it has. Nothing is put in its place. */
  hole: z.string().nullable(),
  models: z.array(modelSampleSchema),
  gpus: z.array(gpuSampleSchema),
  /** What the server lists beyond the limits of a sample; absent when that is nothing. */
  more: z.object({ models: z.number(), gpus: z.number() }).optional(),
  /** Why there are no Prometheus metrics; null when there are. */
  metricsProblem: z.string().nullable(),
  /** Metrics that nothing above is made of, by `name{label="value"}`. */
  other: z.record(z.string(), z.number()),
  markers: z.array(monitorMarkerSchema),
  /** Milliseconds that the poll took. */
  pollMs: z.number(),
});
export type MonitorSample = z.infer<typeof monitorSampleSchema>;

export const alertMetrics = ['probe-p99-ms', 'error-percent', 'queue-ms', 'server', 'model'] as const;
export type AlertMetric = (typeof alertMetrics)[number];

export const alertRuleSchema = z.strictObject({
  id: z.string().min(1).max(64),
  metric: z.enum(alertMetrics),
  /** Name of a model; '' for every one. Nothing to the metric "server". */
  model: z.string().max(256),
  /** Milliseconds or per cent; nothing to "server" and "model", which alert when they are not up or ready. */
  above: z.number().min(0).max(1e9),
  forSeconds: z.int().min(0).max(86_400),
  enabled: z.boolean(),
});
export type AlertRule = z.infer<typeof alertRuleSchema>;

/** Rules that a monitor begins with. */
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
  /** Since when the condition holds; for a resolved one when it ended. */
  readonly sinceMs: number;
  readonly text: string;
  /** Since when a server that is up no longer lists the model; absent while it does. */
  readonly missingSinceMs?: number;
}

export const probeSettingsSchema = z.strictObject({
  model: z.string().min(1).max(256),
  /** '' lets the server choose. */
  version: z.string().max(32),
  perSecond: z.number().min(0.1).max(20),
  input: z.enum(['zero', 'random']),
  /** Dimensions, without the batch, of inputs that have varying ones; 1 for those not named. */
  shapes: z.record(z.string(), z.array(z.int().min(1).max(1_000_000)).max(8)),
});
export type ProbeSettings = z.infer<typeof probeSettingsSchema>;

export const monitorTargetSchema = z.strictObject({
  /** HTTP address: http://host:8000. */
  url: z.string().min(1).max(512),
  /** Address of the metrics, http://host:8002/metrics; '' for that port of the same host. */
  metricsUrl: z.string().max(512),
  /** Of https addresses; absent: what the system trusts. */
  tls: tlsFilesSchema.optional(),
  /** Host of the list of hosts from which the addresses are seen, and which ssh reaches; absent: this machine. */
  host: hostNameSchema.optional(),
});
export type MonitorTarget = z.infer<typeof monitorTargetSchema>;

/** "http://127.0.0.1:8000 on gpu1"; the address where no host sees it. Pure. */
export const watchedName = ({ url, host }: Pick<MonitorTarget, 'url' | 'host'>): string =>
  host === undefined ? url : `${url} on ${host}`;

export const replaySpeeds = [1, 10, 60, 600, 0] as const;

/** What is being watched and how. Figures come by `monitor-sample` events. */
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
        /** 1: as it was recorded; 0: as fast as it goes. */
        readonly speed: number;
        readonly done: boolean;
        /** Damaged lines that were left out. */
        readonly damaged: number;
      }
    | null;
  readonly probe: ProbeSettings | null;
  /** Why no probes are sent although they are asked for. */
  readonly probeProblem: string | null;
  readonly recording: { readonly file: string; readonly problem: string | null } | null;
  readonly rules: readonly AlertRule[];
  readonly alerts: readonly Alert[];
  /** Newest first. */
  readonly recent: readonly MonitorTarget[];
}

export interface RecordingInfo {
  readonly file: string;
  readonly sizeBytes: number;
  /** ISO 8601. */
  readonly changedAt: string;
}

/** Events of the monitor. */
export type MonitorEvent =
  | { readonly type: 'monitor-changed'; readonly state: MonitorState }
  | { readonly type: 'monitor-sample'; readonly sample: MonitorSample; readonly alerts: readonly Alert[] }
  /** A model's state between two samples, so that a failing one is seen at once. */
  | {
      readonly type: 'monitor-verdict';
      readonly model: Pick<ModelSample, 'name' | 'version' | 'state' | 'reason'>;
    }
  /** What has been seen so far belongs to something else. */
  | { readonly type: 'monitor-cleared' };

/** "resnet50/1"; the name alone where no version is known. */
export const modelKey = ({ name, version }: Pick<ModelSample, 'name' | 'version'>): string =>
  version === '' ? name : `${name}/${version}`;

/** Models that a sample and the history hold; a server that lists more has the others counted. */
export const mostModels = 4096;
export const mostGpus = 64;
/** Of the whole history, with the objects around its buffers: more than 1,000 busy models fill in half an hour. */
export const mostHistoryBytes = 128 * 2 ** 20;
/** Triton's names are those of folders, which have at most 255 bytes; GPUs have 40 characters. */
export const longestName = 256;
/** Of one sample; a server that changes more at once has the others counted. */
export const mostSampleMarkers = 200;
export const longestMarkerText = 1000;
/** Why a second or a model has no figures: a server's own words. */
export const longestReason = 1000;
/** Of all models of a sample together; each has its first words also beyond. */
export const mostReasonCharacters = 256 * 1024;
/** Of what the monitor makes nothing of; a foreign server may have thousands. */
export const mostOthers = 400;
/** Alerts that are kept; thousands of models that fail at once say nothing more than the first of them. */
export const mostAlerts = 1000;
export const longestAlertText = 300;

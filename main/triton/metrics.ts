import { type GpuSample, mostOthers } from '../contract/monitor/monitor';

/** A sample of the Prometheus text format. */
interface MetricValue {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Limit; Triton's lines have about a hundred characters. */
const longestLine = 64 * 1024;
/** Label limit; Triton uses up to five. */
const mostLabels = 64;
/** Line limit: 4,096 models with about ten lines each fit. */
const mostLines = 200_000;

const lineForm = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})?[ \t]+(\S+)(?:[ \t]+-?\d+)?[ \t]*$/;
const labelForm = /\s*([a-zA-Z_][a-zA-Z0-9_]*)\s*=\s*"((?:[^"\\]|\\.)*)"\s*(?:,\s*|$)/y;

const unescaped = (text: string): string =>
  text.replace(/\\(.)/g, (_all, character: string) => (character === 'n' ? '\n' : character));

function parseLabels(text: string): Readonly<Record<string, string>> | null {
  const labels: Record<string, string> = {};
  let count = 0;
  labelForm.lastIndex = 0;
  while (labelForm.lastIndex < text.length) {
    const match = labelForm.exec(text);
    count += 1;
    if (match === null || count > mostLabels) return null;
    labels[match[1] ?? ''] = unescaped(match[2] ?? '');
  }
  return labels;
}

/** "+Inf", "-Inf" and "NaN" are Prometheus's; Number() parses the rest. */
function parseValue(text: string): number | null {
  if (/^\+?Inf$/i.test(text)) return Infinity;
  if (/^-Inf$/i.test(text)) return -Infinity;
  if (/^NaN$/i.test(text)) return NaN;
  const value = Number(text);
  return Number.isNaN(value) ? null : value;
}

/** Lazily, because a list would exceed the text's memory. */
function* linesOf(text: string): Generator<string> {
  for (let from = 0; from < text.length;) {
    const end = text.indexOf('\n', from);
    const to = end < 0 ? text.length : end;
    if (to - from <= longestLine) yield text.slice(from, to);
    from = to + 1;
  }
}

/**
 * Parses Prometheus text format 0.0.4 in order. Skips comments, types and unreadable lines, those above 64 KiB or 64
 * labels, and everything after 200,000 lines. Source: prometheus.io, "Exposition formats".
 */
export function* parseMetrics(text: string): Generator<MetricValue> {
  let lines = 0;
  for (const line of linesOf(text)) {
    if ((lines += 1) > mostLines) return;
    const trimmed = line.trim();
    if (trimmed === '' || trimmed.startsWith('#')) continue;
    const match = lineForm.exec(trimmed);
    if (match === null) continue;
    const labels = parseLabels(match[2] ?? '');
    const value = parseValue(match[3] ?? '');
    if (labels !== null && value !== null) yield { name: match[1] ?? '', labels, value };
  }
}

/** GPU fields by metric. Source: Triton's user guide, "Metrics". */
const gpuMetrics: Readonly<Record<string, Exclude<keyof GpuSample, 'uuid'>>> = {
  nv_gpu_utilization: 'utilization',
  nv_gpu_memory_used_bytes: 'memoryUsedBytes',
  nv_gpu_memory_total_bytes: 'memoryTotalBytes',
  nv_gpu_power_usage: 'powerWatts',
  nv_gpu_power_limit: 'powerLimitWatts',
};

/** Also in model statistics, in ns and per version. */
const inStatistics = new Set([
  'nv_inference_request_success',
  'nv_inference_count',
  'nv_inference_exec_count',
  'nv_inference_request_duration_us',
  'nv_inference_queue_duration_us',
  'nv_inference_compute_input_duration_us',
  'nv_inference_compute_infer_duration_us',
  'nv_inference_compute_output_duration_us',
]);

export interface ReadMetrics {
  readonly gpus: readonly GpuSample[];
  /** Queued requests by `name/version`. */
  readonly pending: ReadonlyMap<string, number>;
  readonly other: Readonly<Record<string, number>>;
}

function labelled({ name, labels }: MetricValue): string {
  const pairs = Object.entries(labels).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
  return pairs.length === 0 ? name : `${name}{${pairs.join(',')}}`;
}

/** GPUs, queued requests, and other values. Skips non-finite ones. */
export function readMetrics(values: Iterable<MetricValue>): ReadMetrics {
  const gpus = new Map<string, GpuSample>();
  const pending = new Map<string, number>();
  const other: Record<string, number> = {};
  let others = 0;
  for (const metric of values) {
    const { name, labels, value } = metric;
    if (!Number.isFinite(value) || inStatistics.has(name)) continue;
    const field = Object.hasOwn(gpuMetrics, name) ? gpuMetrics[name] : undefined;
    const uuid = labels['gpu_uuid'];
    if (field !== undefined && uuid !== undefined) {
      const known = gpus.get(uuid) ?? {
        uuid,
        utilization: null,
        memoryUsedBytes: null,
        memoryTotalBytes: null,
        powerWatts: null,
        powerLimitWatts: null,
      };
      gpus.set(uuid, { ...known, [field]: value });
    } else if (name === 'nv_inference_pending_request_count' && labels['model'] !== undefined) {
      pending.set(`${labels['model']}/${labels['version'] ?? ''}`, value);
    } else if (others < mostOthers) {
      others += 1;
      other[labelled(metric)] = value;
    }
  }
  return { gpus: [...gpus.values()], pending, other };
}

import type { GpuSample } from '../contract/monitor';
import { mostOthers } from '../contract/monitor-limits';
import type { MetricValue } from './metrics-text';

/** What of the GPU a metric of Triton tells. Source: Triton's user guide, "Metrics". */
const gpuMetrics: Readonly<Record<string, Exclude<keyof GpuSample, 'uuid'>>> = {
  nv_gpu_utilization: 'utilization',
  nv_gpu_memory_used_bytes: 'memoryUsedBytes',
  nv_gpu_memory_total_bytes: 'memoryTotalBytes',
  nv_gpu_power_usage: 'powerWatts',
  nv_gpu_power_limit: 'powerLimitWatts',
};

/** The same figures come with the model statistics, in nanoseconds and by version. */
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
  /** Requests that wait, by `name/version`. */
  readonly pending: ReadonlyMap<string, number>;
  readonly other: Readonly<Record<string, number>>;
}

function labelled({ name, labels }: MetricValue): string {
  const pairs = Object.entries(labels).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
  return pairs.length === 0 ? name : `${name}{${pairs.join(',')}}`;
}

/** GPUs, waiting requests, and everything else as it came. Values that are no finite number are left out. */
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

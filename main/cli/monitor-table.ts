import type { Alert, GpuSample, ModelSample, MonitorSample } from '../contract/monitor';
import { modelKey } from '../contract/monitor';
import { moreText } from '../contract/more-text';
import {
  formatBytes,
  formatCount,
  formatMeasured,
  formatMs,
  formatRate,
  formatShare,
} from '../contract/numbers';
import { formatTable } from './output';

function modelRow(model: ModelSample): readonly string[] {
  const { rates, pending, probe } = model;
  return [
    modelKey(model),
    model.state,
    formatRate(rates?.requestsPerSecond),
    formatShare(rates?.errorShare),
    formatCount(pending),
    formatMs(rates?.queueUs),
    formatMs(rates?.computeInputUs),
    formatMs(rates?.computeInferUs),
    formatMs(rates?.computeOutputUs),
    formatMeasured(rates?.batch),
    formatMs(probe?.p50Us),
    formatMs(probe?.p95Us),
    formatMs(probe?.p99Us),
  ];
}

const header =
  'model,state,requests/s,errors,pending,queue,input,infer,output,batch,probe p50,probe p95,probe p99'.split(
    ',',
  );

/** With the share of requests that the response cache answered where any model has one. */
function modelTable(models: readonly ModelSample[]): string {
  const cached = models.some(({ rates }) => rates !== null && rates.cacheHitShare !== null);
  if (!cached) return formatTable(header, models.map(modelRow));
  return formatTable(
    [...header, 'cache hits'],
    models.map((model) => [...modelRow(model), formatShare(model.rates?.cacheHitShare)]),
  );
}

function gpuLine(gpu: GpuSample): string {
  return [
    `${gpu.uuid}: ${formatShare(gpu.utilization)}`,
    `${formatBytes(gpu.memoryUsedBytes)} of ${formatBytes(gpu.memoryTotalBytes)}`,
    `${formatCount(gpu.powerWatts)} of ${formatCount(gpu.powerLimitWatts)} W`,
  ].join(', ');
}

/** Rows and lines of a kind that a terminal can show; `--json` has all of them. */
const mostRows = 200;

const rank = { failing: 0, ready: 1, loading: 2, unloading: 2, unavailable: 3 } as const;

/** All of them, or where they are too many those first that need to be seen. */
function shownModels(models: readonly ModelSample[]): readonly ModelSample[] {
  if (models.length <= mostRows) return models;
  return [...models].sort((a, b) => rank[a.state] - rank[b.state]).slice(0, mostRows);
}

function moreLine(count: number, noun: string): readonly string[] {
  const text = moreText(count, noun);
  return text === null ? [] : [text];
}

/** One sample for people; times in milliseconds. */
export function monitorTable(sample: MonitorSample, alerts: readonly Alert[]): string {
  const { server, gpus, more } = sample;
  const models = shownModels(sample.models);
  const active = alerts.filter((alert) => alert.state !== 'resolved');
  const version = server.version === null ? '' : ` Triton ${server.version}`;
  const restarts = server.restarts === 0 ? '' : `, ${server.restarts} restarts seen`;
  const reasons = models.flatMap((model) =>
    model.reason === null || model.state === 'ready' || server.state === 'gone'
      ? []
      : [`${modelKey(model)}: ${model.reason}`],
  );
  return [
    `${new Date(sample.atMs).toISOString().slice(0, 19)}Z${version}: ${server.state}${restarts}`,
    ...(sample.hole === null ? [] : [`  no data: ${sample.hole}`]),
    models.length === 0 ? 'no models' : modelTable(models),
    ...moreLine(sample.models.length - models.length + (more?.models ?? 0), 'model'),
    ...reasons,
    ...gpus.map(gpuLine),
    ...moreLine(more?.gpus ?? 0, 'GPU'),
    ...active
      .slice(0, mostRows)
      .map(
        (alert) => `${alert.state === 'firing' ? 'ALERT' : 'alert pending'} ${alert.subject}: ${alert.text}`,
      ),
    ...moreLine(Math.max(0, active.length - mostRows), 'alert'),
  ].join('\n');
}

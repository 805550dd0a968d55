import { invalidInput, WorkbenchError } from '../../contract/errors';
import { didYouMean } from '../../contract/fields/nearest-name';
import { cellText } from '../../contract/measured/column';
import { modelColumns, tableTitle } from '../../contract/monitor/model-columns';
import {
  type Alert,
  type AlertMetric,
  alertMetrics,
  type AlertRule,
  alertRuleSchema,
  defaultRules,
  type GpuSample,
  modelKey,
  type ModelSample,
  type MonitorSample,
  watchedServer,
} from '../../contract/monitor/monitor';
import { formatBytes, formatCount, formatShare } from '../../contract/numbers';
import { moreText } from '../../contract/words';
import { formatTable } from '../output';
import { readNumber } from '../read-values';

const shownColumns = [
  modelColumns.requestsPerSecond,
  modelColumns.errorShare,
  modelColumns.pending,
  modelColumns.queueUs,
  modelColumns.computeInputUs,
  modelColumns.computeInferUs,
  modelColumns.computeOutputUs,
  modelColumns.batch,
  modelColumns.probeP50Us,
  modelColumns.probeP95Us,
  modelColumns.probeP99Us,
] as const;

/** The cache column appears only if a model uses the response cache. */
function modelTable(models: readonly ModelSample[]): string {
  const cached = models.some((model) => (modelColumns.cacheHitShare.read(model) ?? null) !== null);
  const columns = cached ? [...shownColumns, modelColumns.cacheHitShare] : shownColumns;
  return formatTable(
    ['model', 'state', ...columns.map((column) => tableTitle(column).toLowerCase())],
    models.map((model) => [
      modelKey(model),
      model.state,
      ...columns.map((column) => cellText(column, model)),
    ]),
  );
}

function gpuLine(gpu: GpuSample): string {
  return [
    `${gpu.uuid}: ${formatShare(gpu.utilization)}`,
    `${formatBytes(gpu.memoryUsedBytes)} of ${formatBytes(gpu.memoryTotalBytes)}`,
    `${formatCount(gpu.powerWatts)} of ${formatCount(gpu.powerLimitWatts)} W`,
  ].join(', ');
}

/** Terminal limit of rows per table; `--json` has all. */
const mostRows = 200;

const rank = { failing: 0, ready: 1, loading: 2, unloading: 2, unavailable: 3 } as const;

/** All models, or those that need attention first if there are too many. */
function shownModels(models: readonly ModelSample[]): readonly ModelSample[] {
  if (models.length <= mostRows) return models;
  return [...models].sort((a, b) => rank[a.state] - rank[b.state]).slice(0, mostRows);
}

function moreLine(count: number, noun: string): readonly string[] {
  const text = moreText(count, noun);
  return text === null ? [] : [text];
}

/** "2026-11-30T22:43:28Z". */
export const secondText = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;

/** Times in milliseconds. */
export function monitorTable(sample: MonitorSample, alerts: readonly Alert[]): string {
  const { server, gpus, more } = sample;
  const models = shownModels(sample.models);
  const active = alerts.filter((alert) => alert.state !== 'resolved');
  const title = watchedServer(server);
  const version = title === null ? '' : ` ${title}`;
  const restarts = server.restarts === 0 ? '' : `, ${server.restarts} restarts seen`;
  const reasons = models.flatMap((model) =>
    model.reason === null || model.state === 'ready' || server.state === 'gone'
      ? []
      : [`${modelKey(model)}: ${model.reason}`],
  );
  return [
    `${secondText(sample.atMs)}${version}: ${server.state}${restarts}${models.length === 0 ? '' : '; times in ms'}`,
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

const flag = '--alert';
const example = 'For example --alert queue-ms=5, or --alert queue-ms=5:30 if it must hold for 30 s.';

/** Default duration in seconds for which a condition has to hold. */
const usualSeconds = (metric: AlertMetric): number =>
  defaultRules.find((rule) => rule.metric === metric)?.forSeconds ?? 0;

export interface AlertOptions {
  readonly alert?: readonly string[];
  readonly alertModel?: string;
}

const invalid = (message: string, remedy = example) =>
  new WorkbenchError('input-invalid', message, { where: flag, remedy });

function readLimit(metric: AlertMetric, text: string | undefined): number {
  if (metric === 'server' || metric === 'model') {
    if (text === undefined) return 0;
    throw invalid(
      `"${metric}" takes no limit: it alerts when the ${metric} is not ${metric === 'server' ? 'up' : 'ready'}`,
      `For example --alert ${metric}, or --alert ${metric}:30 if it must hold for 30 s.`,
    );
  }
  if (text === undefined) throw invalid(`"${metric}" needs a limit`);
  return readNumber(flag, text);
}

function readRule(text: string, index: number, model: string): AlertRule {
  const [, name = '', limit, seconds] = /^([^=:]*)(?:=([^:]*))?(?::(.*))?$/s.exec(text) ?? [];
  const metric = alertMetrics.find((known) => known === name);
  if (metric === undefined) {
    throw invalid(`"${name}" is not one of ${alertMetrics.join(', ')}${didYouMean(name, alertMetrics)}`);
  }
  const parsed = alertRuleSchema.safeParse({
    id: `${metric}-${index + 1}`,
    metric,
    model,
    above: readLimit(metric, limit),
    forSeconds: seconds === undefined ? usualSeconds(metric) : readNumber(flag, seconds),
    enabled: true,
  });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw invalid(`"${text}": ${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'not valid'}`);
}

/** A missing server or model has no figures, which would satisfy any limit: these rules accompany each limit. */
const presence: readonly AlertMetric[] = ['server', 'model'];

const noFigure: Readonly<Record<Exclude<AlertMetric, 'server' | 'model'>, string>> = {
  'probe-p99-ms': 'no probe was answered',
  'error-percent': 'no requests were counted',
  'queue-ms': 'no requests were counted',
};

/** One line per rule that never had a figure to judge. @param probeProblem why no probes were sent, or were refused. */
export const unjudgedLines = (rules: readonly AlertRule[], probeProblem: string | null): readonly string[] =>
  rules.flatMap(({ metric, above, model }) => {
    if (metric === 'server' || metric === 'model') return [];
    const why = metric === 'probe-p99-ms' && probeProblem !== null ? `: ${probeProblem}` : '';
    const of = model === '' ? '' : ` of ${model}`;
    return [`Not judged: ${metric}=${above}${of}: ${noFigure[metric]}${why}`];
  });

/** The rules of the command line with the presence rules; null without any. Throws input-invalid. */
export function readAlerts(
  options: AlertOptions & { readonly probe?: string; readonly replay?: string },
): readonly AlertRule[] | null {
  const { alert, alertModel, probe, replay } = options;
  if (alert === undefined) {
    if (alertModel === undefined) return null;
    throw invalidInput('--alert-model', '--alert-model needs at least one --alert', example);
  }
  const rules = alert.map((text, index) => readRule(text, index, alertModel ?? ''));
  if (probe === undefined && replay === undefined && rules.some(({ metric }) => metric === 'probe-p99-ms')) {
    throw invalid(
      '"probe-p99-ms" requires probes, and none are sent',
      'Add --probe MODEL, or remove the alert.',
    );
  }
  const probed = probe?.replace(/:[\d.]+$/, '');
  if (
    probed !== undefined &&
    alertModel !== undefined &&
    probed !== alertModel &&
    rules.some(({ metric }) => metric === 'probe-p99-ms')
  ) {
    throw new WorkbenchError(
      'input-invalid',
      `The probes are for ${probed}, but the alerts are for ${alertModel}`,
      {
        where: '--alert-model',
        remedy: `Use --alert-model ${probed}, or remove it.`,
      },
    );
  }
  const kept = defaultRules.filter(
    ({ metric }) => presence.includes(metric) && !rules.some((rule) => rule.metric === metric),
  );
  return [...kept.map((rule) => ({ ...rule, model: alertModel ?? '' })), ...rules];
}

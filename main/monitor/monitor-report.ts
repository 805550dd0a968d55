import { valueText } from '../contract/measured/column';
import {
  chartFactor,
  modelColumns,
  type ModelField,
  tableHeading,
  tableTitle,
} from '../contract/monitor/model-columns';
import {
  type Alert,
  type AlertRule,
  modelKey,
  type MonitorMarker,
  type MonitorSample,
  mostGpus,
} from '../contract/monitor/monitor';
import type { MonitorHistory, SeriesField } from '../contract/monitor/monitor-history';
import { formatBytes, formatCount, formatShare } from '../contract/numbers';
import { moreText } from '../contract/words';
import { okabeIto } from '../domain/measured/chart-lines';
import {
  isOnlyAnswer,
  type LatencyAnswer,
  latencyAnswer,
  latencyAnswers,
  modelOf,
  p99LimitMs,
  ruleText,
} from '../domain/monitor/probe-latency';
import { hasPart, htmlPage, pageMarksOf, reportHead, unbroken } from '../reports/html/frame';
import { type Markup, markup } from '../reports/html/markup';
import type { StoredReportSettings } from '../reports/report-settings';
import { type Drawing, figures, type ReportLine } from './monitor-charts';

/** Statistics of the stored seconds. @param weight per second; default equal */
function summaryOf(
  history: MonitorHistory,
  key: string,
  field: SeriesField,
  weight?: (index: number) => number,
) {
  const span = history.span();
  if (span === null) return { mean: null, max: null };
  let sum = 0;
  let weights = 0;
  let max = -Infinity;
  for (const [index, value] of history.series(key, field, span.fromMs, span.toMs).values.entries()) {
    const heavy = weight === undefined ? 1 : weight(index);
    if (Number.isNaN(value) || !(heavy > 0)) continue;
    sum += value * heavy;
    weights += heavy;
    if (value > max) max = value;
  }
  return weights === 0 ? { mean: null, max: null } : { mean: sum / weights, max };
}

const prefix = 'gpu:';
const gib = 1 / 2 ** 30;
const mostCharts = 12;

function gpuRow(history: MonitorHistory, key: string): Markup {
  const figures: readonly (readonly [SeriesField, 'mean' | 'max', (value: number | null) => string])[] = [
    ['utilization', 'mean', formatShare],
    ['utilization', 'max', formatShare],
    ['memoryUsedBytes', 'mean', formatBytes],
    ['memoryUsedBytes', 'max', formatBytes],
    ['memoryTotalBytes', 'max', formatBytes],
    ['powerWatts', 'mean', formatCount],
    ['powerWatts', 'max', formatCount],
    ['powerLimitWatts', 'max', formatCount],
  ];
  const cells = figures.map(
    ([field, of, text]) => markup`<td class="n">${text(summaryOf(history, key, field)[of])}</td>`,
  );
  return markup`<tr><td>${key.slice(prefix.length)}</td>${cells}</tr>`;
}

function gpuCharts(history: MonitorHistory, key: string, index: number): Markup {
  const span = history.span();
  if (span === null) return markup``;
  const chart = (field: SeriesField, title: string, unit: string, color: string, factor: number): Drawing => {
    const series = history.series(key, field, span.fromMs, span.toMs);
    return {
      ...{ id: `${field}${index}`, title, unit },
      lines: [{ name: title.toLowerCase(), color, factor, series }],
    };
  };
  return figures(key.slice(prefix.length), [
    chart('utilization', 'Utilization', '%', okabeIto.blue, 100),
    chart('memoryUsedBytes', 'Memory used', 'GiB', okabeIto.green, gib),
    chart('powerWatts', 'Power', 'W', okabeIto.orange, 1),
  ]);
}

/** GPU utilization, memory and power; empty without GPUs. */
export function gpuSection(history: MonitorHistory): Markup {
  const known = history.keys().filter((key) => key.startsWith(prefix));
  const keys = known.slice(0, mostGpus);
  const more = moreText(known.length - keys.length + (history.latest()?.more?.gpus ?? 0), 'GPU');
  if (keys.length === 0) return markup``;
  return markup`<h2>GPUs</h2><table><thead><tr><th>GPU</th><th class="n">Utilization, mean</th><th class="n">max</th><th class="n">Memory, mean</th><th class="n">max</th><th class="n">total</th><th class="n">Power, W, mean</th><th class="n">max</th><th class="n">limit</th></tr></thead><tbody>${keys.map(
    (key) => gpuRow(history, key),
  )}</tbody></table>
${more === null ? markup`` : markup`<p class="soft">${more}</p>`}
${keys.slice(0, mostCharts).map((key, index) => gpuCharts(history, key, index))}`;
}

const mostMarkers = 100;
/** Of more, the table has the highest p99. */
const mostAnswers = 12;
/** The CSV has all rows. */
const mostRows = 500;

const time = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} UTC`;

/** Requests, successes and executions per second. */
function requestsOf(history: MonitorHistory, key: string) {
  const span = history.span();
  const values = (field: SeriesField) =>
    span === null ? [] : history.series(key, field, span.fromMs, span.toMs).values;
  const rates = values('requestsPerSecond');
  const errors = values('errorShare');
  const sent = (index: number): number => rates[index] ?? 0;
  const share = (index: number): number => errors[index] ?? NaN;
  const answered = (index: number): number =>
    Number.isNaN(share(index)) ? sent(index) : sent(index) * (1 - share(index));
  const inferences = values('inferencesPerSecond');
  const batches = values('batch');
  const executed = (index: number): number => (inferences[index] ?? 0) / (batches[index] ?? NaN);
  return { sent, answered, executed };
}

type ModelFigure = readonly [field: ModelField, of: 'mean' | 'max', heading: string];

const { requestsPerSecond, probeP99Us } = modelColumns;
const modelFigures: readonly ModelFigure[] = [
  ['requestsPerSecond', 'mean', `${tableTitle(requestsPerSecond)}, mean`],
  ['requestsPerSecond', 'max', 'max'],
  ...(['errorShare', 'queueUs', 'computeInferUs', 'batch'] as const).map((field): ModelFigure => [
    field,
    'mean',
    tableHeading(modelColumns[field]),
  ]),
  ['probeP99Us', 'max', `${tableTitle(probeP99Us)} max (${probeP99Us.unit})`],
];

function modelRow(history: MonitorHistory, key: string): Markup {
  const series = `model:${key}`;
  const { sent, answered, executed } = requestsOf(history, series);
  // Weighted by requests or executions, because seconds differ in load.
  const weights: Partial<Record<ModelField, (index: number) => number>> = {
    errorShare: sent,
    queueUs: answered,
    computeInferUs: answered,
    batch: executed,
  };
  const cells = modelFigures.map(([field, of]) => {
    const value = summaryOf(history, series, field, weights[field])[of];
    return markup`<td class="n">${valueText(modelColumns[field], value)}</td>`;
  });
  return markup`<tr><td>${key}</td>${cells}</tr>`;
}

const hasFigures = ({ series }: ReportLine): boolean => series.values.some((value) => !Number.isNaN(value));

function charts(history: MonitorHistory, key: string, index: number, rules: readonly AlertRule[]): Markup {
  const span = history.span();
  if (span === null) return markup``;
  const line = (field: ModelField, color: string, name = modelColumns[field].title.toLowerCase()) => ({
    name,
    color,
    factor: chartFactor(modelColumns[field]),
    series: history.series(`model:${key}`, field, span.fromMs, span.toMs),
  });
  const { title, unit } = requestsPerSecond;
  const probes = [
    line('probeP50Us', okabeIto.sky),
    line('probeP95Us', okabeIto.orange),
    line('probeP99Us', okabeIto.vermillion),
  ];
  const drawings: readonly Drawing[] = [
    { id: `rate${index}`, title, unit, lines: [line('requestsPerSecond', okabeIto.blue, unit)] },
    {
      ...{ id: `latency${index}`, title: 'Server time per request (mean)', unit: 'ms' },
      lines: [
        line('queueUs', okabeIto.orange),
        line('computeInferUs', okabeIto.blue),
        line('computeInputUs', okabeIto.sky),
        line('computeOutputUs', okabeIto.green),
      ],
    },
    {
      ...{ id: `probe${index}`, title: 'Probes, last minute', unit: 'ms', lines: probes },
      limit: p99LimitMs(rules, modelOf(key)),
    },
    {
      ...{ id: `batch${index}`, title: modelColumns.batch.title, unit: modelColumns.batch.unit },
      lines: [line('batch', okabeIto.purple)],
    },
  ];
  // A model that is not loaded has no figures, one without requests only their rate.
  const drawn = drawings.filter(({ lines }) => lines.some(hasFigures));
  return drawn.length === 0 ? markup`` : figures(key, drawn);
}

const answerSection = (answers: readonly LatencyAnswer[]): Markup | null =>
  answers.length === 0 || isOnlyAnswer(answers)
    ? null
    : markup`<h2>Was the latency within its limit?</h2>${answers.slice(0, mostAnswers).map(({ sentence }) => markup`<p>${unbroken(sentence)}</p>`)}`;

function serverText(latest: MonitorSample | null): string {
  if (latest === null) return 'No sample';
  const { state, reason, restarts } = latest.server;
  return `Server ${state}${reason === null ? '' : `: ${reason}`}; ${restarts} restarts seen.`;
}

/** What was watched for, and how often it was found. */
function ruleSection(rules: readonly AlertRule[], history: MonitorHistory): Markup {
  const span = history.span();
  const markers = span === null ? [] : history.markers(span.fromMs, span.toMs + 999);
  const fired = markers.filter(({ kind }) => kind === 'alert').length;
  const rows = rules.map(
    (rule) => markup`<tr><td>${ruleText(rule)}</td><td>${rule.enabled ? 'on' : 'off'}</td></tr>`,
  );
  return markup`<h2>Alert rules</h2><p class="lead">${fired === 0 ? 'No alert fired.' : fired === 1 ? 'One alert fired.' : `${formatCount(fired)} alerts fired.`}</p>${
    rules.length === 0
      ? markup``
      : markup`<table><thead><tr><th>Rule</th><th>State</th></tr></thead><tbody>${rows}</tbody></table>`
  }`;
}

const eventSection = (seen: readonly MonitorMarker[]): Markup =>
  seen.length === 0
    ? markup`<p class="key">No events.</p>`
    : markup`<h2>Events</h2><table><tbody>${seen.map((marker) => markup`<tr><td>${time(marker.atMs)}</td><td>${marker.text}</td></tr>`)}</tbody></table>`;

/** A self-contained HTML file; also printed as PDF. */
export function monitorReport(input: {
  readonly source: string;
  readonly history: MonitorHistory;
  readonly alerts: readonly Alert[];
  readonly rules: readonly AlertRule[];
  readonly settings: StoredReportSettings;
}): string {
  const { source, history, alerts, rules, settings } = input;
  const span = history.span();
  const latest: MonitorSample | null = history.latest();
  const states = new Map((latest?.models ?? []).map((model) => [modelKey(model), model]));
  const known = history
    .keys()
    .filter((key) => key.startsWith('model:'))
    .map((key) => key.slice('model:'.length));
  // Present models first.
  const keys =
    known.length <= mostRows
      ? known
      : [...known.filter((key) => states.has(key)), ...known.filter((key) => !states.has(key))].slice(
          0,
          mostRows,
        );
  const more = moreText(known.length - keys.length + (latest?.more?.models ?? 0), 'model');
  const seen = span === null ? [] : history.markers(span.fromMs, span.toMs + 999).slice(-mostMarkers);
  const answers = latencyAnswers(history, keys, rules, time);
  const answer = latencyAnswer(answers);
  const server = serverText(latest);
  const head = reportHead(settings, {
    kind: 'monitoring report',
    title: source,
    lines: [
      span === null ? 'Nothing was seen.' : `${time(span.fromMs)} to ${time(span.toMs)}`,
      ...(answer === null ? [] : [server]),
    ],
    verdict: answer ?? server,
  });
  const results = markup`<h2>Models</h2><table><thead><tr><th>Model</th>${modelFigures.map(([, , heading]) => markup`<th class="n">${heading}</th>`)}</tr></thead><tbody>${keys.map(
    (key) => modelRow(history, key),
  )}</tbody></table>
${more === null ? markup`` : markup`<p class="soft">${more}</p>`}
<p class="key">${keys.map((key) => `${key}: ${states.get(key)?.state ?? 'not there any more'}. `)}</p>
${keys.slice(0, 12).map((key, index) => charts(history, key, index, rules))}
${gpuSection(history)}`;
  const body = markup`${head}
${alerts
  .filter((alert) => alert.state !== 'pending')
  .map(
    (alert) =>
      markup`<div class="problem ${alert.state === 'firing' ? 'bad' : 'neutral'}"><p><strong>Alert ${alert.state}</strong> ${alert.subject}: ${alert.text}, since ${time(alert.sinceMs)}</p></div>`,
  )}
${answerSection(answers)}
${hasPart(settings, 'results') ? results : null}
${
  hasPart(settings, 'record')
    ? markup`${ruleSection(rules, history)}
${eventSection(seen)}`
    : null
}`;
  return htmlPage(pageMarksOf(settings, `Monitoring of ${source}`), body).text;
}

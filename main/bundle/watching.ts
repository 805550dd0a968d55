import { stringify } from 'yaml';
import type { PromisedLoad } from '../contract/measured/promised-load';
import { latencyIntervalUs, type LoadPoint } from '../contract/measured/results';
import { formatMs, formatRate } from '../contract/numbers';
import { levelText } from '../contract/words';
import { queueMetric, resourceName } from './names';

/** A largest value, and where it comes from. */
interface Threshold {
  readonly value: number;
  readonly text: string;
}

/** What is watched of a model that serves. */
export interface Watched {
  readonly model: string;
  /** Requests that may wait in one Triton; null: not known. */
  readonly pendingRequests: number | null;
  /** Requests per second of one Triton; null: no search promises a rate. */
  readonly rate: Threshold | null;
  /** Microseconds on the server; null: nothing was measured. */
  readonly meanUs: Threshold | null;
  /** Of the percentile, microseconds on the server; null: nothing was measured or promised. */
  readonly tailUs: (Threshold & { readonly percentile: number }) | null;
  /** Per cent of the requests. */
  readonly errorPercentage: number;
  readonly gpus: number;
}

/** Above what was measured, before somebody is called. */
const allowance = 0.25;

const measuredText = (what: string, us: number, point: LoadPoint): string =>
  `measured ${what} ${formatMs(us)} ms at ${levelText(point)}, and a quarter more`;

/** What a level is to keep, and who says so. */
interface LatencyTarget {
  readonly percentile: number;
  readonly latencyUs: number;
  /** "the search night"; null: the plan of the replicas. */
  readonly by: string | null;
}

/** That of the plan, else that of the search; null: neither has one. */
export function targetOf(planMs: number | null, promised: PromisedLoad | null): LatencyTarget | null {
  if (planMs !== null) return { percentile: 99, latencyUs: planMs * 1000, by: null };
  const { percentile = 99, latencyUs = null, search = '' } = promised ?? {};
  return latencyUs === null ? null : { percentile, latencyUs, by: `the search ${search}` };
}

/** @param target null: the measured p99 with its interval and the allowance */
export function latencyThresholds(
  point: LoadPoint | null,
  target: LatencyTarget | null,
): Pick<Watched, 'meanUs' | 'tailUs'> {
  const parts = [
    point?.serverQueueUs,
    point?.serverComputeInputUs,
    point?.serverComputeInferUs,
    point?.serverComputeOutputUs,
  ].map((part) => part ?? null);
  const known = parts.filter((part) => part !== null);
  const meanUs = known.length < parts.length ? 0 : known.reduce((sum, part) => sum + part, 0);
  const measured = (us: number, what: string, of: LoadPoint): Threshold => ({
    value: Math.ceil(us * (1 + allowance)),
    text: measuredText(what, us, of),
  });
  const tail = (): Watched['tailUs'] => {
    if (target !== null) {
      const { percentile, latencyUs, by } = target;
      const of = by === null ? '' : ` of ${by}`;
      return { percentile, value: latencyUs, text: `target${of} of ${formatMs(latencyUs)} ms` };
    }
    if (point === null) return null;
    const us = point.p99Us + (latencyIntervalUs(point, 'p99Us') ?? 0);
    return { percentile: 99, ...measured(us, 'p99', point) };
  };
  return {
    meanUs: point === null || meanUs === 0 ? null : measured(meanUs, 'mean on the server', point),
    tailUs: tail(),
  };
}

/** What one Triton was measured to hold, requests per second; null: nothing promises a rate. */
export function rateThreshold(promised: PromisedLoad | null): Watched['rate'] {
  const { requestsPerSecond = null, search = '' } = promised ?? {};
  return requestsPerSecond === null
    ? null
    : {
        value: requestsPerSecond,
        text: `the search ${search} measured that one replica holds ${formatRate(requestsPerSecond)} requests/s`,
      };
}

const of = ({ model }: Watched, more = ''): string => `{model=${JSON.stringify(model)}${more}}`;
const perSecond = (watched: Watched, name: string, over: string): string =>
  `sum without (version, reason) (rate(nv_inference_${name}${of(watched)}[${over}]))`;

const percentileOf = ({ tailUs }: Watched): number => tailUs?.percentile ?? 99;

/** PromQL of what rules and dashboard show; each is of one Triton, all versions of the model together. */
const queries = (watched: Watched, over: string) => ({
  waiting: `sum without (version) (avg_over_time(${queueMetric}${of(watched)}[${over}]))`,
  mean: `${perSecond(watched, 'request_duration_us', over)} / ${perSecond(watched, 'request_success', over)}`,
  tail: `max without (version) (nv_inference_request_summary_us${of(watched, `,quantile="${percentileOf(watched) / 100}"`)})`,
  requests: perSecond(watched, 'request_success', over),
  failures: perSecond(watched, 'request_failure', over),
  failedShare: `100 * ${perSecond(watched, 'request_failure', over)} / (${perSecond(watched, 'request_failure', over)} + ${perSecond(watched, 'request_success', over)})`,
  batch: `${perSecond(watched, 'count', over)} / ${perSecond(watched, 'exec_count', over)}`,
  part: (name: string) =>
    `${perSecond(watched, `${name}_duration_us`, over)} / ${perSecond(watched, 'request_success', over)}`,
  memory: `(nv_gpu_memory_used_bytes / nv_gpu_memory_total_bytes) and on (instance) nv_inference_request_success${of(watched)}`,
  reasons: `sum by (reason) (rate(nv_inference_request_failure${of(watched)}[${over}]))`,
  restarts: `sum without (version) (resets(nv_inference_request_success${of(watched)}[15m]))`,
});

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: { readonly severity: 'page' | 'ticket' };
  readonly annotations: { readonly summary: string; readonly description: string };
}

const rule = (
  [alert, severity, expr, lasts]: readonly [string, 'page' | 'ticket', string, string?],
  summary: string,
  description: string,
): Rule => ({
  ...{ alert, expr, ...(lasts === undefined ? {} : { for: lasts }) },
  ...{ labels: { severity }, annotations: { summary, description } },
});

/** Waiting work first: it rises before the latency does. */
function rulesOf(watched: Watched): readonly Rule[] {
  const { model, pendingRequests, rate, meanUs, tailUs, errorPercentage, gpus } = watched;
  const of1m = queries(watched, '1m');
  const of2m = queries(watched, '2m');
  const of5m = queries(watched, '5m');
  return [
    ...(pendingRequests === null
      ? []
      : [
          rule(
            ['TritonRequestsWait', 'page', `${of1m.waiting} > ${pendingRequests}`, '1m'],
            `Requests of ${model} are waiting`,
            `More than ${pendingRequests} wait in one Triton: as many as were in flight at the level that was measured. Serve more replicas.`,
          ),
        ]),
    ...(tailUs === null
      ? []
      : [
          rule(
            [`TritonLatencyP${tailUs.percentile}`, 'page', `${of2m.tail} > ${tailUs.value}`, '2m'],
            `p${tailUs.percentile} of ${model} is above its limit`,
            `The limit is ${formatMs(tailUs.value)} ms: ${tailUs.text}. Only with --metrics-config summary_latencies=true.`,
          ),
        ]),
    ...(meanUs === null
      ? []
      : [
          rule(
            ['TritonLatencyMean', 'page', `${of2m.mean} > ${meanUs.value}`, '2m'],
            `The mean latency of ${model} is above its limit`,
            `The limit is ${formatMs(meanUs.value)} ms on the server: ${meanUs.text}.`,
          ),
        ]),
    ...(rate === null
      ? []
      : [
          rule(
            ['TritonRateAbovePromise', 'page', `${of2m.requests} > ${rate.value}`, '2m'],
            `The rate of ${model} is above the rate that one replica sustains`,
            `The limit is ${formatRate(rate.value)} requests/s of each Triton: ${rate.text}. Serve more replicas.`,
          ),
        ]),
    rule(
      ['TritonRequestsFail', 'page', `${of5m.failedShare} > ${errorPercentage}`],
      `Requests of ${model} fail`,
      `More than ${errorPercentage} % of the last five minutes. Only failures that Triton counts, without errors that a Python model returns in its responses.`,
    ),
    rule(
      ['TritonModelMissing', 'page', `absent(nv_inference_request_success${of(watched)})`, '2m'],
      `${model} is not served`,
      'No scraped Triton has the model.',
    ),
    rule(
      ['TritonRestarted', 'ticket', `${of5m.restarts} > 0`],
      `Triton restarted and loaded ${model} again`,
      'The first requests after a load are slower, at each batch size.',
    ),
    ...(gpus === 0
      ? []
      : [
          rule(
            ['TritonGpuMemory', 'ticket', `${of5m.memory} > 0.95`, '5m'],
            `A GPU that serves ${model} has less than 5 % of its memory free`,
            'The next load of a model, or a larger batch, may fail.',
          ),
        ]),
  ];
}

const groupsOf = (watched: Watched) => [
  { name: `triton-${resourceName(watched.model)}`, rules: rulesOf(watched) },
];

/** Of Prometheus, and of its operator for Kubernetes. */
export const prometheusRules = (watched: Watched): string =>
  `# Thresholds as in README.md. Check this file with "promtool check rules".\n${stringify({ groups: groupsOf(watched) }, { lineWidth: 0 })}`;

export const prometheusRule = (
  watched: Watched,
  metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> },
): object => ({
  apiVersion: 'monitoring.coreos.com/v1',
  kind: 'PrometheusRule',
  metadata,
  spec: { groups: groupsOf(watched) },
});

interface Series {
  readonly expr: string;
  readonly legend: string;
}

interface PanelInput {
  readonly title: string;
  readonly unit: string;
  readonly series: readonly Series[];
  readonly description?: string;
  /** Drawn as a line. */
  readonly limit?: number | null;
  readonly stacked?: boolean;
}

const datasource = { type: 'prometheus', uid: '${datasource}' };

/** Two in a row. */
function panel(input: PanelInput, at: number) {
  const { title, unit, series, description, limit = null, stacked = false } = input;
  const steps = [
    { color: 'green', value: null },
    ...(limit === null ? [] : [{ color: 'red', value: limit }]),
  ];
  return {
    ...{ id: at + 1, type: 'timeseries', title, datasource, ...(description ? { description } : {}) },
    gridPos: { h: 8, w: 12, x: 12 * (at % 2), y: 8 * Math.floor(at / 2) },
    fieldConfig: {
      defaults: {
        ...{ unit, min: 0, thresholds: { mode: 'absolute', steps } },
        custom: {
          ...{ lineWidth: 1, fillOpacity: stacked ? 30 : 0 },
          stacking: { mode: stacked ? 'normal' : 'none', group: 'A' },
          thresholdsStyle: { mode: limit === null ? 'off' : 'line' },
        },
      },
      overrides: [],
    },
    options: {
      legend: { displayMode: 'list', placement: 'bottom', showLegend: true, calcs: [] },
      tooltip: { mode: 'multi', sort: 'desc' },
    },
    targets: series.map(({ expr, legend }, index) => ({
      ...{ refId: String.fromCodePoint(65 + index), datasource, expr, legendFormat: legend },
    })),
  };
}

const parts = [
  ['queue', 'queue'],
  ['compute_input', 'compute input'],
  ['compute_infer', 'compute infer'],
  ['compute_output', 'compute output'],
] as const;

function panels(watched: Watched): readonly PanelInput[] {
  const { pendingRequests, rate, meanUs, tailUs, errorPercentage, gpus } = watched;
  const asked = queries(watched, '$__rate_interval');
  const one = (expr: string, legend = '{{instance}}') => [{ expr, legend }];
  return [
    {
      ...{ title: 'Waiting requests', unit: 'short', series: one(asked.waiting), limit: pendingRequests },
      description: 'Rises before the latency does. Early releases of Triton do not have it.',
    },
    {
      ...{ title: 'Mean latency on the server', unit: 'µs', series: one(asked.mean) },
      limit: meanUs?.value ?? null,
    },
    {
      ...{ title: `p${percentileOf(watched)} on the server`, unit: 'µs', series: one(asked.tail) },
      limit: tailUs?.value ?? null,
      description: 'Only with --metrics-config summary_latencies=true.',
    },
    {
      ...{ title: 'Where the time goes', unit: 'µs', stacked: true },
      series: parts.map(([name, legend]) => ({ expr: `avg(${asked.part(name)})`, legend })),
    },
    { title: 'Requests', unit: 'reqps', series: one(asked.requests), limit: rate?.value ?? null },
    { title: 'Failed requests', unit: 'percent', series: one(asked.failedShare), limit: errorPercentage },
    { title: 'Mean executed batch size', unit: 'short', series: one(asked.batch) },
    {
      ...{ title: 'Failed requests by reason', unit: 'reqps', series: one(asked.reasons, '{{reason}}') },
      description: 'REJECTED: a request waited longer than the queue policy allows.',
    },
    ...(gpus === 0
      ? []
      : [
          {
            title: 'GPU utilization',
            unit: 'percentunit',
            series: one('nv_gpu_utilization', '{{gpu_uuid}}'),
          },
          {
            ...{ title: 'GPU memory', unit: 'percentunit', limit: 0.95 },
            series: one('nv_gpu_memory_used_bytes / nv_gpu_memory_total_bytes', '{{gpu_uuid}}'),
          },
        ]),
  ];
}

/** A dashboard for Grafana 10 and later, which asks for the data source when it is imported. */
export const grafanaDashboard = (watched: Watched): string =>
  `${JSON.stringify(
    {
      title: `Triton: ${watched.model}`,
      uid: `triton-${resourceName(watched.model)}`.slice(0, 40),
      tags: ['triton'],
      ...{ schemaVersion: 39, version: 1, editable: true, refresh: '10s', timezone: 'browser' },
      time: { from: 'now-1h', to: 'now' },
      templating: {
        list: [{ name: 'datasource', type: 'datasource', query: 'prometheus', label: 'Data source' }],
      },
      annotations: { list: [] },
      panels: panels(watched).map(panel),
    },
    null,
    1,
  )}\n`;

import type { AccuracyResult } from '../contract/measured/results';
import type { Scenario } from '../contract/run/run-events';
import { coldColumns } from '../domain/measured/cold/cold-start';
import { csvOf as csvOfColumns, csvText, type CsvValue, loadCsv, slicesCsv } from './csv';
import type { Exporter, Report } from './report';

const yesNo = (value: boolean): string => (value ? 'yes' : 'no');

type Metric = AccuracyResult['metrics'][number];
type Output = AccuracyResult['outputs'][number];

const difference = ({ framework, triton }: Metric): CsvValue =>
  framework === null || triton === null ? null : Number((triton - framework).toPrecision(12));

const none = (): CsvValue => null;

/** Cells of metrics and outputs. */
const columns: readonly (readonly [
  heading: string,
  ofMetric: (metric: Metric, result: AccuracyResult) => CsvValue,
  ofOutput: (output: Output) => CsvValue,
])[] = [
  ['Kind', () => 'metric', () => 'output'],
  ['Name', ({ name }) => name, ({ output }) => output],
  ['Framework', ({ framework }) => framework, none],
  ['Triton', ({ triton }) => triton, none],
  ['Difference', difference, none],
  ['Threshold', ({ threshold }) => threshold, none],
  ['Max Abs Difference', none, ({ maxAbsDiff }) => maxAbsDiff],
  ['Max Rel Difference', none, ({ maxRelDiff }) => maxRelDiff],
  ['Atol', none, ({ atol }) => atol],
  ['Rtol', none, ({ rtol }) => rtol],
  ['NaN Count', none, ({ nanCount }) => nanCount],
  ['Inf Count', none, ({ infCount }) => infCount],
  ['Worst Sample', none, ({ worstSample }) => worstSample],
  ['Sample Count', (_metric, { sampleCount }) => sampleCount, ({ sampleCount }) => sampleCount],
  ['Vacuous Tolerance', none, ({ vacuous }) => yesNo(vacuous)],
  ['Passed', ({ passed }) => yesNo(passed), ({ passed }) => yesNo(passed)],
  ['Better', ({ better = 'higher' }) => better, none],
  ['Other Lengths', none, ({ otherLengths = null }) => otherLengths],
  ['Allowance Share', none, ({ allowanceShare = null }) => allowanceShare],
];

const headings = columns.map(([heading]) => heading);

const accuracyRows = (result: AccuracyResult): CsvValue[][] => [
  ...result.metrics.map((metric) => columns.map(([, ofMetric]) => ofMetric(metric, result))),
  ...result.outputs.map((output) => columns.map(([, , ofOutput]) => ofOutput(output))),
];

/** Rows per metric, then per output; only the header without an accuracy check. */
export const csvAccuracy: Exporter = {
  id: 'csv-accuracy',
  render: ({ state }) => ({
    fileName: 'accuracy.csv',
    content: csvText(headings, state.accuracy === null ? [] : accuracyRows(state.accuracy.result)),
  }),
};

const csvOf = (scenario: Scenario): Exporter => ({
  id: `csv-${scenario}`,
  render: ({ report }) => ({
    fileName: `${scenario}.csv`,
    content: report.scenarios
      .filter(({ id }) => id === scenario)
      .map((own) => loadCsv(own, report.verification))
      .join(''),
  }),
});

export const csvOffline = csvOf('offline');
export const csvOnline = csvOf('online');

const pointsOf = ({ scenarios }: Report) =>
  scenarios.flatMap(({ rows }) => rows.flatMap(({ point }) => point ?? []));

export const csvSlices: Exporter = {
  id: 'csv-slices',
  applies: (report) => pointsOf(report).some(({ timeline }) => timeline !== undefined),
  render: ({ report }) => ({ fileName: 'time-slices.csv', content: slicesCsv(pointsOf(report)) }),
};

/** A row per first request after a load. */
export const csvColdStart: Exporter = {
  id: 'csv-cold-start',
  applies: ({ coldStart }) => coldStart !== null && coldStart.rows.length > 0,
  render: ({ report: { coldStart } }) => ({
    fileName: 'cold-start.csv',
    content: csvOfColumns(coldStart?.columns ?? coldColumns([]), coldStart?.rows ?? []),
  }),
};

const tracedHeadings = [
  ...['Level', 'Model', 'Composing Model', 'Phase', 'Requests', 'Slowest Requests'],
  ...['Median Group us', 'Slowest Group us'],
];

/** A row per part of the traced requests; an empty composing model is the requested one. */
export const csvTraces: Exporter = {
  id: 'csv-traces',
  applies: ({ slow }) => slow.length > 0,
  render: ({ report }) => ({
    fileName: 'slow-requests.csv',
    content: csvText(
      tracedHeadings,
      report.slow.flatMap(({ title, slow }) =>
        slow.flatMap(({ model, requests, slowCount, parts }) =>
          parts.map((part) => [
            ...[title, model, part.model, part.phase, requests, slowCount],
            ...[part.medianUs, part.slowUs],
          ]),
        ),
      ),
    ),
  }),
};

import type { AccuracyResult } from '../contract/measured/results';
import { csvText, type CsvValue, loadCsv } from './csv';
import type { Exporter } from './report';

const headings = [
  'Kind',
  'Name',
  'Framework',
  'Triton',
  'Difference',
  'Threshold',
  'Max Abs Difference',
  'Max Rel Difference',
  'Atol',
  'Rtol',
  'NaN Count',
  'Inf Count',
  'Worst Sample',
  'Sample Count',
  'Vacuous Tolerance',
  'Passed',
  'Better',
  'Other Lengths',
  'Allowance Share',
] as const;

const yesNo = (value: boolean): string => (value ? 'yes' : 'no');

function rows({ metrics, outputs, sampleCount }: AccuracyResult): CsvValue[][] {
  return [
    ...metrics.map(({ name, framework, triton, threshold, better, passed }): CsvValue[] => {
      const difference =
        framework === null || triton === null ? null : Number((triton - framework).toPrecision(12));
      const notOfMetrics = Array<null>(7).fill(null);
      return [
        'metric',
        name,
        framework,
        triton,
        difference,
        threshold,
        ...notOfMetrics,
        sampleCount,
        null,
        yesNo(passed),
        better ?? 'higher',
        null,
        null,
      ];
    }),
    ...outputs.map((output): CsvValue[] => [
      'output',
      output.output,
      null,
      null,
      null,
      null,
      output.maxAbsDiff,
      output.maxRelDiff,
      output.atol,
      output.rtol,
      output.nanCount,
      output.infCount,
      output.worstSample,
      output.sampleCount,
      yesNo(output.vacuous),
      yesNo(output.passed),
      null,
      output.otherLengths ?? null,
      output.allowanceShare ?? null,
    ]),
  ];
}

/** One row a metric, then one row an output; just the header when the gate was not run. */
export const csvAccuracy: Exporter = {
  id: 'csv-accuracy',
  render: ({ state }) => ({
    fileName: 'accuracy.csv',
    content: csvText(headings, state.accuracy === null ? [] : rows(state.accuracy.result)),
  }),
};

export const csvOffline: Exporter = {
  id: 'csv-offline',
  render: ({ report }) => ({
    fileName: 'offline.csv',
    content: report.scenarios
      .filter(({ id }) => id === 'offline')
      .map((scenario) => loadCsv(scenario, report.verification))
      .join(''),
  }),
};

export const csvOnline: Exporter = {
  id: 'csv-online',
  render: ({ report }) => ({
    fileName: 'online.csv',
    content: report.scenarios
      .filter(({ id }) => id === 'online')
      .map((scenario) => loadCsv(scenario, report.verification))
      .join(''),
  }),
};

import { stateWords } from '../../contract/flag-text';
import { exactValue } from '../../contract/measured/column';
import { missing } from '../../contract/numbers';
import { scenarioOf } from '../../contract/run/sweep';
import { type Comparison, comparisonKey, levelsAsText } from '../../domain/comparison/comparison';
import { csvText, type CsvValue } from '../csv';
import { escaped, list, table } from '../markdown.exporter';

export const differencesText = (allKnown: boolean): string =>
  allKnown
    ? 'The specifications are identical. Differences come from the machine or from noise.'
    : 'The parameters of imported runs, and of models served elsewhere, are unknown.';

export function comparisonMarkdown(comparison: Comparison): string {
  const { title, runs, models, best, differences, allKnown, sweeps } = comparison;
  const names = runs.map(({ short }) => short);
  const [baseline = ''] = names;
  return [
    `# ${escaped(title)}`,
    `**${escaped(best.sentence)}**`,
    ...(models === null ? [] : [escaped(models)]),
    '## Runs',
    table(
      ['Run', 'Name', 'Served by', 'Machine', 'Accuracy', 'State', 'Started', 'ID'],
      runs.map((run, index) => [
        ...[
          `${run.short}${index === 0 ? ' (baseline)' : ''}`,
          run.name,
          run.servedBy ?? missing,
          run.machine,
        ],
        ...[run.accuracy, run.status, run.createdAt, run.runId],
      ]),
    ),
    '## Parameters that differ',
    differences.length === 0
      ? differencesText(allKnown)
      : table(
          ['Parameter', ...names],
          differences.map(({ label, values }) => [label, ...values.map((value) => value ?? missing)]),
        ),
    ...sweeps.flatMap((sweep) => {
      const { header, rows } = levelsAsText(sweep, names);
      return [`## ${escaped(sweep.title)}`, list(sweep.sentences), table(header, rows)];
    }),
    ...(sweeps.length === 0 ? ['No level has been measured yet.'] : [escaped(comparisonKey(baseline))]),
  ]
    .filter((part) => part !== '')
    .join('\n\n')
    .concat('\n');
}

const csvHeader = [
  ...['Scenario', 'Load', 'Load Unit', 'Batch', 'Model', 'Run', 'Run ID', 'Baseline'],
  ...['Inferences/Second', 'Inferences/Second +/-', 'Inferences/Second Ratio', 'Inferences/Second Result'],
  ...['p99 latency (ms)', 'p99 latency +/- (ms)', 'p99 Ratio', 'p99 Result'],
  ...[
    'Scheduled p99 latency (ms)',
    'Scheduled p99 latency +/- (ms)',
    'Scheduled p99 Ratio',
    'Scheduled p99 Result',
  ],
  ...['State', 'Accuracy', 'Served By'],
] as const;

/** One row per level and run, unrounded. */
export function comparisonCsv({ runs, sweeps }: Comparison): string {
  const rows = sweeps.flatMap(({ sweep, heading, columns, rows: levels }) => {
    // Open loops have scheduled p99 in the middle.
    const order = columns.length === 3 ? [0, 2, 1] : [0, 1, null];
    return levels.flatMap(({ level, cells }) =>
      level.runs.flatMap((run, index): CsvValue[][] => {
        if (run === null) return [];
        const facts = runs[index];
        const values = order.flatMap((at): CsvValue[] => {
          const cell = at === null ? undefined : cells[at]?.[index];
          const column = at === null ? undefined : columns[at]?.column;
          if (column === undefined || cell === undefined || cell.value === null)
            return [null, null, null, null];
          return [exactValue(column, run.point), cell.value.interval, cell.value.ratio, cell.meaning];
        });
        return [
          [
            ...[scenarioOf(sweep), level.level, heading, level.batchSize, level.model ?? null],
            ...[facts?.short ?? '', facts?.runId ?? '', index === 0 ? 'yes' : 'no'],
            ...values,
            ...[stateWords(run.point), facts?.accuracy ?? '', facts?.servedBy ?? null],
          ],
        ];
      }),
    );
  });
  return csvText(csvHeader, rows);
}

import type { Column } from '../contract/measured/column';
import type { UpgradeStrategy } from '../contract/study/upgrade';
import { duelLevelText } from '../domain/study/duel/duel-answer';
import { questionColumns } from '../domain/study/duel/duel-columns';
import { placeLines } from '../domain/study/place-text';
import type { UpgradeAnswer } from '../domain/study/upgrade/upgrade-answer';
import { upgradeColumns, upgradeOutputColumns } from '../domain/study/upgrade/upgrade-columns';
import { csvOf } from './csv';
import { hasPart, htmlPage, pageMarksOf, reportHead } from './html/frame';
import { columnTable, markup } from './html/markup';
import { escaped, list, markdownTable } from './markdown.exporter';
import type { StoredReportSettings } from './report-settings';
import { withShortPaths } from './short-paths';
import { reportFiles, type StudyFile } from './study-files';
import { formatTime } from './to-report';

interface UpgradeReport {
  readonly name: string;
  /** ISO 8601. */
  readonly generatedAt: string;
  readonly upgrade: UpgradeStrategy;
  readonly answer: UpgradeAnswer;
  readonly settings: StoredReportSettings;
  /** Of the person whose paths are shortened; absent: only the usual places are known. */
  readonly homeFolder?: string | undefined;
}

/** How it was measured, one line each, without a full stop. */
const procedure = ({ upgrade, answer }: UpgradeReport): readonly string[] => [
  ...answer.rows.map(({ side, title }) => `${side}: ${upgrade.title} served with ${title}`),
  `The same files and requests in both; outputs at batch sizes ${upgrade.batchSizes.join(', ')}, each by the rule of the run`,
  `${upgrade.loads} loads of each in turns; first answers are those after a load`,
  `Load: ${duelLevelText(upgrade.level)}, in turns of ${upgrade.lookMs / 1000} s in the order A B B A, B A A B`,
  'Intervals of 95 % of the ratio within pairs, by a confidence sequence (mixture t-test): it may be looked at after each pair',
  ...answer.places.flatMap((place) => placeLines({ place })),
  `${Math.round(answer.seconds)} of ${Math.round(upgrade.budgetS)} s of load were used`,
];

interface Table<Of> {
  readonly title: string;
  readonly columns: readonly Column<Of>[];
  readonly rows: readonly Of[];
}

/** What was read of neither side takes no room. */
function shownTable<Of>({ title, columns, rows }: Table<Of>): Table<Of> {
  return {
    ...{ title, rows },
    columns: columns.filter((column) => rows.some((row) => (column.read(row) ?? null) !== null)),
  };
}

const tablesOf = <Value>(
  { judged, differences, rows, outputs }: UpgradeAnswer,
  draw: <Of>(table: Table<Of>) => Value,
): readonly Value[] => [
  draw(shownTable({ title: 'Serving environments', columns: upgradeColumns, rows })),
  ...(outputs.length === 0
    ? []
    : [draw(shownTable({ title: 'Outputs', columns: upgradeOutputColumns, rows: outputs }))]),
  ...(rows.every(({ looks }) => looks === 0)
    ? []
    : [draw({ title: 'Under load', columns: questionColumns, rows: [...judged, ...differences] })]),
];

const page = (report: UpgradeReport): string => {
  const { name, generatedAt, answer, settings } = report;
  const [sides = null, ...further] = tablesOf(
    answer,
    ({ title, columns, rows }) => markup`<div><h2>${title}</h2>
${columnTable(columns, rows)}</div>`,
  );
  return htmlPage(
    pageMarksOf(settings, `Upgrade ${name}`, true),
    markup`${reportHead(settings, {
      kind: 'upgrade report',
      title: name,
      lines: [`Report of ${formatTime(generatedAt)}`],
      verdict: `${answer.sentence}.`,
    })}
${answer.notes.length === 0 ? null : markup`<ul>${answer.notes.map((line) => markup`<li>${line}.</li>`)}</ul>`}
${
  hasPart(settings, 'results')
    ? markup`${sides}
${further.length === 0 ? null : markup`<div class="pair">${further}</div>`}`
    : null
}
${
  hasPart(settings, 'record')
    ? markup`<h2>Procedure</h2>
<ul class="procedure">${procedure(report).map((line) => markup`<li>${line}.</li>`)}</ul>`
    : null
}`,
    '.matrix { margin-top: 3mm; }',
  ).text;
};

function markdown(report: UpgradeReport): string {
  const { name, answer } = report;
  return [
    `# Upgrade ${name}`,
    `**${escaped(answer.sentence)}.**`,
    ...(answer.notes.length === 0 ? [] : [list(answer.notes.map((line) => `${line}.`))]),
    ...tablesOf(answer, ({ title, columns, rows }) =>
      [`## ${title}`, markdownTable(columns, rows)].join('\n\n'),
    ),
    list(procedure(report).map((line) => `${line}.`)),
    '',
  ].join('\n\n');
}

const documentOf = ({ name, generatedAt, upgrade, answer }: UpgradeReport) => ({
  ...{ name, generatedAt, upgrade, answer },
});

function filesOf(report: UpgradeReport): readonly StudyFile[] {
  return [
    ...reportFiles('upgrade', {
      page: page(report),
      csv: csvOf(upgradeColumns, report.answer.rows),
      markdown: markdown(report),
      document: documentOf(report),
    }),
    {
      kind: 'outputs',
      fileName: 'upgrade-outputs.csv',
      content: csvOf(upgradeOutputColumns, report.answer.outputs),
    },
  ];
}

/** Reports with home folders as `~`. */
export function upgradeFiles({ homeFolder = '', ...report }: UpgradeReport): readonly StudyFile[] {
  const { upgrade, answer } = report;
  return filesOf({ ...report, ...withShortPaths({ upgrade, answer }, homeFolder) });
}

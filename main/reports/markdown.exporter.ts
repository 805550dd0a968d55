import { otherwiseText } from '../contract/measured/baseline';
import { cellText, type Column, titleWithUnit } from '../contract/measured/column';
import { wayText } from '../contract/measured/sent/way';
import { wayColumns } from '../contract/measured/sent/way-columns';
import type { ReportSection } from '../contract/settings/report-settings';
import { levelText } from '../contract/words';
import { trialColumns } from '../domain/measured/cold/warm-up-trial';
import { slowHeader, type SlowLevel, slowNotes, slowRows, slowText } from '../domain/measured/slow/slow-text';
import { preparedText } from './html/page-marks';
import type { Exporter, NamedText, ParameterGroup, Report, ReportScenario } from './report';
import { logoUri } from './report-settings';

/** Escapes markup and line breaks. */
export const escaped = (text: string): string =>
  text.replace(/[\\`*_[\]<>|#~]/g, String.raw`\$&`).replaceAll(/\s*\n\s*/g, ' ');

const row = (cells: readonly string[]): string => `| ${cells.map(escaped).join(' | ')} |`;

export const table = (header: readonly string[], rows: readonly (readonly string[])[]): string =>
  [row(header), `| ${header.map(() => '---').join(' | ')} |`, ...rows.map(row)].join('\n');

export const markdownTable = <Of>(columns: readonly Column<Of>[], rows: readonly Of[]): string =>
  table(
    columns.map(titleWithUnit),
    rows.map((row) => columns.map((column) => cellText(column, row))),
  );

const named = (rows: readonly NamedText[]): string =>
  table(
    ['Name', 'Value'],
    rows.map(({ name, value }) => [name, value]),
  );

export const fenced = (language: string, text: string): string => `\`\`\`${language}\n${text}\n\`\`\``;

export const list = (lines: readonly string[]): string =>
  lines.map((line) => `- ${escaped(line)}`).join('\n');

const section = (title: string, ...parts: readonly (string | null)[]): string => {
  const present = parts.filter((part) => part !== null && part !== '');
  return present.length === 0 ? '' : [`## ${escaped(title)}`, ...present].join('\n\n');
};

function head(report: Report): string {
  const { title, subtitle, times, status, verification, verdict, figures, summary } = report;
  const { logo, remarks } = report;
  const prepared = preparedText(report);
  return [
    ...(logo === null ? [] : [`![Logo](${logoUri(logo)})`]),
    `# ${escaped(title)}`,
    `${escaped(subtitle)}  \n${escaped(times)}, run \`${report.runId}\``,
    ...(prepared === null ? [] : [escaped(prepared)]),
    `**${escaped(verdict)}**`,
    ...(remarks === '' ? [] : remarks.split(/\n\s*\n/).map(escaped)),
    escaped(`${status.label}. Accuracy ${verification.label}. ${verification.reason}`),
    ...(figures.length === 0
      ? []
      : [
          table(
            figures.map(({ label }) => label),
            [figures.map(({ value, unit, note }) => `${value} ${unit} (${note})`.replace('  ', ' '))],
          ),
        ]),
    ...(summary.doubts.length === 0 ? [] : [list(summary.doubts)]),
  ].join('\n\n');
}

function scenarioTable(scenario: ReportScenario): string {
  const { columns, rows } = scenario;
  const header = [...columns, 'Answer', 'State'];
  const state = ({ reasons }: ReportScenario['rows'][number]) =>
    reasons.length === 0 ? 'steady' : reasons.join('; ');
  return table(
    header,
    rows.map((level) => [...level.cells, level.answer, state(level)]),
  );
}

/** Direct and through a gateway, level by level. */
function ways({ rows }: ReportScenario): string {
  const found = rows.flatMap(({ point }) => (point?.way === undefined ? [] : [{ point, way: point.way }]));
  return found
    .map(({ point, way }) =>
      [
        escaped(`${levelText(point)}: ${wayText(way)}`),
        table(
          wayColumns.map(({ title }) => title),
          way.rows.map((row) => wayColumns.map((column) => cellText(column, row))),
        ),
      ].join('\n\n'),
    )
    .join('\n\n');
}

function accuracy({ accuracy: found, verification }: Report): string {
  if (found === null) return '';
  const metrics = found.metrics.map(({ name, framework, triton, delta, threshold }) => [
    ...[name, framework, triton, delta, threshold],
  ]);
  const outputs = found.outputs.map(({ output, maxAbsDiff, maxRelDiff, tolerance, sampleCount }) => [
    ...[output, maxAbsDiff, maxRelDiff, tolerance, sampleCount],
  ]);
  const batches = found.batches.map(({ requests, count, maxAbsDiff, passed }) => [
    ...[requests, count, maxAbsDiff, passed ? 'passed' : 'failed'],
  ]);
  return section(
    'Accuracy',
    `Accuracy ${verification.label}.`,
    list([...found.reasons, ...found.warnings]),
    metrics.length === 0
      ? null
      : table(['Metric', 'Framework', 'Triton', 'Difference', 'Threshold'], metrics),
    outputs.length === 0
      ? null
      : table(['Output', 'Largest difference', 'Relative', 'Tolerance', 'Samples'], outputs),
    batches.length === 0 ? null : table(['Requests', 'Count', 'Largest difference', 'Result'], batches),
  );
}

function parameters(groups: readonly ParameterGroup[]): string {
  const chosen = groups.flatMap(({ title, rows }) =>
    rows
      .filter(({ folded }) => !folded)
      .map(({ name, value, upstream }) => [title, name, value, upstream.join(', ')]),
  );
  return chosen.length === 0
    ? ''
    : section('Parameters', table(['', 'Parameter', 'Value', 'Published variable'], chosen));
}

function published({ published: found }: Report): string {
  if (found === null) return '';
  const tables = found.scenarios.map(({ title, rows }) => {
    const header = ['Batch', 'Concurrency', 'Published', 'p99', 'Measured', 'p99', 'of published'];
    const cells = rows.map((level) => [
      ...[level.batchSize, level.concurrency, level.published, level.publishedP99],
      ...[level.measured, level.measuredP99, level.ratio],
    ]);
    return `### ${escaped(title)}\n\n${table(header, cells)}`;
  });
  const otherwise = otherwiseText(found.differences);
  return section(
    'Published figures',
    escaped(found.lead),
    escaped(found.source),
    otherwise && escaped(otherwise),
    ...tables,
  );
}

function coldSection({ coldStart }: Report): string {
  if (coldStart === null) return '';
  const { lines, rows, columns, trial } = coldStart;
  const tableOf = <Of>(shown: readonly Column<Of>[], of: readonly Of[]) =>
    of.length === 0
      ? null
      : table(
          shown.map(titleWithUnit),
          of.map((one) => shown.map((column) => cellText(column, one))),
        );
  return section(
    'Cold start',
    list(lines),
    tableOf(columns, rows),
    trial === null ? null : `Tried with a warm-up:\n\n${list(trial.lines)}`,
    trial === null ? null : tableOf(trialColumns, trial.rows),
  );
}

function limitsSection({ limits }: Report): string {
  if (limits === null) return '';
  const { level, sentence, suggestions } = limits;
  return section(
    'What limits it',
    escaped(`${sentence} (${level})`),
    list(limits.limits.map(({ sentence: what, evidence }) => `${what} ${evidence}`)),
    suggestions.length === 0 ? null : `What to try:\n\n${list(suggestions)}`,
  );
}

function slowLevel({ title, slow, problem }: SlowLevel): string {
  const models = slow.map((one) =>
    [
      escaped(`${one.model}: ${slowText(one)}`),
      table(slowHeader, slowRows(one)),
      ...slowNotes(one).map(escaped),
    ].join('\n\n'),
  );
  return [`### ${escaped(title)}`, ...(problem === null ? models : [escaped(`Not traced: ${problem}`)])].join(
    '\n\n',
  );
}

const slowSection = ({ slow }: Report): string =>
  section('Where did the slow ones spend their time', ...slow.map(slowLevel));

const shown = ({ without }: Report, id: ReportSection, make: () => readonly string[]): readonly string[] =>
  without.includes(id) ? [] : make();

const text = (report: Report): string =>
  [
    head(report),
    section('Doubts and failures', list(report.problems.map(({ title, text: what }) => `${title}: ${what}`))),
    ...shown(report, 'levels', () => [
      limitsSection(report),
      ...report.scenarios
        .filter(({ rows }) => rows.length > 0)
        .map((scenario) =>
          section(scenario.title, escaped(scenario.description), scenarioTable(scenario), ways(scenario)),
        ),
      coldSection(report),
      slowSection(report),
    ]),
    ...shown(report, 'accuracy', () => [accuracy(report)]),
    ...shown(report, 'published', () => [published(report)]),
    ...shown(report, 'parameters', () => [parameters(report.parameters)]),
    ...shown(report, 'environment', () => [
      report.record.length === 0 ? '' : section('Model', named(report.record)),
      section('Environment', named(report.environment)),
    ]),
  ]
    .filter((part) => part !== '')
    .join('\n\n');

/** For pull requests and wikis: answer, levels and parameters. */
export const markdown: Exporter = {
  id: 'markdown',
  render: ({ report }) => ({ fileName: 'report.md', content: `${text(report)}\n` }),
};

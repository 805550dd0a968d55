import type { DuelStrategy } from '../contract/study/duel';
import type { DuelAnswer } from '../domain/study/duel/duel-answer';
import { duelColumns, questionColumns } from '../domain/study/duel/duel-columns';
import { placeLines } from '../domain/study/place-text';
import { csvOf } from './csv';
import { hasPart, htmlPage, pageMarksOf, reportHead } from './html/frame';
import { columnTable, markup } from './html/markup';
import { escaped, list, markdownTable } from './markdown.exporter';
import type { StoredReportSettings } from './report-settings';
import { reportFiles, type StudyFile } from './study-files';
import { formatTime } from './to-report';

interface DuelReport {
  readonly name: string;
  /** ISO 8601. */
  readonly generatedAt: string;
  readonly duel: DuelStrategy;
  readonly answer: DuelAnswer;
  readonly settings: StoredReportSettings;
}

/** How it was measured, one line each. */
const procedure = ({ duel, answer }: DuelReport): readonly string[] => [
  ...duel.sides.map(({ runId, title }, at) => `${at === 0 ? 'A' : 'B'}: ${title}, run ${runId}`),
  `Side by side on one Triton, in turns of ${duel.lookMs / 1000} s in the order A B B A, B A A B`,
  'Intervals of 95 % of the ratio within pairs, by a confidence sequence (mixture t-test): it may be looked at after each pair',
  ...placeLines(answer),
  `${Math.round(answer.seconds)} of ${Math.round(duel.budgetS)} s of load were used`,
  ...(answer.isTold ? [] : ['It ended before every question was answered']),
];

const page = (report: DuelReport): string => {
  const { name, generatedAt, answer, settings } = report;
  return htmlPage(
    pageMarksOf(settings, `Comparison ${name}`, true),
    markup`${reportHead(settings, {
      kind: 'comparison in turns',
      title: name,
      lines: [`Report of ${formatTime(generatedAt)}`],
      verdict: `${answer.sentence}.`,
    })}
${
  hasPart(settings, 'results')
    ? [columnTable(questionColumns, answer.judged), columnTable(duelColumns, answer.rows)]
    : null
}
${
  hasPart(settings, 'record')
    ? markup`<h2>Procedure</h2>
<ul>${procedure(report).map((line) => markup`<li>${line}.</li>`)}</ul>`
    : null
}`,
    '.matrix { margin-top: 5mm; }',
  ).text;
};

function markdown(report: DuelReport): string {
  const { name, answer } = report;
  return [
    `# Comparison ${name}`,
    `**${escaped(answer.sentence)}.**`,
    markdownTable(questionColumns, answer.judged),
    markdownTable(duelColumns, answer.rows),
    list(procedure(report).map((line) => `${line}.`)),
    '',
  ].join('\n\n');
}

const documentOf = ({ name, generatedAt, duel, answer }: DuelReport) => ({ name, generatedAt, duel, answer });

export const duelFiles = (report: DuelReport): readonly StudyFile[] =>
  reportFiles('comparison', {
    page: page(report),
    csv: csvOf(questionColumns, report.answer.judged),
    markdown: markdown(report),
    document: documentOf(report),
  });

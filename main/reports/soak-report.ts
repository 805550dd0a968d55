import { formatDuration } from '../contract/numbers';
import type { Soaked, SoakStrategy } from '../contract/study/soak';
import type { TimeLine } from '../domain/measured/time-lines';
import { placeLines } from '../domain/study/place-text';
import type { SoakAnswer } from '../domain/study/soak/soak-answer';
import {
  loadLines,
  memoryLines,
  type SoakTime,
  soakTimeOf,
  soakTitles,
} from '../domain/study/soak/soak-charts';
import { blockColumns, blockRowsOf, sliceColumns, soakColumns } from '../domain/study/soak/soak-columns';
import { judgedLine, soakLevelText } from '../domain/study/soak/soak-text';
import { baseOption, timeAxis, valueAxis } from './charts/chart-base';
import { renderChart } from './charts/render-chart';
import { timeSeries } from './charts/time-series';
import { csvOf } from './csv';
import { hasPart, htmlPage, pageMarksOf, reportHead } from './html/frame';
import { columnTable, Markup, markup } from './html/markup';
import { escaped, list, markdownTable } from './markdown.exporter';
import type { StoredReportSettings } from './report-settings';
import { reportFiles, type StudyFile } from './study-files';
import { formatTime } from './to-report';

interface SoakReport {
  readonly name: string;
  /** ISO 8601. */
  readonly generatedAt: string;
  readonly soak: SoakStrategy;
  readonly soaked: Soaked;
  readonly answer: SoakAnswer;
  readonly settings: StoredReportSettings;
}

/** How it was measured, one line each, without a full stop. */
function procedure({ soak, answer }: SoakReport): readonly string[] {
  const { level, forMs, readMs, blockMs, reloadMs, title } = soak;
  const time = (ms: number) => formatDuration(ms * 1000);
  return [
    `${title} under the same load, ${soakLevelText(level)}, for ${time(answer.soakedMs)} of ${time(forMs)}`,
    ...(reloadMs === undefined ? [] : [`The model was unloaded and loaded every ${time(reloadMs)}`]),
    `Memory was read every ${time(readMs)}; slopes are of medians over ${time(blockMs)} and longer, by Theil and Sen, after the warm-up part`,
    'Intervals of 95 % by Student’s t of as many medians as are independent of one another (first-order autocorrelation)',
    'MB are 1,000,000 bytes; memory is resident memory unless the column says otherwise',
    ...placeLines(answer),
    ...answer.notes,
  ];
}

function chart(
  id: string,
  title: string,
  unit: string,
  {
    lines,
    time,
    isSigned = false,
    isWide = false,
  }: {
    readonly lines: readonly TimeLine[];
    readonly time: SoakTime;
    readonly isSigned?: boolean;
    /** Over both columns: its text is as large as that of the charts below. */
    readonly isWide?: boolean;
  },
): Markup {
  const names = lines.length > 1 ? lines.map(({ name }) => name) : [];
  return new Markup(
    renderChart({
      ...{ id, title, width: isWide ? 1140 : 560, height: 230 },
      option: {
        ...baseOption(title, names),
        xAxis: timeAxis(time.end, time.title) ?? {},
        yAxis: valueAxis(unit, undefined, isSigned) ?? {},
        series: lines.map(timeSeries),
      },
    }),
  );
}

function charts({ soaked }: SoakReport): readonly Markup[] {
  const { p99, throughput } = loadLines(soaked);
  const lines = memoryLines(soaked);
  const time = soakTimeOf(soaked);
  const { memory, memoryAxis, p99: p99Title, p99Axis, throughput: rateTitle, throughputAxis } = soakTitles;
  return [
    ...(lines.length === 0
      ? []
      : [chart('memory', memory, memoryAxis, { lines, time, isSigned: true, isWide: true })]),
    ...(p99.points.length === 0
      ? []
      : [
          chart('p99', p99Title, p99Axis, { lines: [p99], time }),
          chart('throughput', rateTitle, throughputAxis, { lines: [throughput], time }),
        ]),
  ].map((one) => markup`<figure>${one}</figure>`);
}

const judgedLines = ({ answer }: SoakReport): readonly string[] => answer.judged.map(judgedLine);

function page(report: SoakReport): string {
  const { name, generatedAt, answer, settings } = report;
  const criteria = judgedLines(report);
  return htmlPage(
    pageMarksOf(settings, `Soak ${name}`, true),
    markup`${reportHead(settings, {
      kind: 'soak report',
      title: name,
      lines: [`Report of ${formatTime(generatedAt)}`],
      verdict: `${answer.sentence}.`,
    })}
${criteria.length === 0 ? null : markup`<ul>${criteria.map((line) => markup`<li>${line}.</li>`)}</ul>`}
${answer.loadSentence === null ? null : markup`<p>${answer.loadSentence}.</p>`}
${
  hasPart(settings, 'results')
    ? markup`<h2>Memory by process</h2>
${columnTable(soakColumns, answer.rows)}
<div class="charts">${charts(report)}</div>
<h2>Load by slice</h2>
${columnTable(sliceColumns, answer.slices)}`
    : null
}
${
  hasPart(settings, 'record')
    ? markup`<h2>Procedure</h2>
<ul class="procedure">${procedure(report).map((line) => markup`<li>${line}.</li>`)}</ul>`
    : null
}`,
    `.matrix { margin-top: 3mm; } .charts { display: grid; grid-template-columns: 1fr 1fr; gap: 6mm; }
.charts figure { margin: 3mm 0 0; break-inside: avoid; } .charts figure:first-child { grid-column: 1 / -1; }
.charts svg { display: block; width: 100%; height: auto; }`,
  ).text;
}

function markdown(report: SoakReport): string {
  const { name, answer } = report;
  return [
    `# Soak ${name}`,
    `**${escaped(answer.sentence)}.**`,
    ...(answer.judged.length === 0 ? [] : [list(answer.judged.map((one) => `${judgedLine(one)}.`))]),
    ...(answer.loadSentence === null ? [] : [`${escaped(answer.loadSentence)}.`]),
    markdownTable(soakColumns, answer.rows),
    markdownTable(sliceColumns, answer.slices),
    list(procedure(report).map((line) => `${line}.`)),
    '',
  ].join('\n\n');
}

const documentOf = ({ name, generatedAt, soak, soaked, answer }: SoakReport) => ({
  ...{ name, generatedAt, soak, answer, blocks: soaked.blocks },
});

export const soakFiles = (report: SoakReport): readonly StudyFile[] => [
  ...reportFiles('soak', {
    page: page(report),
    csv: csvOf(blockColumns, blockRowsOf(report.soaked.blocks)),
    markdown: markdown(report),
    document: documentOf(report),
  }),
  { kind: 'slices', fileName: 'soak-slices.csv', content: csvOf(sliceColumns, report.answer.slices) },
];

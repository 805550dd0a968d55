import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { BarSeriesOption } from 'echarts/charts';
import { formatRate } from '../contract/numbers';
import { type Scenario, scenarios } from '../contract/run/run-events';
import { byLength, lengthColumns } from '../domain/measured/by-length';
import { okabeIto } from '../domain/measured/chart-lines';
import {
  deviceColumns,
  matrixColumns,
  matrixDocument,
  matrixReason,
  matrixSentence,
  matrixState,
} from '../domain/measured/matrix';
import {
  byGpu,
  choiceText,
  type DeviceGroup,
  isRelative,
  type MatrixResult,
  throughputOf,
} from '../domain/measured/matrix-result';
import { matrixBest } from '../domain/study/matrix-best';
import { baseOption, choiceAxis, ink, legendLine, niceEnd, plotted, rateAxis } from './charts/chart-base';
import { type Chart, renderChart } from './charts/render-chart';
import { csvOf } from './csv';
import { hasPart, htmlPage, pageMarksOf, reportHead } from './html/frame';
import { columnTable, Markup, markup, tableHead, tableRow } from './html/markup';
import type { StoredReportSettings } from './report-settings';
import { type PrintPdf, type StudyFile, writeStudyFiles, type WrittenStudy } from './study-files';
import { formatTime } from './to-report';

/** The table has the rest. */
const mostBars = 60;
const barHeight = 15;
/** Maximum letters of a label. */
const mostLetters = 34;
/** Legend letters per line. */
const legendLetters = 62;

const { blue, orange, green, purple, sky, vermillion, yellow, black } = okabeIto;
const colors = [blue, orange, green, purple, sky, vermillion, yellow, black];

const short = (text: string): string =>
  text.length > mostLetters ? `${text.slice(0, mostLetters - 1)}…` : text;

function gpuChart(groups: readonly DeviceGroup[], scenario: Scenario): readonly Chart[] {
  const choices = [...new Set(groups.flatMap(({ rows }) => rows.map(({ result }) => choiceText(result))))];
  const valueOf = ({ rows }: DeviceGroup, choice: string): number | null => {
    const row = rows.find(({ result }) => choiceText(result) === choice);
    return row === undefined ? null : throughputOf(row.result, scenario);
  };
  const all = groups.flatMap((group) => choices.map((choice) => valueOf(group, choice)));
  const values = all.filter((value) => value !== null);
  if (values.length === 0 || all.length > mostBars) return [];
  const names = groups.map(({ device }) => device);
  const legendLines = Math.ceil(names.join('    ').length / legendLetters);
  const title = `Throughput ${scenario} by GPU`;
  const series = groups.map((group, at): BarSeriesOption => ({
    type: 'bar',
    name: group.device,
    silent: true,
    barMaxWidth: 12,
    barCategoryGap: '30%',
    color: colors[at % colors.length] ?? black,
    label: {
      show: true,
      position: 'right',
      fontSize: 9,
      color: ink.soft,
      formatter: ({ value }) => (typeof value === 'number' ? formatRate(value) : ''),
    },
    data: choices.map((choice) => plotted(valueOf(group, choice))),
  }));
  return [
    {
      id: `gpu-${scenario}`,
      title: `${title}: the best steady level of each choice, inferences per second`,
      width: 480,
      height: 110 + legendLines * legendLine + choices.length * (groups.length * barHeight + 12),
      option: {
        ...baseOption(title, names, legendLines),
        xAxis: rateAxis(niceEnd(values.map((value) => value * 1.1))),
        yAxis: choiceAxis(choices.map(short)),
        series,
      } as Chart['option'],
    },
  ];
}

interface MatrixReport {
  readonly name: string;
  /** ISO 8601. */
  readonly generatedAt: string;
  readonly results: readonly MatrixResult[];
  readonly settings: StoredReportSettings;
}

/** Style of {@link gpuSection}. */
const gpuStyle = `
.by-gpu tbody { break-inside: avoid; }
.by-gpu .device { padding-top: 3mm; font-size: 1.1em; border-bottom: 0; }
.gpu-charts { display: grid; grid-template-columns: 1fr 1fr; gap: 6mm; }
.gpu-charts figure { margin: 3mm 0 0; break-inside: avoid; }
.gpu-charts svg { display: block; width: 100%; height: auto; }
`;

/** Runs grouped by GPU, with charts; null if all used the same. */
function gpuSection(results: readonly MatrixResult[]): Markup | null {
  const groups = byGpu(results);
  const [first] = groups;
  if (first === undefined) return null;
  const columns = deviceColumns(results).filter(({ id }) => id !== 'device');
  const charts = scenarios
    .flatMap((scenario) => gpuChart(groups, scenario))
    .map((chart) => markup`<figure>${new Markup(renderChart(chart))}</figure>`);
  return markup`<h2>By GPU</h2>
${charts.length === 0 ? null : markup`<div class="gpu-charts">${charts}</div>`}
<table class="matrix by-gpu">${tableHead(columns)}${groups.map(
    ({ device, rows }) => markup`<tbody>
<tr><th class="device" colspan="${columns.length}" scope="rowgroup">${device}</th></tr>${rows.map((row) => tableRow(columns, row))}
</tbody>`,
  )}</table>${
    isRelative(groups)
      ? markup`
<p class="key">Relative throughput: that of the best steady level, divided by that of the same choice on ${first.device}.</p>`
      : null
  }`;
}

/** Levels by the lengths of their texts; null without such an axis. */
function lengthSection(results: readonly MatrixResult[]): Markup | null {
  const rows = byLength(results);
  return rows.length === 0
    ? null
    : markup`<h2>By length</h2>
${columnTable(lengthColumns(rows), rows)}`;
}

const ownStyle = `
.matrix { margin-top: 5mm; }
.matrix td, .matrix th, .runs td { overflow-wrap: break-word; }
.matrix td:first-child { padding-right: 3mm; }
.runs .mono { min-width: 72mm; }
${gpuStyle}`;

/** Printed below the table. */
const longTexts: ReadonlySet<string> = new Set(['reason', 'run-id']);

function table({ results }: MatrixReport): Markup {
  const columns = matrixColumns(results).filter(({ id }) => !longTexts.has(id));
  return columnTable(columns, results);
}

/** Why figures are missing is never left out. */
const needsRuns = ({ settings, results }: MatrixReport): boolean =>
  hasPart(settings, 'record') || results.some((result) => matrixReason(result) !== null);

/** Run folders, and reasons for missing figures. */
function runList({ results }: MatrixReport): Markup {
  return markup`<h2>Runs</h2>
<table class="runs"><thead><tr><th class="n">Run</th><th>State</th><th>Run ID</th><th>Reason</th></tr></thead><tbody>${results.map(
    (result) => markup`
<tr><td class="n">${result.number}</td><td>${matrixState(result)}</td><td class="mono">${result.state?.runId ?? '–'}</td><td>${matrixReason(result) ?? '–'}</td></tr>`,
  )}
</tbody></table>
<p class="key">Throughput and p99 are those of the best steady level of each scenario; where no level is steady, those of the best level, whose state says so. The report of a run has all of its levels.</p>`;
}

function page(report: MatrixReport): Markup {
  const best = matrixBest(report.results);
  const made = `Report of ${formatTime(report.generatedAt)}`;
  const states = `${matrixSentence(report.results)}.`;
  return htmlPage(
    pageMarksOf(report.settings, `Matrix ${report.name}`, true),
    markup`${reportHead(report.settings, {
      kind: 'matrix report',
      title: report.name,
      lines: [best === null ? made : `${made}. ${states}`],
      verdict: best?.sentence ?? states,
    })}
${hasPart(report.settings, 'results') ? [table(report), gpuSection(report.results), lengthSection(report.results)] : null}
${needsRuns(report) ? runList(report) : null}`,
    ownStyle,
  );
}

const gpuFileName = 'matrix-by-gpu.csv';
const lengthFileName = 'matrix-by-length.csv';

/** A separate file, because its columns differ. */
function gpuFiles({ results }: MatrixReport): readonly StudyFile[] {
  const rows = byGpu(results).flatMap((group) => group.rows);
  const content = csvOf(deviceColumns(results), rows);
  return rows.length === 0 ? [] : [{ kind: 'csv', fileName: gpuFileName, content }];
}

function lengthFiles({ results }: MatrixReport): readonly StudyFile[] {
  const rows = byLength(results);
  const content = csvOf(lengthColumns(rows), rows);
  return rows.length === 0 ? [] : [{ kind: 'csv', fileName: lengthFileName, content }];
}

/** All formats but PDF, by file name. */
export const matrixFiles = (report: MatrixReport): readonly StudyFile[] => [
  { kind: 'html', fileName: 'matrix.html', content: page(report).text },
  { kind: 'csv', fileName: 'matrix.csv', content: csvOf(matrixColumns(report.results), report.results) },
  ...gpuFiles(report),
  ...lengthFiles(report),
  {
    kind: 'json',
    fileName: 'matrix.json',
    content: `${JSON.stringify({ generatedAt: report.generatedAt, ...matrixDocument(report.name, report.results) }, null, 2)}\n`,
  },
];

interface WriteMatrixInput extends MatrixReport {
  /** Created if missing; replaces an earlier report. */
  readonly dir: string;
  readonly printPdf: PrintPdf;
}

/** Throws if a file cannot be written. */
export async function writeMatrixReport({
  dir,
  printPdf,
  ...report
}: WriteMatrixInput): Promise<WrittenStudy> {
  // Left by an earlier report.
  for (const name of [gpuFileName, lengthFileName]) await rm(join(dir, name), { force: true });
  return writeStudyFiles(dir, matrixFiles(report), printPdf);
}

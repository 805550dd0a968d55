import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LineSeriesOption } from 'echarts/charts';
import { isSteady } from '../../contract/flag-text';
import { titleWithUnit } from '../../contract/measured/column';
import { missing } from '../../contract/numbers';
import type { ComparisonFile } from '../../contract/run/saved-comparison';
import { sweepTitle } from '../../contract/run/sweep';
import { type ComparedSweepTable, type Comparison, comparisonKey } from '../../domain/comparison/comparison';
import { chartSigns, orderColors } from '../../domain/measured/chart-lines';
import { makeTemporaryFolder, writeOutput } from '../../platform/files';
import {
  baseOption,
  ink,
  legendLine,
  legendSeries,
  levelAxis,
  sweepScale,
  valueAxis,
} from '../charts/chart-base';
import { type Chart, renderChart } from '../charts/render-chart';
import { hasPart, htmlPage, pageMarksOf, reportHead } from '../html/frame';
import { Markup, markup } from '../html/markup';
import type { StoredReportSettings } from '../report-settings';
import { formatTime } from '../to-report';
import { comparisonCsv, comparisonMarkdown, differencesText } from './comparison-text';

/** In the window's order; distinguishable in greyscale. */
const symbols = ['circle', 'rect', 'diamond', 'triangle', 'roundRect', 'pin'] as const;

/** Color and symbol letter of the run at `index`. */
const runMarks = (index: number): { readonly color: string; readonly sign: string } => ({
  color: orderColors[index % orderColors.length] ?? ink.text,
  sign: ['●', '■', '◆', '▲', '▢', '★'][index % symbols.length] ?? '●',
});

/** Legend letters per line. */
const legendLetters = 52;

/** Intervals as a line series, because ECharts has no error bars. */
function intervals(
  name: string,
  color: string,
  bars: readonly (readonly [number | string, number, number])[],
) {
  return {
    type: 'line',
    name: `${name}, interval`,
    silent: true,
    symbol: 'none',
    color,
    lineStyle: { width: 1, color, opacity: 0.6 },
    data: bars.flatMap(([x, low, high]) => [
      [x, low],
      [x, high],
      [x, '-'],
    ]),
  } satisfies LineSeriesOption;
}

/** One value of all runs over the levels. */
function comparisonChart(
  { runs }: Pick<Comparison, 'runs'>,
  { sweep, rows, columns }: ComparedSweepTable,
  at: number,
): Chart | null {
  const column = columns[at]?.column;
  const values = [...new Set(rows.map(({ level }) => level.level))];
  if (column === undefined || values.length === 0) return null;
  const scale = sweepScale(values);
  // Levels that differ in batch size are not joined.
  const isLine = rows.length === values.length;
  const position = (value: number): number | string => (scale === 'single' ? String(value) : value);
  const names = runs.map(({ short }) => short);
  const hollow = rows.some(({ level }) => level.runs.some((run) => run !== null && !isSteady(run.point)));
  const lines = runs.flatMap(({ short }, index) => {
    const { color } = runMarks(index);
    const symbol = symbols[index % symbols.length] ?? 'circle';
    const points = rows.flatMap(({ level, cells }) => {
      const value = cells[at]?.[index]?.value ?? null;
      const run = level.runs[index] ?? null;
      return value === null || run === null
        ? []
        : [{ x: position(level.level), value, steady: isSteady(run.point) }];
    });
    const bars = points.flatMap(({ x, value }) =>
      value.interval === null
        ? []
        : [[x, Math.max(0, value.value - value.interval), value.value + value.interval] as const],
    );
    return [
      {
        type: 'line',
        name: short,
        color,
        symbol,
        symbolSize: 6,
        showAllSymbol: true,
        silent: true,
        lineStyle: { width: isLine ? 1.75 : 0, color },
        data: points.map(({ x, value, steady }) => ({
          value: [x, value.value],
          symbol,
          itemStyle: { color: steady ? color : '#ffffff', borderColor: color, borderWidth: 1.5 },
        })),
      },
      intervals(short, color, bars),
    ] satisfies LineSeriesOption[];
  });
  const legend = [...names, ...(hollow ? [chartSigns.hollow] : [])];
  const legendLines = Math.ceil(legend.join('     ').length / legendLetters);
  const title = `${titleWithUnit(column)} by ${sweepTitle[sweep].toLowerCase()}`;
  return {
    id: `compare-${sweep}-${column.id}`,
    title: `${title}, ${names.join(', ')}`,
    width: 340,
    height: 208 + (legendLines - 1) * legendLine,
    option: {
      ...baseOption(title, legend, legendLines),
      xAxis: levelAxis(sweep, values, scale),
      yAxis: valueAxis(titleWithUnit(column)),
      series: [...lines, ...legendSeries(hollow ? [chartSigns.hollow] : [])],
    } as Chart['option'],
  };
}

const style = `
.runs { table-layout: fixed; } .runs td, .runs th { overflow-wrap: break-word; }
.runs th:nth-child(1) { width: 4%; } .runs th:nth-child(2) { width: 24%; } .runs th:nth-child(3) { width: 27%; } .runs th:nth-child(4) { width: 13%; } .runs th:nth-child(6) { width: 9%; } .runs th:nth-child(7) { width: 10%; }
.sign { font-size: 10pt; line-height: 1; }
.compared { table-layout: fixed; margin-top: 1mm; }
.compared .ratio { display: block; font-size: 6.6pt; color: #52606d; }
.compared .better { color: #00664b; } .compared .worse { color: #9b2c00; }
.compared td, .compared th { overflow-wrap: anywhere; white-space: normal; }
.compared th:first-child { width: 19%; overflow-wrap: normal; }
.sentences { margin: 0 0 2mm; }
section.sweep { break-inside: auto; }
section.sweep > h2 { break-before: auto; }
`;

const runSign = (index: number): Markup => {
  const { color, sign } = runMarks(index);
  return markup`<span class="sign" style="color: ${color}">${sign}</span>`;
};

function runsTable({ runs }: Comparison): Markup {
  return markup`<table class="runs"><thead><tr><th></th><th>Run</th><th>Served by</th><th>Machine</th><th>Accuracy</th><th>State</th><th>Started</th></tr></thead><tbody>${runs.map(
    ({ short, name, runId, servedBy, machine, accuracy, status, createdAt }, index) => markup`
<tr><td>${runSign(index)}</td><td><strong>${short}</strong>${index === 0 ? ' (baseline)' : ''}${name === short ? null : markup`<br>${name}`}<br><span class="mono soft">${runId}</span></td><td>${servedBy ?? missing}</td><td>${machine}</td><td>${accuracy}</td><td>${status}</td><td>${createdAt}</td></tr>`,
  )}
</tbody></table>`;
}

function differencesTable({ differences, runs, allKnown }: Comparison): Markup {
  if (differences.length === 0) return markup`<p class="lead">${differencesText(allKnown)}</p>`;
  return markup`<table class="differences"><thead><tr><th>Parameter</th>${runs.map(({ short }) => markup`<th>${short}</th>`)}</tr></thead><tbody>${differences.map(
    ({ label, values }) =>
      markup`
<tr><td>${label}</td>${values.map((value) => markup`<td>${value ?? missing}</td>`)}</tr>`,
  )}
</tbody></table>`;
}

const valueTable = (
  { runs }: Comparison,
  { heading, columns, rows }: ComparedSweepTable,
  at: number,
): Markup => {
  const column = columns[at]?.column;
  return markup`<div><h3>${column === undefined ? '' : titleWithUnit(column)}</h3>
<table class="compared"><thead><tr><th class="n">${heading}</th>${runs.map(
    ({ short }, index) => markup`<th class="n">${runSign(index)} ${short}</th>`,
  )}</tr></thead><tbody>${rows.map(
    ({ load, cells }) => markup`
<tr><td class="n">${load}</td>${(cells[at] ?? []).map(
      ({ text, ratio, meaning }) =>
        markup`<td class="n">${text}${ratio === null ? null : markup`<span class="ratio ${meaning ?? ''}">${ratio}</span>`}</td>`,
    )}</tr>`,
  )}
</tbody></table></div>`;
};

/** The values of more runs, with their intervals, need the whole width. */
const mostPaired = 3;

function sweepSection(comparison: Comparison, table: ComparedSweepTable): Markup {
  const charts = table.columns.flatMap((_column, at) => comparisonChart(comparison, table, at) ?? []);
  const tables = table.columns.map((_column, at) => valueTable(comparison, table, at));
  return markup`<section class="sweep">
<h2>${table.title}</h2>
<ul class="sentences">${table.sentences.map((sentence) => markup`<li>${sentence}</li>`)}</ul>
<div class="charts">${charts.map((chart) => markup`<figure>${new Markup(renderChart(chart))}</figure>`)}</div>
${comparison.runs.length <= mostPaired ? markup`<div class="pair">${tables}</div>` : tables}
</section>`;
}

interface WriteHow {
  /** ISO 8601. */
  readonly generatedAt: string;
  readonly settings: StoredReportSettings;
}

/** The page that the PDF is printed from. */
function comparisonPage(comparison: Comparison, { generatedAt, settings }: WriteHow): string {
  const { title, runs, models, best, sweeps } = comparison;
  const levels =
    sweeps.length === 0
      ? markup`<p class="lead">No level has been measured yet.</p>`
      : markup`${sweeps.map((table) => sweepSection(comparison, table))}
<p class="key">${comparisonKey(runs[0]?.short ?? '')}</p>`;
  return htmlPage(
    pageMarksOf(settings, `Comparison: ${title}`),
    markup`${reportHead(settings, {
      kind: 'comparison report',
      title,
      lines: [`${runs.length} runs · report of ${formatTime(generatedAt)}`],
      verdict: best.sentence,
    })}
${models === null ? null : markup`<div class="doubts warning"><p>${models}</p></div>`}
<h2>Runs</h2>
${runsTable(comparison)}
${
  hasPart(settings, 'record')
    ? markup`<h2>Parameters that differ</h2>
${differencesTable(comparison)}`
    : null
}
${hasPart(settings, 'results') ? levels : null}`,
    style,
  ).text;
}

/** Every format but PDF. */
export function comparisonText(
  comparison: Comparison,
  kind: Exclude<ComparisonFile, 'pdf'>,
  how: WriteHow,
): string {
  switch (kind) {
    case 'html':
      return comparisonPage(comparison, how);
    case 'csv':
      return comparisonCsv(comparison);
    case 'markdown':
      return comparisonMarkdown(comparison);
  }
}

/** Atomic. Throws if the file cannot be written, and toolchain-missing without a printer. */
export async function writeComparison(
  input: WriteHow & {
    readonly comparison: Comparison;
    readonly kind: ComparisonFile;
    readonly path: string;
    readonly printPdf: (htmlPath: string, pdfPath: string, signal: AbortSignal) => Promise<void>;
  },
): Promise<void> {
  const { comparison, kind, path, printPdf } = input;
  if (kind !== 'pdf') return writeOutput(path, comparisonText(comparison, kind, input));
  // Own folder, because other processes may print too.
  const folder = await makeTemporaryFolder('triton-workbench-compare-', 'report-failed');
  try {
    const page = join(folder, 'comparison.html');
    await writeFile(page, comparisonPage(comparison, input));
    await printPdf(page, path, new AbortController().signal);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

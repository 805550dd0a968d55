import type { Column } from '../../contract/measured/column';
import {
  achieved,
  batchSize,
  delayed,
  latencies,
  loadOf,
  publishedColumns,
  scheduled,
} from '../../contract/measured/columns';
import type { LoadPoint } from '../../contract/measured/results';
import { formatCount, formatMeasured } from '../../contract/numbers';
import type { Badge } from '../../contract/run/run-outcome';
import {
  type CrossLevel,
  crossSummary,
  crossWords,
  sideText,
  verdictText,
} from '../../domain/measured/cross-check';
import { renderChart } from '../charts/render-chart';
import { scenarioCharts } from '../charts/report-charts';
import type { ReportLevel, ReportScenario } from '../report';
import {
  cacheTable,
  checksTable,
  composingTable,
  errorsTable,
  gpuTable,
  intervalTable,
  repeatsTable,
  replayTable,
  samplingTable,
  slicesTable,
  stagesTable,
  streamTable,
  tlsTable,
  togetherTable,
  tokensTable,
  wayTable,
} from './detail-tables';
import { cells, Markup, markup } from './markup';

const rates = [loadOf('requestRate'), achieved, delayed];
const send = latencies.filter(({ id }) => id !== 'avg');
const schedule = scheduled.filter(({ short }) => short !== 'avg');

const heads = (columns: readonly Column[], gap = ' gap'): readonly Markup[] =>
  columns.map(
    ({ help, short, title }, index) =>
      markup`<th class="n${index === 0 ? gap : ''}" title="${help}">${short ?? title}</th>`,
  );

/** Requested and achieved rates, with both latencies; null for closed loops. */
function scheduleTable({ rows }: ReportScenario): Markup | null {
  const found = rows.flatMap(({ point }) =>
    point?.requestRate === undefined
      ? []
      : markup`
<tr>${cells([batchSize, ...rates, ...send, ...schedule], point)}</tr>`,
  );
  if (found.length === 0) return null;
  return markup`<h3>Request rate, and latency from send and from schedule</h3>
<table class="fixed schedule"><thead>
<tr class="group"><th></th><th colspan="${rates.length}">Requests/s and delayed requests</th><th class="gap" colspan="${send.length}">Latency from send (ms)</th><th class="gap" colspan="${schedule.length}">Latency from schedule (ms)</th></tr>
<tr>${heads([batchSize, ...rates], '')}${heads(send)}${heads(schedule)}</tr>
</thead><tbody>${found}
</tbody></table>
<p class="key">From schedule: from the time at which a request was due until its response is complete, including any wait for a slow server. Delayed: sent more than 1 ms after it was due.</p>`;
}

const levelPart = (level: CrossLevel): Markup => markup`
<h3>Cross-check: ${level.text}</h3>
<ul>${crossWords(level).map((words) => markup`<li>${words}</li>`)}</ul>
<table class="fixed cross"><thead><tr><th>inferences/s; times in ms</th><th class="n">native</th><th class="n">perf_analyzer</th><th class="n">Ratio</th><th>Verdict</th></tr></thead><tbody>${level.columns.map(
  (column) => markup`
<tr><td>${column.title}</td><td class="n">${sideText(column, column.native)}</td><td class="n">${sideText(column, column.perf_analyzer)}</td><td class="n">${formatMeasured(column.ratio)}</td><td>${verdictText[column.verdict]}</td></tr>`,
)}
</tbody></table>`;

/** Both load tools per level; null without a cross-check. */
function crossCheckPart(levels: readonly CrossLevel[] | null): Markup | null {
  if (levels === null || levels.length === 0) return null;
  return markup`<h3>Cross-check of the load tools</h3>
<p class="lead">Both load tools measured every level in turns. Median (smallest–largest) of the rounds; ratio: built-in load generator over perf_analyzer. They differ if their ranges do not overlap and the 95 % interval of the differences, round by round, excludes 0.</p>
<p><strong>${crossSummary(levels)}</strong></p>
${levels.map(levelPart)}`;
}

/** Percent of the page's width. */
const widths = [2.2, 4.4, 4.6, 9.6, 5.9, 7.7, 6.4, 6.9, 6.9, 6.9, 5.6, 7.1, 6.4, 6.4, 6.4, 6.6] as const;

const columnWidths = markup`<colgroup>${widths.map((width) => markup`<col style="width:${width}%">`)}</colgroup>`;

/** First columns of groups. */
const groupStarts: ReadonlySet<number> = new Set([3, 10]);

const gap = (index: number): string => (groupStarts.has(index) ? ' gap' : '');

function stateMark(row: ReportLevel): Markup {
  if (row.point === null) return markup`<span class="tick no">×</span>`;
  return row.steady ? markup`<span class="tick yes">●</span>` : markup`<span class="tick unsure">○</span>`;
}

function loadRow(row: ReportLevel, peak: boolean): Markup {
  if (row.point === null) {
    return markup`
<tr class="hole"><td class="mark">${stateMark(row)}</td><td class="n">${row.cells[0] ?? ''}</td><td class="n">${row.cells[1] ?? ''}</td><td colspan="13">No result. ${row.reasons.join(' ')}</td></tr>`;
  }
  const cells = row.cells.map(
    (cell, index) => markup`<td class="n${gap(index)}${peak && index === 2 ? ' peak' : ''}">${cell}</td>`,
  );
  return markup`
<tr class="${row.steady ? 'steady' : 'unsteady'}"><td class="mark">${stateMark(row)}</td>${cells}</tr>`;
}

const figure = (scenario: ReportScenario, shown: number): readonly Markup[] =>
  scenarioCharts(scenario)
    .slice(shown)
    .map(
      (chart) =>
        markup`
<figure${chart.width > 400 ? new Markup(' class="wide"') : null}>${new Markup(renderChart(chart))}</figure>`,
    );

export const intervalKey = 'Thin bars: 95 % interval of throughput and p99, where it is known.';

/** Whether the charts of throughput and latency have bars of intervals. */
export const hasIntervals = ({ rows }: ReportScenario): boolean =>
  rows.some(
    ({ point }) => point !== null && (point.throughputIntervalIps ?? point.p99IntervalUs ?? null) !== null,
  );

function peakRow(scenario: ReportScenario): ReportLevel | null {
  return scenario.rows
    .filter(({ steady }) => steady)
    .reduce<ReportLevel | null>(
      (best, row) =>
        (row.point?.inferencesPerSecond ?? 0) > (best?.point?.inferencesPerSecond ?? 0) ? row : best,
      null,
    );
}

const omittedText = (omitted: number, all: number): string =>
  omitted === 0
    ? ''
    : ` This report shows ${formatCount(all - omitted)} of ${formatCount(all)} levels: the fastest steady one, that of the answer, the first, the last and evenly spaced ones between them. The CSV and JSON files have all levels.`;

/** More rows and marks would be unreadable. */
const mostListed = 300;

/** For long sweeps: the answer, the fastest steady level, both ends and evenly spaced levels. CSV and JSON have all. */
export function listedLevels(scenario: ReportScenario): ReportScenario {
  const { rows, chosen } = scenario;
  if (rows.length <= mostListed) return scenario;
  const fastest = rows.reduce<LoadPoint | null>(
    (best, { point, steady }) =>
      steady && (point?.inferencesPerSecond ?? 0) > (best?.inferencesPerSecond ?? 0) ? point : best,
    null,
  );
  const named = new Set([fastest, chosen?.point ?? null]);
  const step = Math.ceil(rows.length / mostListed);
  const isListed = ({ point }: ReportLevel, index: number): boolean =>
    index % step === 0 || index === rows.length - 1 || (point !== null && named.has(point));
  const kept = rows.map(isListed);
  return {
    ...scenario,
    rows: rows.filter((_row, index) => kept[index]),
  };
}

/** @param shown how many of its charts another page has */
export function scenarioSection(all: ReportScenario, accuracy: Badge, shown = 0): Markup {
  const scenario = listedLevels(all);
  const charts = figure(scenario, shown);
  const peak = peakRow(scenario);
  const { short: load = 'Load' } = loadOf(scenario.sweep);
  const measured = scenario.rows.filter(({ point }) => point !== null);
  const badge =
    accuracy.tone === 'good' || measured.length === 0
      ? null
      : markup`<span class="badge ${accuracy.tone}">${accuracy.label}</span>`;
  const reasons = new Set(all.rows.flatMap((row) => row.reasons));
  if (measured.length === 0 && reasons.size <= 1) {
    const levels = scenario.rows.length === 0 ? '' : ` Requested levels: ${scenario.rows.length}.`;
    return markup`<section>
<h2>${scenario.title}</h2>
<p>No level of this scenario has a result.${levels} ${[...reasons]}</p>
</section>`;
  }
  return markup`<section>
<h2>${scenario.title}${badge}</h2>
<p class="lead">${scenario.description}${omittedText(all.rows.length - scenario.rows.length, all.rows.length)}${shown === 0 || measured.length === 0 ? '' : ' Throughput and latency are drawn on the first page.'}</p>
${
  measured.length === 0
    ? markup`<p class="lead">No level of this scenario has a result.</p>`
    : markup`<div class="charts">${charts}
</div>${shown === 0 && hasIntervals(scenario) ? markup`<p class="key">${intervalKey}</p>` : null}`
}
<h3>Throughput and latency</h3>
<table class="load">${columnWidths}<thead>
<tr class="group"><th></th><th colspan="3">Load and throughput</th><th class="gap" colspan="7">Mean latency by component (ms)</th><th class="gap" colspan="5">Latency (ms)</th></tr>
<tr><th class="mark"></th>${publishedColumns(scenario.sweep).map(
    ({ heading, short, title }, index) =>
      markup`<th class="n${gap(index)}" title="${heading}">${short ?? title}</th>`,
  )}</tr>
</thead><tbody>${scenario.rows.map((row) => loadRow(row, row === peak))}
</tbody></table>
<p class="key"><span class="tick yes">●</span> steady &nbsp; <span class="tick unsure">○</span> not steady, drawn hollow &nbsp; <span class="tick no">×</span> no result &nbsp; bold: highest throughput of a steady level</p>
${samplingTable(measured, load)}
${intervalTable(measured, load)}
${repeatsTable(measured, load)}
${scheduleTable(scenario)}
${replayTable(measured, load)}
${wayTable(measured, load)}
${stagesTable(measured, load)}
${slicesTable(measured, load, scenario.chosen?.point ?? null)}
${streamTable(measured, load)}
${tokensTable(measured, load)}
${checksTable(measured, load)}
${togetherTable(measured, load)}
${tlsTable(measured, load)}
${gpuTable(measured, load)}
${cacheTable(measured, load)}
${errorsTable(measured, load)}
${composingTable(measured, load)}
${crossCheckPart(scenario.crossCheck)}
</section>`;
}

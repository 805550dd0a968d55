import { titleWithUnit } from '../../contract/measured/column';
import { missing } from '../../contract/numbers';
import { type ComparedSweepTable, type Comparison, comparisonKey } from '../../domain/comparison/comparison';
import { renderChart } from '../charts/render-chart';
import { htmlPage } from '../html.exporter';
import { Markup, markup } from '../html/markup';
import { formatTime } from '../to-report';
import { comparisonChart, runMarks } from './comparison-chart';
import { differencesText } from './comparison-text';

const style = `
.runs td, .runs th { overflow-wrap: break-word; }
.sign { font-size: 10pt; line-height: 1; }
.compared { table-layout: fixed; margin-top: 1mm; }
.compared .ratio { display: block; font-size: 6.6pt; white-space: nowrap; color: #52606d; }
.compared .better { color: #00664b; } .compared .worse { color: #9b2c00; }
.compared td, .compared th { overflow-wrap: anywhere; }
.compared th:first-child { width: 22%; overflow-wrap: normal; }
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

function sweepSection(comparison: Comparison, table: ComparedSweepTable): Markup {
  const charts = table.columns.flatMap((_column, at) => comparisonChart(comparison, table, at) ?? []);
  const tables = table.columns.map((_column, at) => valueTable(comparison, table, at));
  return markup`<section class="sweep">
<h2>${table.title}</h2>
<ul class="sentences">${table.sentences.map((sentence) => markup`<li>${sentence}</li>`)}</ul>
<div class="charts">${charts.map((chart) => markup`<figure>${new Markup(renderChart(chart))}</figure>`)}</div>
${comparison.runs.length <= 3 ? markup`<div class="pair">${tables}</div>` : tables}
</section>`;
}

/** The page that the PDF is printed from. */
export function comparisonPage(comparison: Comparison, generatedAt: string): string {
  const { title, runs, models, best, sweeps } = comparison;
  return htmlPage(
    `Comparison: ${title}`,
    markup`<header>
<p class="eyebrow">Triton Workbench · comparison</p>
<h1>${title}</h1>
<p class="soft">${runs.length} runs · report of ${formatTime(generatedAt)}</p>
<p class="verdict">${best.sentence}</p>
${models === null ? null : markup`<div class="doubts warning"><p>${models}</p></div>`}
</header>
<h2>Runs</h2>
${runsTable(comparison)}
<h2>Parameters that differ</h2>
${differencesTable(comparison)}
${sweeps.map((table) => sweepSection(comparison, table))}
${
  sweeps.length === 0
    ? markup`<p class="lead">No level has been measured yet.</p>`
    : markup`<p class="key">${comparisonKey(runs[0]?.short ?? '')}</p>`
}`,
    style,
  ).text;
}

import type { CrossLevel } from '../../contract/cross-check';
import { crossSummary, crossWords, sideText, verdictText } from '../../contract/cross-check-text';
import { formatMeasured } from '../../contract/numbers';
import type { Markup } from './markup';
import { markup } from './markup';

const levelPart = (level: CrossLevel): Markup => markup`
<h3>Cross-check: ${level.text}</h3>
<ul>${crossWords(level).map((words) => markup`<li>${words}</li>`)}</ul>
<table class="fixed cross"><thead><tr><th>inferences/s; times in ms</th><th class="n">native</th><th class="n">perf_analyzer</th><th class="n">Ratio</th><th>Verdict</th></tr></thead><tbody>${level.columns.map(
  (column) => markup`
<tr><td>${column.title}</td><td class="n">${sideText(column, column.native)}</td><td class="n">${sideText(column, column.perf_analyzer)}</td><td class="n">${formatMeasured(column.ratio)}</td><td>${verdictText[column.verdict]}</td></tr>`,
)}
</tbody></table>`;

/** Level by level what both load tools measured; nothing for a run that does not cross-check. */
export function crossCheckPart(levels: readonly CrossLevel[] | null): Markup | null {
  if (levels === null || levels.length === 0) return null;
  return markup`<h3>Cross-check of the load tools</h3>
<p class="lead">Both load tools measured every level in turns. Median (smallest–largest) of the rounds; ratio: native over perf_analyzer. They differ where their ranges lie apart and the 95 % interval of the differences, round by round, leaves 0 out.</p>
<p><strong>${crossSummary(levels)}</strong></p>
${levels.map(levelPart)}`;
}

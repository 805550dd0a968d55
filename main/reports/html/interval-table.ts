import type { ReportLevel, ReportScenario } from '../report';
import type { Markup } from './markup';
import { markup } from './markup';

const titles = ['Inferences/s', 'p50, ms', 'p90, ms', 'p95, ms', 'p99, ms', 'avg, ms'];

function row({ batchSize, loadText, intervals }: ReportLevel): readonly Markup[] {
  if (intervals === null) return [];
  return [
    markup`
<tr><td class="n">${batchSize}</td><td class="n">${loadText}</td>${intervals.map((cell) => markup`<td class="n">${cell}</td>`)}</tr>`,
  ];
}

/** Throughput and latencies with half the width of their intervals; null where no latency of any level has one. */
export function intervalTable({ rows }: ReportScenario, loadHeading: string): Markup | null {
  const found = rows.flatMap(row);
  if (found.length === 0) return null;
  return markup`<h3>Intervals, ± 95 %</h3>
<table class="fixed intervals"><thead><tr><th class="n">Batch</th><th class="n">${loadHeading}</th>${titles.map((title) => markup`<th class="n">${title}</th>`)}</tr></thead>
<tbody>${found}
</tbody></table>`;
}

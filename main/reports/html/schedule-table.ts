import type { ReportLevel, ReportScenario } from '../report';
import type { Markup } from './markup';
import { markup } from './markup';

function scheduleRow(row: ReportLevel): Markup | null {
  const { schedule } = row;
  if (schedule === null) return null;
  const cells = (texts: readonly string[]) =>
    texts.map((text, index) => markup`<td class="n${index === 0 ? ' gap' : ''}">${text}</td>`);
  return markup`
<tr><td class="n">${row.batchSize}</td><td class="n">${schedule.asked}</td><td class="n">${schedule.achieved}</td><td class="n">${schedule.delayed}</td>${cells(schedule.fromSend)}${cells([...schedule.fromSchedule, schedule.maxFromSchedule])}</tr>`;
}

/** Of a sweep of request rates: asked and achieved, and both latencies beside each other; null of other sweeps. */
export function scheduleTable(scenario: ReportScenario): Markup | null {
  const rows = scenario.rows.map(scheduleRow).filter((row) => row !== null);
  if (rows.length === 0) return null;
  return markup`<h3>Request rate, and latency from send and from schedule</h3>
<table class="fixed schedule"><thead>
<tr class="group"><th></th><th colspan="3">Requests/s and delayed requests</th><th class="gap" colspan="4">Latency from send, ms</th><th class="gap" colspan="5">Latency from schedule, ms</th></tr>
<tr><th class="n">Batch</th><th class="n">Asked</th><th class="n">Achieved</th><th class="n">Delayed</th><th class="n gap">p50</th><th class="n">p90</th><th class="n">p95</th><th class="n">p99</th><th class="n gap">p50</th><th class="n">p90</th><th class="n">p95</th><th class="n">p99</th><th class="n">max</th></tr>
</thead><tbody>${rows}
</tbody></table>
<p class="key">From schedule: from the time at which a request was due until its answer is complete, so that a wait for a slow server is in it. Delayed: sent more than 1 ms after it was due.</p>`;
}

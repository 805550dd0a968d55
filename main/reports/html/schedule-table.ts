import type { Column } from '../../contract/column';
import { achieved, batchSize, delayed, latencies, loadOf, scheduled } from '../../contract/columns';
import type { ReportScenario } from '../report';
import { cells } from './detail-table';
import type { Markup } from './markup';
import { markup } from './markup';

const rates = [loadOf('requestRate'), achieved, delayed];
const send = latencies.filter(({ id }) => id !== 'avg');
const schedule = scheduled.filter(({ short }) => short !== 'avg');

const heads = (columns: readonly Column[], gap = ' gap'): readonly Markup[] =>
  columns.map(
    ({ help, short, title }, index) =>
      markup`<th class="n${index === 0 ? gap : ''}" title="${help}">${short ?? title}</th>`,
  );

/** Of a sweep of request rates: asked and achieved, and both latencies beside each other; null of other sweeps. */
export function scheduleTable({ rows }: ReportScenario): Markup | null {
  const found = rows.flatMap(({ point }) =>
    point?.requestRate === undefined
      ? []
      : markup`
<tr>${cells([batchSize, ...rates, ...send, ...schedule], point)}</tr>`,
  );
  if (found.length === 0) return null;
  return markup`<h3>Request rate, and latency from send and from schedule</h3>
<table class="fixed schedule"><thead>
<tr class="group"><th></th><th colspan="${rates.length}">Requests/s and delayed requests</th><th class="gap" colspan="${send.length}">Latency from send, ms</th><th class="gap" colspan="${schedule.length}">Latency from schedule, ms</th></tr>
<tr>${heads([batchSize, ...rates], '')}${heads(send)}${heads(schedule)}</tr>
</thead><tbody>${found}
</tbody></table>
<p class="key">From schedule: from the time at which a request was due until its answer is complete, so that a wait for a slow server is in it. Delayed: sent more than 1 ms after it was due.</p>`;
}

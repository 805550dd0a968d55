import type { ReportLevel, ReportScenario } from '../report';
import type { Markup } from './markup';
import { markup } from './markup';

const loadCells = (row: ReportLevel): Markup =>
  markup`<td class="n">${row.batchSize}</td><td class="n">${row.loadText}</td>`;

/** Failed requests by level and kind; null where none failed or the tool does not say. */
export function errorsTable({ rows }: ReportScenario, loadHeading: string): Markup | null {
  const failed = rows.filter(({ errors }) => errors.length > 0);
  if (failed.length === 0) return null;
  return markup`<h3>Failed requests by kind</h3>
<table class="fixed failed"><thead><tr><th class="n">Batch</th><th class="n">${loadHeading}</th><th class="n">Requests</th><th>Kind</th><th>The server’s words at the first</th></tr></thead>
<tbody>${failed.flatMap((row) =>
    row.errors.map(
      ({ kind, count, message }) => markup`
<tr>${loadCells(row)}<td class="n">${count}</td><td>${kind}</td><td>${message}</td></tr>`,
    ),
  )}
</tbody></table>`;
}

/** What the server did for each model of an ensemble; null of other models. */
export function composingTable({ rows }: ReportScenario, loadHeading: string): Markup | null {
  const ensembles = rows.filter(({ composing }) => composing.length > 0);
  if (ensembles.length === 0) return null;
  return markup`<h3>Models of the ensemble</h3>
<table class="fixed composing"><thead><tr><th class="n">Batch</th><th class="n">${loadHeading}</th><th>Model</th><th class="n">Requests</th><th class="n">Queue, ms</th><th class="n">Compute Input, ms</th><th class="n">Compute Infer, ms</th><th class="n">Compute Output, ms</th><th class="n">Mean batch</th><th class="n">Cache hits</th></tr></thead>
<tbody>${ensembles.flatMap((row) =>
    row.composing.map(
      ({ model, cells }) => markup`
<tr>${loadCells(row)}<td>${model}</td>${cells.map((cell) => markup`<td class="n">${cell}</td>`)}</tr>`,
    ),
  )}
</tbody></table>
<p class="key">Means of one request of that model, from Triton’s own statistics over the same windows; requests of others for it are in them too. What waits in their queues is part of the ensemble’s Network+Server Send/Recv above.</p>`;
}

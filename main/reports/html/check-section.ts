import { togetherText } from '../../contract/level-text';
import type { LoadPoint } from '../../contract/results';
import { formatCount, missing } from '../number-format';
import type { ReportLevel } from '../report';
import type { Markup } from './markup';
import { markup } from './markup';

type Cells = (point: LoadPoint) => readonly (string | Markup)[] | null;

/** Rows of the levels that have what `cells` reads; null where none has. */
function detailTable(
  rows: readonly ReportLevel[],
  title: string,
  headings: readonly Markup[],
  cells: Cells,
): Markup | null {
  const found = rows.flatMap((row) => {
    const read = row.point === null ? null : cells(row.point);
    return read === null
      ? []
      : markup`
<tr><td class="n">${row.batchSize}</td><td class="n">${row.loadText}</td>${read.map((cell) =>
          typeof cell === 'string' ? markup`<td class="n">${cell}</td>` : cell,
        )}</tr>`;
  });
  if (found.length === 0) return null;
  return markup`<h3>${title}</h3>
<table class="fixed sampling"><thead><tr><th class="n">Batch</th><th class="n">Load</th>${headings}</tr></thead><tbody>${found}
</tbody></table>`;
}

/** Responses that were decoded and looked at under load; null where no level has checks. */
export const checksTable = (rows: readonly ReportLevel[]): Markup | null =>
  detailTable(
    rows,
    'Checks of responses',
    [
      markup`<th class="n">Checked</th>`,
      markup`<th class="n">Wrong</th>`,
      markup`<th class="n">Compared with known values</th>`,
      markup`<th>Checked for</th>`,
    ],
    ({ outputChecks }) =>
      outputChecks === undefined
        ? null
        : [
            formatCount(outputChecks.checkedCount),
            formatCount(outputChecks.wrongCount),
            formatCount(outputChecks.comparedCount),
            markup`<td>names, types, shapes${outputChecks.finite ? ', finite values' : ''}</td>`,
          ],
  );

/** Whether the server's certificate was checked; null where every level was measured in the clear. */
export const tlsTable = (rows: readonly ReportLevel[]): Markup | null =>
  detailTable(
    rows,
    'TLS',
    [markup`<th>Certificate of the server</th>`, markup`<th>Certificate of the client</th>`],
    ({ tls }) =>
      tls === undefined
        ? null
        : [
            tls.verified
              ? markup`<td>verified</td>`
              : markup`<td><span class="tick unsure">not verified</span></td>`,
            markup`<td>${tls.clientCertificate ? 'sent' : 'none'}</td>`,
          ],
  );

/** What ran beside each model; null where models were measured alone. */
export const togetherTable = (rows: readonly ReportLevel[]): Markup | null =>
  detailTable(
    rows,
    'Models measured together',
    [markup`<th>Model</th>`, markup`<th>Beside it</th>`],
    (point) => {
      const beside = togetherText(point);
      return beside === null
        ? null
        : [markup`<td>${point.model ?? missing}</td>`, markup`<td>${beside}</td>`];
    },
  );

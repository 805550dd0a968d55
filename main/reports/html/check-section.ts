import { togetherText } from '../../contract/level-text';
import { formatCount, missing } from '../../contract/numbers';
import type { ReportLevel } from '../report';
import { detailTable } from './detail-table';
import type { Markup } from './markup';
import { markup } from './markup';

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

import { formatCount, formatMs } from '../../contract/numbers';
import type { ReportLevel } from '../report';
import { detailTable } from './detail-table';
import type { Markup } from './markup';
import { markup } from './markup';

/** What the server's response cache did; null where it counted nothing at any level. */
export const cacheTable = (rows: readonly ReportLevel[]): Markup | null =>
  detailTable(
    rows,
    'Response cache',
    [
      markup`<th class="n">Server Cache Hits</th>`,
      markup`<th class="n">Server Cache Misses</th>`,
      markup`<th class="n">Server Cache Hit, ms</th>`,
      markup`<th class="n">Server Cache Miss, ms</th>`,
    ],
    ({ cache }) =>
      cache === undefined
        ? null
        : [
            formatCount(cache.hitCount),
            formatCount(cache.missCount),
            formatMs(cache.hitUs),
            formatMs(cache.missUs),
          ],
  );

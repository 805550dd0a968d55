import { latencyIntervalUs } from '../contract/latency-intervals';
import type { LoadPoint } from '../contract/results';
import { formatTable, milliseconds } from './output';
import { levelName, orDash } from './perf-print';

const count = (value: number | null): string => orDash(value, String);
const twoDigits = (value: number): string => value.toFixed(2);

/**
 * How sure the latencies are that have no such column beside them, and what the load generator took for it: CPU in cores, and
 * the share of the time in which its loop was busy, 0 to 1; null where no level says any of it. Times in ms.
 */
export function certaintyTable(points: readonly LoadPoint[]): string | null {
  const rows = points.flatMap((point) =>
    point.latencyIntervals === undefined && point.client === undefined
      ? []
      : [
          [
            levelName(point),
            ...(['p50Us', 'p90Us', 'p95Us', 'avgUs'] as const).map((name) =>
              orDash(latencyIntervalUs(point, name), milliseconds),
            ),
            orDash(point.client?.cpuShare, twoDigits),
            orDash(point.client?.loopShare, twoDigits),
            orDash(point.client?.loopDelayP99Us, milliseconds),
          ],
        ],
  );
  if (rows.length === 0) return null;
  const header = 'level,± p50,± p90,± p95,± avg,client CPU,client busy,client delay p99'.split(',');
  return formatTable(header, rows);
}

/** What the server's response cache did; null where it counted nothing at any level. Times in ms. */
export function cacheTable(points: readonly LoadPoint[]): string | null {
  const rows = points.flatMap((point) => {
    const { cache } = point;
    return cache === undefined
      ? []
      : [
          [
            levelName(point),
            ...[cache.hitCount, cache.missCount].map(String),
            ...[cache.hitUs, cache.missUs].map(milliseconds),
          ],
        ];
  });
  return rows.length === 0
    ? null
    : formatTable(['level', 'cache hits', 'cache misses', 'cache hit', 'cache miss'], rows);
}

/** Of ensembles: what the server did for each of their models; null where no level is of an ensemble. Times in ms. */
export function composingTable(points: readonly LoadPoint[]): string | null {
  const rows = points.flatMap((point) =>
    (point.composing ?? []).map((model) => [
      levelName(point),
      model.modelVersion === '' ? model.modelName : `${model.modelName}/${model.modelVersion}`,
      count(model.requestCount),
      count(model.executionCount),
      ...[model.queueUs, model.computeInputUs, model.computeInferUs, model.computeOutputUs].map(milliseconds),
      count(model.cacheHitCount),
      count(model.cacheMissCount),
    ]),
  );
  if (rows.length === 0) return null;
  const header =
    'level,model,requests,executions,queue,compute input,infer,output,cache hits,cache misses'.split(',');
  return formatTable(header, rows);
}

/** Failed requests by level and kind; null where none failed. */
export function errorTable(points: readonly LoadPoint[]): string | null {
  const rows = points.flatMap((point) =>
    (point.errorsByKind ?? []).map(({ kind, count: failed, message }) => [
      levelName(point),
      String(failed),
      kind,
      message.slice(0, 200),
    ]),
  );
  return rows.length === 0 ? null : formatTable(['level', 'failed', 'kind', 'first message'], rows);
}

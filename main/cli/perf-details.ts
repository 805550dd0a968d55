import { latencyIntervalUs } from '../contract/latency-intervals';
import type { LoadPoint } from '../contract/results';
import {
  exactMs,
  formatCount,
  formatHalfWidth,
  formatMeasured,
  formatMs,
  formatShare,
} from '../contract/numbers';
import { formatTable } from './output';
import { levelName } from './perf-print';

/**
 * How sure the latencies are that have no such column beside them, and what the load generator took for it: CPU in cores, and
 * the share of the time in which its loop was busy; null where no level says any of it. Times in ms.
 */
export function certaintyTable(points: readonly LoadPoint[]): string | null {
  const rows = points.flatMap((point) =>
    point.latencyIntervals === undefined && point.client === undefined
      ? []
      : [
          [
            levelName(point),
            ...(['p50Us', 'p90Us', 'p95Us', 'avgUs'] as const).map((name) =>
              formatHalfWidth(exactMs(latencyIntervalUs(point, name)), exactMs(point[name])),
            ),
            formatMeasured(point.client?.cpuShare),
            formatShare(point.client?.loopShare),
            formatMs(point.client?.loopDelayP99Us),
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
            ...[cache.hitCount, cache.missCount].map(formatCount),
            ...[cache.hitUs, cache.missUs].map(formatMs),
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
      formatCount(model.requestCount),
      formatCount(model.executionCount),
      ...[model.queueUs, model.computeInputUs, model.computeInferUs, model.computeOutputUs].map(formatMs),
      formatCount(model.cacheHitCount),
      formatCount(model.cacheMissCount),
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
      formatCount(failed),
      kind,
      message.slice(0, 200),
    ]),
  );
  return rows.length === 0 ? null : formatTable(['level', 'failed', 'kind', 'first message'], rows);
}

import type { LatencyName } from '../../../contract/latency-intervals';
import type { LoadPoint } from '../../../contract/results';
import { histogramOf } from '../../latency-histogram';
import { latencyInterval, partLatencies } from '../../percentile-interval';
import { roundUs } from '../../round-us';
import type { RecordedWindow } from '../seam/worker-messages';

/** The intervals of a level's latencies: from the parts of its windows, or from the windows where those have too few requests. */
export function latencyIntervalsOf(
  windows: readonly RecordedWindow[],
): Required<Pick<LoadPoint, 'p99IntervalUs' | 'latencyIntervals'>> {
  const blocks = windows.flatMap(({ blockLatencies }) => blockLatencies.flatMap((block) => block ?? []));
  const whole = windows.flatMap(({ latencies }) => partLatencies(histogramOf(latencies)) ?? []);
  const stated = (name: LatencyName): number | null => {
    const halfWidth = latencyInterval([blocks, whole], name);
    return halfWidth === null ? null : roundUs(halfWidth);
  };
  return {
    p99IntervalUs: stated('p99Us'),
    latencyIntervals: {
      avgUs: stated('avgUs'),
      p50Us: stated('p50Us'),
      p90Us: stated('p90Us'),
      p95Us: stated('p95Us'),
    },
  };
}

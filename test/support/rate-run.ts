import type { LoadPoint } from '../../main/contract/measured/results';
import type { JournalBody } from '../../main/contract/run/run-events';
import type { RunState } from '../../main/contract/run/run-state';
import { createdBodies, pointFixture, specFixture, stateOf } from './run-state';

/** A level by request rate: answered almost as often as asked, with the wait for the send in `scheduled`. */
export function ratePoint(requestRate: number, change: Partial<LoadPoint> = {}): LoadPoint {
  return pointFixture({
    concurrency: 128,
    requestRate,
    requestDistribution: 'constant',
    inferencesPerSecond: requestRate * 0.99,
    p50Us: 3000,
    p90Us: 4000,
    p95Us: 4500,
    p99Us: 5000,
    scheduled: {
      avgUs: 9000,
      p50Us: 7000,
      p90Us: 14_000,
      p95Us: 19_500,
      p99Us: 31_000,
      maxUs: 44_000,
      delayedCount: 17,
    },
    ...change,
  });
}

const body = (point: LoadPoint): JournalBody => ({
  type: 'measurement',
  scenario: 'online',
  key: `online-rate-${point.requestRate ?? 0}`,
  point,
});

/** A run by request rate: 50 and 200 measured, 100 by a tool that keeps no schedule, 400 without a result. */
export function rateState(): RunState {
  const spec = specFixture((value) => {
    value.performance.requestRates = [50, 100, 200, 400];
  });
  const { scheduled, ...unscheduled } = ratePoint(100, { loadTool: 'perf_analyzer' });
  if (scheduled === undefined) throw new Error('The fixture has a schedule');
  return stateOf([
    ...createdBodies(spec),
    body(ratePoint(200)),
    body(ratePoint(50)),
    body(unscheduled),
    {
      type: 'measurement-missing',
      scenario: 'online',
      key: 'online-rate-400',
      batchSize: 1,
      concurrency: 128,
      requestRate: 400,
      error: { code: 'load-tool-failed', message: 'The load tool ended with exit code 99' },
    },
  ]);
}

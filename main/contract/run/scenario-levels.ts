import type { Scenario } from './run-events';
import type { PerformanceSpec } from './run-spec';

/** What is sent at one level of a scenario. */
export interface LoadLevel {
  readonly batchSize: number;
  /** Requests under way; with a rate the most that may be. */
  readonly concurrency: number;
  /** Requests a second, sent when due (open loop); absent: a closed loop. */
  readonly requestRate?: number | undefined;
}

/** Requests under way at most in an open loop: more would wait for a server that does not keep up anyway. */
export const mostUnderWay = 128;

/** Requests a second that a list of intervals makes. */
export function rateOfIntervals(intervalsUs: readonly number[]): number {
  return (1e6 * intervalsUs.length) / intervalsUs.reduce((sum, interval) => sum + interval, 0);
}

/**
 * The levels of a scenario: offline a batch size each, one request at a time; online a concurrency each, or a request rate
 * each where there are any. A search measures some of the online levels, these ascending.
 */
export function scenarioLevels(
  performance: Pick<
    PerformanceSpec,
    'batchSizes' | 'concurrency' | 'onlineBatchSize' | 'requestRates' | 'requestIntervalsUs' | 'search'
  > &
    Pick<Partial<PerformanceSpec>, 'sequences'>,
  scenario: Scenario,
): readonly LoadLevel[] {
  if (scenario === 'offline') {
    return performance.batchSizes.map((batchSize) => ({ batchSize, concurrency: 1 }));
  }
  const { onlineBatchSize: batchSize, requestRates, requestIntervalsUs, search } = performance;
  const rates = requestIntervalsUs.length > 0 ? [rateOfIntervals(requestIntervalsUs)] : requestRates;
  const ordered = (values: readonly number[]) =>
    search === 'none' ? values : [...new Set(values)].sort((a, b) => a - b);
  const most = performance.sequences?.concurrent ?? mostUnderWay;
  return rates.length > 0
    ? ordered(rates).map((requestRate) => ({ batchSize, concurrency: most, requestRate }))
    : ordered(performance.concurrency).map((concurrency) => ({ batchSize, concurrency }));
}

/** Two levels with the same key are the same level. */
export const loadKey = ({ batchSize, concurrency, requestRate }: LoadLevel): string =>
  requestRate === undefined ? `${batchSize}/${concurrency}` : `${batchSize}/${concurrency}/${requestRate}`;

/** By batch size, then by rate or concurrency. */
export const byLoad = (a: LoadLevel, b: LoadLevel): number =>
  a.batchSize - b.batchSize || (a.requestRate ?? a.concurrency) - (b.requestRate ?? b.concurrency);

/** Why perf_analyzer refuses to measure so few requests of a level; null where it does not, and for 0: windows. Pure. */
export function tooFewRequests(level: LoadLevel, requestCount: number): string | null {
  const { requestRate, concurrency } = level;
  if (requestCount === 0 || requestCount >= (requestRate ?? concurrency)) return null;
  const load = requestRate === undefined ? `the concurrency ${concurrency}` : `${requestRate} requests/s`;
  return `perf_analyzer needs at least as many requests per level as ${load}, not ${requestCount}`;
}

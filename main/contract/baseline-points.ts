import type { Baseline } from './baseline';
import type { PublishedLevel, PublishedTable } from './published';
import { publishedValue } from './published';
import type { Scenario } from './run-events';
import type { RunSpec } from './run-spec';

/** Published figures of one scenario, to be drawn beside measured ones. */
export interface BaselineSeries {
  /** Names the hardware, and the batch size of a request where the run's own is another. */
  readonly label: string;
  readonly points: readonly BaselinePoint[];
}

/** Times in milliseconds; null where nothing is published. */
export interface BaselinePoint {
  /** Batch size offline, concurrency online. */
  readonly load: number;
  readonly batchSize: number;
  readonly concurrency: number;
  readonly inferencesPerSecond: number;
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
  readonly p99Ms: number | null;
}

function pointOf(level: PublishedLevel, scenario: Scenario): BaselinePoint {
  const [batchSize, concurrency, inferencesPerSecond] = level;
  return {
    load: scenario === 'offline' ? batchSize : concurrency,
    batchSize,
    concurrency,
    inferencesPerSecond,
    p50Ms: publishedValue(level, 'p50Ms'),
    p95Ms: publishedValue(level, 'p95Ms'),
    p99Ms: publishedValue(level, 'p99Ms'),
  };
}

const batchOf = (table: PublishedTable): number => table.levels[0]?.[0] ?? 1;

/** null where nothing is published of the scenario, or where the run sends at rates and not in a closed loop. */
export function baselineSeries(
  baseline: Baseline | null,
  scenario: Scenario,
  { performance }: Pick<RunSpec, 'performance'>,
): BaselineSeries | null {
  const table = baseline?.[scenario] ?? null;
  if (baseline === null || table === null) return null;
  const { requestRates, requestIntervalsUs, onlineBatchSize } = performance;
  if (scenario === 'online' && requestRates.length + requestIntervalsUs.length > 0) return null;
  const otherBatch = scenario === 'online' && batchOf(table) !== onlineBatchSize;
  return {
    label: otherBatch ? `${baseline.label}, batch ${batchOf(table)}` : baseline.label,
    points: table.levels.map((level) => pointOf(level, scenario)),
  };
}

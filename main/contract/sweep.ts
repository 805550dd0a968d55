import type { LoadPoint } from './results';
import type { Scenario } from './run-events';
import type { PerformanceSpec } from './run-spec';
import type { LoadLevel } from './scenario-levels';

/** What the levels of a table or chart differ in. */
export type Sweep = 'batchSize' | 'concurrency' | 'requestRate';

/** perf_analyzer's terms. */
export const sweepTitle: Readonly<Record<Sweep, string>> = {
  batchSize: 'Batch size',
  concurrency: 'Concurrency',
  requestRate: 'Request rate',
};

/** The same on an axis or over a column: with the unit where there is one. */
export const sweepHeading: Readonly<Record<Sweep, string>> = {
  ...sweepTitle,
  requestRate: 'Request rate (requests/s)',
};

export const scenarioOf = (sweep: Sweep): Scenario => (sweep === 'batchSize' ? 'offline' : 'online');

/** What one level belongs to: offline the batch size, online what it was measured by. */
export function sweepOfLevel(scenario: Scenario, level: Pick<LoadLevel, 'requestRate'>): Sweep {
  if (scenario === 'offline') return 'batchSize';
  return level.requestRate === undefined ? 'concurrency' : 'requestRate';
}

/** Of several levels: they are the request rate's as soon as one of them is. */
export function sweepOf(scenario: Scenario, levels: readonly Pick<LoadLevel, 'requestRate'>[]): Sweep {
  if (scenario === 'offline') return 'batchSize';
  return levels.some(({ requestRate }) => requestRate !== undefined) ? 'requestRate' : 'concurrency';
}

/** What a specification's scenario varies, before anything is measured. */
export function plannedSweep(
  { requestRates, requestIntervalsUs }: Pick<PerformanceSpec, 'requestRates' | 'requestIntervalsUs'>,
  scenario: Scenario,
): Sweep {
  if (scenario === 'offline') return 'batchSize';
  return requestRates.length + requestIntervalsUs.length > 0 ? 'requestRate' : 'concurrency';
}

/** Requests a second that were answered. */
export const achievedRate = (point: Pick<LoadPoint, 'inferencesPerSecond' | 'batchSize'>): number =>
  point.inferencesPerSecond / point.batchSize;

/** The p99 that counts: from the schedule in an open loop, so that no wait is left out. */
export function budgetLatencyUs(point: {
  readonly p99Us: number;
  readonly scheduled?: { readonly p99Us: number } | undefined;
}): number {
  return point.scheduled?.p99Us ?? point.p99Us;
}

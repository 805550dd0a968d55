import type { Scenario } from '../contract/run-events';
import type { PerformanceSpec } from '../contract/run-spec';
import type { LoadLevel } from './load-tool';

/** The levels of a scenario: offline a batch size each, one request at a time; online a concurrency each. */
export function scenarioLevels(
  performance: Pick<PerformanceSpec, 'batchSizes' | 'concurrency' | 'onlineBatchSize'>,
  scenario: Scenario,
): readonly LoadLevel[] {
  return scenario === 'offline'
    ? performance.batchSizes.map((batchSize) => ({ batchSize, concurrency: 1 }))
    : performance.concurrency.map((concurrency) => ({
        batchSize: performance.onlineBatchSize,
        concurrency,
      }));
}

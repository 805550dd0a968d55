import { scenarios } from '../contract/run/run-events';
import type { RunSpec } from '../contract/run/run-spec';
import { scenarioLevels } from '../contract/run/sweep';
import { servedMaxBatchSize } from '../formats/model-config-of';
import { configuredTraits } from '../triton/model-traits';

/** Distinct samples in such requests; the framework computes each a few more times. */
const mostSamples = 8;

const mostGathered = 8;

export interface ComparedBatches {
  readonly sizes: readonly number[];
  /** Simultaneous requests of one sample; 0: no batcher. */
  readonly gathered: number;
  readonly samples: number;
}

/** One, the model's maximum, and every measured size, as a model may behave differently at each. */
export function comparedBatches({
  configure,
  performance,
  accuracy,
}: Pick<RunSpec, 'configure' | 'performance' | 'accuracy'>): ComparedBatches {
  const samples = Math.min(mostSamples, accuracy.samples ?? mostSamples);
  const { sequences } = configuredTraits(configure);
  const most = sequences ? 1 : Math.max(1, servedMaxBatchSize(configure));
  const measured = scenarios.flatMap((scenario) =>
    scenarioLevels(performance, scenario).map(({ batchSize }) => batchSize),
  );
  const sizes = [...new Set([1, ...measured, most])].filter((size) => size <= most).sort((a, b) => a - b);
  const gathers = configure.batching === 'dynamic' && most > 1;
  return { sizes, gathered: gathers ? Math.min(mostGathered, most) : 0, samples };
}

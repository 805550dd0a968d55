import { scenarios } from '../contract/run/run-events';
import type { RunSpec } from '../contract/run/run-spec';
import { scenarioLevels } from '../contract/run/sweep';
import { servedMaxBatchSize } from '../formats/model-config-of';
import { configuredTraits } from '../triton/model-traits';

/** Different samples that such requests are made of; the framework computes each a few times more. */
const mostSamples = 8;

/** Requests at once, for the dynamic batcher to gather. */
const mostGathered = 8;

export interface ComparedBatches {
  /** Of requests, ascending. */
  readonly sizes: readonly number[];
  /** Requests of one sample that are sent at once; 0: no batcher would gather them. */
  readonly gathered: number;
  readonly samples: number;
}

/**
 * At which batch sizes framework and Triton are compared: one sample, as many as the model takes, and every size that is
 * measured; a model may do something else at each of them. Pure.
 */
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

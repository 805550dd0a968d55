import { toWire } from '../contract/errors';
import type { ConfigureSpec, PerformanceSpec } from '../contract/run-spec';
import { sequenceSchema } from '../contract/sequences';
import { applyConfigPatch } from './config-patch';
import type { ModelTraits } from './model-traits';
import { traitsOf } from './model-traits';

const empty = { name: '', maxBatchSize: 0, input: [], output: [] };

/** How a model will be asked, by what was edited in its config.pbtxt: the fields of a run have neither. Pure. */
export function configuredTraits({ configPatch }: Pick<ConfigureSpec, 'configPatch'>): ModelTraits {
  try {
    return traitsOf(applyConfigPatch(empty, configPatch));
  } catch (error) {
    // Whoever makes the configuration says what is wrong with it.
    if (toWire(error).code === 'config-invalid') return { sequences: false, decoupled: false };
    throw error;
  }
}

/** The load of a run with what its configuration demands beside what was chosen: sequences, a stream. Pure. */
export function demandedLoad(
  performance: PerformanceSpec,
  configure: Pick<ConfigureSpec, 'configPatch'>,
): PerformanceSpec {
  const { sequences, decoupled } = configuredTraits(configure);
  return {
    ...performance,
    ...(sequences ? { sequences: performance.sequences ?? sequenceSchema.parse({}) } : {}),
    ...(decoupled ? { streaming: true } : {}),
  };
}

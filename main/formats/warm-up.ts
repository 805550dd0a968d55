import type { ConfigureSpec } from '../contract/run/run-spec';
import type { ModelConfig } from '../triton/model-config';

/** A request that Triton sends to each instance of a model before the model is ready. */
type WarmUpRequest = NonNullable<ModelConfig['modelWarmup']>[number];

type Served = Pick<ModelConfig, 'maxBatchSize' | 'input'>;

/** 1, its doubles and the largest: a dynamic batcher may form any in between. */
function usualSizes(maxBatchSize: number, preferred: readonly number[]): readonly number[] {
  const doubles: number[] = [];
  for (let size = 1; size < maxBatchSize; size *= 2) doubles.push(size);
  return [...new Set([...doubles, ...preferred, maxBatchSize])].sort((a, b) => a - b);
}

/** The batch sizes of the warm-up, ascending; empty without one. Without a batch dimension there is one request. */
export function warmUpSizes(
  configure: Pick<ConfigureSpec, 'warmup' | 'warmupBatchSizes' | 'preferredBatchSizes'>,
  maxBatchSize: number,
): readonly number[] {
  const { warmup = 'none', warmupBatchSizes = [], preferredBatchSizes } = configure;
  if (warmup === 'none') return [];
  if (maxBatchSize === 0) return [1];
  if (warmupBatchSizes.length > 0) return [...new Set(warmupBatchSizes)].sort((a, b) => a - b);
  return usualSizes(maxBatchSize, preferredBatchSizes);
}

/** Another configuration of the run: with the sizes of its warm-up that the maximum batch size allows, else that one. */
export function warmedWithin<Of extends Pick<ConfigureSpec, 'warmupBatchSizes' | 'maxBatchSize'>>(
  configure: Of,
): Of {
  const { warmupBatchSizes: asked, maxBatchSize } = configure;
  const allowed = asked?.filter((size) => size <= maxBatchSize);
  if (allowed?.length === asked?.length) return configure;
  return { ...configure, warmupBatchSizes: allowed?.length === 0 ? [Math.max(1, maxBatchSize)] : allowed };
}

/**
 * `model_warmup` of a configuration; empty without one. Sizes that vary are 1; texts are empty in either kind, as Triton makes
 * no random ones.
 */
export function warmUpRequests(
  configure: Pick<ConfigureSpec, 'warmup' | 'warmupBatchSizes' | 'preferredBatchSizes'>,
  { maxBatchSize, input }: Served,
): WarmUpRequest[] {
  const isRandom = configure.warmup === 'random';
  return warmUpSizes(configure, maxBatchSize).map((batchSize) => ({
    name: maxBatchSize === 0 ? 'first request' : `batch size ${batchSize}`,
    batchSize,
    inputs: Object.fromEntries(
      input.map(({ name, dataType, dims }) => [
        name,
        {
          dataType,
          dims: dims.map((size) => Math.max(1, size)),
          ...(isRandom && dataType !== 'TYPE_STRING' ? { randomData: true } : { zeroData: true }),
        },
      ]),
    ),
  }));
}

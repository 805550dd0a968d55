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

/** Of `model_warmup`, ascending. */
export const warmUpSizesOf = ({ modelWarmup = [] }: Pick<ModelConfig, 'modelWarmup'>): number[] =>
  [...new Set(modelWarmup.map(({ batchSize = 1 }) => Math.max(1, batchSize)))].sort((a, b) => a - b);

const sizeName = (batchSize: number, maxBatchSize: number): string =>
  maxBatchSize === 0 ? 'first request' : `batch size ${batchSize}`;

/** Folder of its files below that of the model, as Triton has it. */
export const warmUpFolder = 'warmup';

/** An item of the run's inputs. Its files are those of its place in the list. */
export interface WarmUpSample {
  /** "ids [128]"; absent: there is one shape. */
  readonly shape?: string | undefined;
  /** By input, without the batch dimension. */
  readonly dims: Readonly<Record<string, readonly number[]>>;
}

/** In the folder of the version, as versions of a deployment share that of the model. */
export const warmUpFileName = (sample: number, input: number): string => `${sample}-${input}.bin`;

const ownFile = /^\d+\/(\d+)-\d+\.bin$/;

/** Written by the workbench: below the warm-up folder of the model. */
export const isWarmUpFile = (name: unknown): name is string => typeof name === 'string' && ownFile.test(name);

type WarmUpInput = Readonly<Record<string, unknown>>;
const inputsOf = (request: WarmUpRequest): Readonly<Record<string, WarmUpInput>> =>
  (request['inputs'] ?? {}) as Readonly<Record<string, WarmUpInput>>;

function withInputs(config: ModelConfig, change: (input: WarmUpInput) => WarmUpInput): ModelConfig {
  const { modelWarmup } = config;
  if (modelWarmup === undefined) return config;
  const changed = (request: WarmUpRequest): WarmUpRequest => ({
    ...request,
    inputs: Object.fromEntries(
      Object.entries(inputsOf(request)).map(([name, input]) => [name, change(input)]),
    ),
  });
  return { ...config, modelWarmup: modelWarmup.map(changed) };
}

/** The configuration with the files of another version number. Pure. */
export const warmedAs = (config: ModelConfig, version: number): ModelConfig =>
  withInputs(config, (input) => {
    const { inputDataFile: file } = input;
    return isWarmUpFile(file) ? { ...input, inputDataFile: `${version}/${file.split('/')[1] ?? ''}` } : input;
  });

/** For a server that gets no further files: zeros in their place. Pure. */
export const warmedByZeros = (config: ModelConfig): ModelConfig =>
  withInputs(config, (input) => {
    const { inputDataFile: file, ...others } = input;
    return isWarmUpFile(file) ? { ...others, zeroData: true } : input;
  });

const shapeMark = 'shape ';

/** The samples of a configuration that was written with them; none: it has no files. Pure. */
export function warmUpSamplesOf({
  modelWarmup = [],
}: Pick<ModelConfig, 'modelWarmup'>): readonly WarmUpSample[] {
  const samples = new Map<number, WarmUpSample>();
  for (const request of modelWarmup) {
    const inputs = Object.entries(inputsOf(request));
    const [, sample] = inputs.flatMap(
      ([, { inputDataFile: file }]) => (typeof file === 'string' ? ownFile.exec(file) : null) ?? [],
    );
    if (sample === undefined || samples.has(Number(sample))) continue;
    const { name } = request as { readonly name?: unknown };
    samples.set(Number(sample), {
      dims: Object.fromEntries(inputs.map(([input, { dims }]) => [input, (dims as unknown[]).map(Number)])),
      ...(typeof name === 'string' && name.startsWith(shapeMark)
        ? { shape: name.slice(shapeMark.length) }
        : {}),
    });
  }
  return [...samples].toSorted(([one], [other]) => one - other).map(([, sample]) => sample);
}

interface Made extends Served {
  /** Of the load; absent: not made yet, as in a form. */
  readonly samples?: readonly WarmUpSample[] | undefined;
  readonly modelVersion?: number;
}

/** Each size in the first shape, then the other shapes at the smallest size. */
function requestsOf(sizes: readonly number[], samples: readonly WarmUpSample[]) {
  const [smallest = 1] = sizes;
  return [
    ...sizes.map((batchSize) => ({ batchSize, sample: 0, shape: undefined })),
    ...samples.slice(1).map(({ shape = '' }, at) => ({ batchSize: smallest, sample: at + 1, shape })),
  ];
}

/**
 * `model_warmup` of a configuration; empty without one. Sizes that vary are 1 unless they are those of a sample; texts are
 * empty without samples, as Triton makes no random ones.
 */
export function warmUpRequests(
  configure: Pick<ConfigureSpec, 'warmup' | 'warmupBatchSizes' | 'preferredBatchSizes'>,
  { maxBatchSize, input, samples = [], modelVersion = 1 }: Made,
): WarmUpRequest[] {
  const { warmup } = configure;
  const valuesOf = (sample: number, at: number, dataType: string | undefined) => {
    if (warmup === 'samples') return { inputDataFile: `${modelVersion}/${warmUpFileName(sample, at)}` };
    return warmup === 'random' && dataType !== 'TYPE_STRING' ? { randomData: true } : { zeroData: true };
  };
  const sizes = warmUpSizes(configure, maxBatchSize);
  return requestsOf(sizes, warmup === 'samples' ? samples : []).map(({ batchSize, sample, shape }) => ({
    name: shape === undefined ? sizeName(batchSize, maxBatchSize) : `${shapeMark}${shape}`,
    batchSize,
    inputs: Object.fromEntries(
      input.map(({ name, dataType, dims }, at) => [
        name,
        {
          dataType,
          dims: [...(samples[sample]?.dims[name] ?? dims.map((size) => Math.max(1, size)))],
          ...valuesOf(sample, at, dataType),
        },
      ]),
    ),
  }));
}

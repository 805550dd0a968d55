import { describe, expect, it } from 'vitest';
import {
  isWarmUpFile,
  warmedAs,
  warmedByZeros,
  warmedWithin,
  warmUpRequests,
  warmUpSamplesOf,
  warmUpSizes,
  warmUpSizesOf,
} from '../../../main/formats/warm-up';
import { formatConfigPbtxt, parseConfigPbtxt } from '../../../main/triton/config/config-pbtxt';
import { type ModelConfig, modelConfigSchema } from '../../../main/triton/model-config';

const none = { preferredBatchSizes: [] };
const input = [
  { name: 'ids', dataType: 'TYPE_INT64', dims: [-1] },
  { name: 'text', dataType: 'TYPE_STRING', dims: [1] },
];

describe('the batch sizes of a warm-up', () => {
  it('are 1, its doubles, the preferred ones and the largest, unless they are given', () => {
    expect(warmUpSizes({ warmup: 'zero', preferredBatchSizes: [6, 4] }, 12)).toEqual([1, 2, 4, 6, 8, 12]);
    expect(warmUpSizes({ warmup: 'zero', warmupBatchSizes: [8, 2, 8], ...none }, 12)).toEqual([2, 8]);
    expect(warmUpSizes({ warmup: 'zero', ...none }, 1)).toEqual([1]);
    // Without a batch dimension.
    expect(warmUpSizes({ warmup: 'random', warmupBatchSizes: [4], ...none }, 0)).toEqual([1]);
  });

  it('are those that a smaller maximum allows, or that maximum', () => {
    const of = (maxBatchSize: number, warmupBatchSizes?: number[]) =>
      warmedWithin({ maxBatchSize, ...(warmupBatchSizes === undefined ? {} : { warmupBatchSizes }) });
    expect(of(4, [1, 4, 8])).toEqual({ maxBatchSize: 4, warmupBatchSizes: [1, 4] });
    expect(of(4, [8, 16])).toEqual({ maxBatchSize: 4, warmupBatchSizes: [4] });
    expect(of(0, [8])).toEqual({ maxBatchSize: 0, warmupBatchSizes: [1] });
    expect(of(8, [8])).toEqual({ maxBatchSize: 8, warmupBatchSizes: [8] });
    expect(of(8)).toEqual({ maxBatchSize: 8 });
  });

  it('are none without one', () => {
    expect(warmUpSizes(none, 8)).toEqual([]);
    expect(warmUpRequests({ warmup: 'none', ...none }, { maxBatchSize: 8, input })).toEqual([]);
  });
});

describe('the requests of a warm-up', () => {
  it('have a value for every input: texts are empty, and sizes that vary are 1', () => {
    const [first, second] = warmUpRequests({ warmup: 'random', ...none }, { maxBatchSize: 2, input });
    expect(first).toEqual({
      name: 'batch size 1',
      batchSize: 1,
      inputs: {
        ids: { dataType: 'TYPE_INT64', dims: [1], randomData: true },
        text: { dataType: 'TYPE_STRING', dims: [1], zeroData: true },
      },
    });
    expect(second?.batchSize).toBe(2);
    const [zero] = warmUpRequests({ warmup: 'zero', ...none }, { maxBatchSize: 0, input });
    expect(zero).toMatchObject({ name: 'first request', batchSize: 1, inputs: { ids: { zeroData: true } } });
  });
});

describe('a warm-up with samples', () => {
  const samples = [
    { shape: 'ids [16]', dims: { ids: [16], text: [1] } },
    { shape: 'ids [32]', dims: { ids: [32], text: [1] } },
  ];
  const configure = { warmup: 'samples' as const, warmupBatchSizes: [1, 8], ...none };
  const made = () => ({
    ...{ name: 'm', maxBatchSize: 8, input: [], output: [] },
    modelWarmup: warmUpRequests(configure, { maxBatchSize: 8, input, samples, modelVersion: 3 }),
  });

  it('has each size with the first sample, and the other shapes at the smallest size', () => {
    const requests = made().modelWarmup;
    expect(requests.map(({ name, batchSize }) => [name, batchSize])).toEqual([
      ['batch size 1', 1],
      ['batch size 8', 8],
      ['shape ids [32]', 1],
    ]);
    expect(requests[1]?.['inputs']).toEqual({
      ids: { dataType: 'TYPE_INT64', dims: [16], inputDataFile: '3/0-0.bin' },
      text: { dataType: 'TYPE_STRING', dims: [1], inputDataFile: '3/0-1.bin' },
    });
    expect(requests[2]?.['inputs']).toMatchObject({ ids: { dims: [32], inputDataFile: '3/1-0.bin' } });
  });

  it('is read back from its configuration, and made alike', () => {
    const read = modelConfigSchema.parse(parseConfigPbtxt(formatConfigPbtxt(made())));
    const known = warmUpSamplesOf(read);
    expect(known.map(({ dims }) => dims)).toEqual(samples.map(({ dims }) => dims));
    const again = warmUpRequests(configure, { maxBatchSize: 8, input, samples: known, modelVersion: 3 });
    expect(again).toEqual(made().modelWarmup);
    expect(warmUpSamplesOf({})).toEqual([]);
  });

  it('has the files of the version that it is served as, or zeros where it gets none', () => {
    const fileOf = (config: ModelConfig) =>
      modelConfigSchema
        .parse(config)
        .modelWarmup?.map(({ inputs }) => (inputs as { ids: Record<string, unknown> }).ids)[0];
    expect(fileOf(warmedAs(made(), 7))?.['inputDataFile']).toBe('7/0-0.bin');
    expect(fileOf(warmedByZeros(made()))).toEqual({ dataType: 'TYPE_INT64', dims: [16], zeroData: true });
    // Files of somebody else stay as they are.
    const own = { ...made(), modelWarmup: [{ inputs: { ids: { inputDataFile: 'mine.bin' } } }] };
    expect(warmedAs(own, 7)).toEqual(own);
    expect(isWarmUpFile('mine.bin')).toBe(false);
    expect(isWarmUpFile('../1/0-0.bin')).toBe(false);
  });

  it('has one sample of sizes that are not known before the samples are made', () => {
    const [first, ...more] = warmUpRequests(
      { ...configure, warmupBatchSizes: [2] },
      { maxBatchSize: 8, input },
    );
    expect(first?.['inputs']).toMatchObject({ ids: { dims: [1], inputDataFile: '1/0-0.bin' } });
    expect(more).toEqual([]);
  });
});

it('the sizes of a warm-up are those of its requests', () => {
  expect(warmUpSizesOf({ modelWarmup: [{ batchSize: 8 }, {}, { batchSize: 8 }] })).toEqual([1, 8]);
  expect(warmUpSizesOf({})).toEqual([]);
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mergeTrees } from '../../../main/contract/trees';
import { editConfig } from '../../../main/specification/edit-config';
import { previewSpec } from '../../../main/specification/preview-spec';
import { formatConfigPbtxt, parseConfigPbtxt } from '../../../main/triton/config/config-pbtxt';
import { modelConfigSchema } from '../../../main/triton/model-config';
import { diffConfig } from '../../../main/triton/served-config';
import { choice, places, resnet50 } from './places';

type Tree = Record<string, unknown>;

const preview = (overrides: Tree) => previewSpec(resnet50, choice(overrides), places);
const textOf = async (overrides: Tree) => {
  const { configPbtxt, problems } = await preview(overrides);
  if (configPbtxt === null) throw new Error(JSON.stringify(problems));
  return configPbtxt;
};
/** What the file says after the edit, and the fields that took it. */
async function edited(overrides: Tree, text: string) {
  const edit = editConfig(resnet50, choice(overrides), text);
  if (edit.problem !== null) throw new Error(edit.problem.message);
  const after = mergeTrees(overrides, edit.overrides);
  return { fields: edit.overrides, after, text: await textOf(after) };
}

const gpu = { kind: 'docker', gpus: ['all'] };
/** Published by the five deployments in their tables and commands: batch sizes, instances, delay, accelerator. */
const published: readonly Tree[] = [
  {},
  {
    engine: gpu,
    precision: 'fp16',
    configure: {
      maxBatchSize: 128,
      preferredBatchSizes: [64, 128],
      maxQueueDelayUs: 1,
      backendAccelerator: 'trt',
    },
  },
  {
    engine: gpu,
    format: 'ts-trace',
    precision: 'fp16',
    configure: { preferredBatchSizes: [4, 8], maxQueueDelayUs: 1, instances: 2, backendAccelerator: 'cuda' },
  },
  {
    engine: gpu,
    format: 'ts-script',
    precision: 'fp16',
    configure: {
      maxBatchSize: 4,
      preferredBatchSizes: [2, 4],
      maxQueueDelayUs: 1,
      backendAccelerator: 'cuda',
    },
  },
  {
    engine: gpu,
    configure: { maxBatchSize: 1024, preferredBatchSizes: [512, 1024], maxQueueDelayUs: 1, instances: 2 },
  },
];

describe('a text as it was written', () => {
  it.each(published)('changes nothing: %#', async (overrides) => {
    expect(editConfig(resnet50, choice(overrides), await textOf(overrides))).toEqual({
      overrides: {},
      problem: null,
    });
  });
});

describe('an edit', () => {
  const trt = published[1] ?? {};
  const cache = { trt_engine_cache_enable: '1', trt_engine_cache_path: '/tmp/tensorrt-engines' };
  it.each([
    [{}, 'max_batch_size: 8', 'max_batch_size: 16', { configure: { maxBatchSize: 16 } }],
    [{}, 'name: "resnet50"', 'name: "net"', { configure: { modelName: 'net' } }],
    [{}, '[ 4, 8 ]', '[ 2, 8 ]', { configure: { preferredBatchSizes: [2, 8] } }],
    [{}, 'preferred_batch_size: [ 4, 8 ]', '', { configure: { preferredBatchSizes: [] } }],
    [
      {},
      /max_queue_delay_microseconds: \d+/,
      'max_queue_delay_microseconds: 250',
      { configure: { maxQueueDelayUs: 250 } },
    ],
    [{}, 'count: 1', 'count: 3', { configure: { instances: 3 } }],
    [{}, /dynamic_batching \{[^}]*\}/, '', { configure: { batching: 'static' } }],
    [{}, 'versions: [ 1 ]', 'versions: [ 7 ]', { configure: { modelVersion: 7 } }],
    [{}, /(intra_op_threads"\s*value: \{ string_value: )"0"/, '$1"4"', { configure: { threads: 4 } }],
    [trt, 'kind: KIND_AUTO', 'kind: KIND_GPU', { configure: { instanceKind: 'KIND_GPU' } }],
    [
      trt,
      /key: "precision_mode"/,
      'key: "trt_cuda_graph_enable" value: "1" } parameters { key: "precision_mode"',
      { configure: { captureCudaGraph: true } },
    ],
    [trt, /optimization \{[\s\S]*?\n\}\n/, '', { configure: { backendAccelerator: 'none' } }],
    [trt, /"tensorrt"[\s\S]*?"FP16"[^\]]*\]/, '"cuda" } ]', { configure: { backendAccelerator: 'cuda' } }],
    [
      trt,
      /TYPE_FP16/g,
      'TYPE_FP32',
      { precision: 'fp32', configure: { configPatch: expect.anything() as unknown } },
    ],
    [
      {},
      'dynamic_batching {',
      'dynamic_batching { preserve_ordering: true',
      { configure: { configPatch: { dynamicBatching: { preserveOrdering: true } } } },
    ],
    [
      trt,
      'value: "FP16"',
      'value: "FP32"',
      {
        configure: {
          configPatch: {
            optimization: {
              executionAccelerators: {
                gpuExecutionAccelerator: [
                  { name: 'tensorrt', parameters: { ...cache, precision_mode: 'FP32' } },
                ],
              },
            },
          },
        },
      },
    ],
  ] satisfies [Tree, string | RegExp, string, Tree][])(
    '%j: %s -> %s',
    async (overrides, from, to, fields) => {
      const before = await textOf(overrides);
      const text = before.replace(from, to);
      expect(text).not.toBe(before);
      const after = await edited(overrides, text);
      expect(after.fields).toEqual(fields);
      expect(diffConfig(parseConfigPbtxt(after.text), parseConfigPbtxt(text))).toEqual({});
    },
  );

  it('taken back leaves no patch behind', async () => {
    const before = await textOf({});
    const { after } = await edited({}, before.replace('count: 1', 'count: 1 gpus: [ 0 ]'));
    expect(after).toHaveProperty('configure.configPatch.instanceGroup');
    const back = await edited(after, before);
    expect(back.after).toEqual({ configure: { configPatch: {} } });
    expect(back.text).toBe(before);
  });

  it('that cannot be served is taken, shown and explained', async () => {
    const { after, text } = await edited({}, (await textOf({})).replace('[ 3, 64, 64 ]', '[ 3, 32, 32 ]'));
    expect(text).toContain('[ 3, 32, 32 ]');
    const { problems } = await preview(after);
    expect(problems).toEqual([
      expect.objectContaining({
        field: 'configure.configPatch.input',
        message: expect.stringContaining('INPUT__0 has dims [3, 64, 64]') as string,
      }),
    ]);
  });

  it('goes on while another field of the form does not fit', async () => {
    const text = (await textOf({})).replace('count: 1', 'count: 2');
    const edit = editConfig(resnet50, choice({ performance: { maxTrials: 'many' } }), text);
    expect(edit).toEqual({ overrides: { configure: { instances: 2 } }, problem: null });
  });
});

describe('a text that is no configuration', () => {
  it.each([
    ['name: "a"\nmax_batch: 8\n', 2, /max_batch/],
    ['name: "a"\nmax_batch_size: many\n', 2, /many/],
    ['name: "a"\ninput [\n  {\n', 3, /not closed/],
    ['name: "not a name"\n', 1, /name: must have letters/],
    [
      'name: "a"\nmax_batch_size: 8\ndynamic_batching {\n  preferred_batch_size: [ 0 ]\n}\n',
      4,
      /preferred_batch_size/,
    ],
    ['name: "a"\nmax_batch_size: -1\n', 2, /max_batch_size/],
    [
      'name: "a"\nmax_batch_size: 99999999999\n',
      2,
      /^max_batch_size cannot be 99999999999: it is an int32\. Use at most 2147483647\.$/,
    ],
  ])('%j is told with its line', (text, line, message) => {
    const { overrides, problem } = editConfig(resnet50, choice(), text);
    expect(overrides).toEqual({});
    expect(problem?.line).toBe(line);
    expect(problem?.message).toMatch(message);
  });
});

const overridesAny = fc.record(
  {
    engine: fc.constantFrom({ kind: 'local' }, gpu, { kind: 'remote', url: 'http://localhost:8000' }),
    format: fc.constantFrom('onnx', 'ts-trace', 'ts-script'),
    precision: fc.constantFrom('fp32', 'fp16'),
    configure: fc.record(
      {
        maxBatchSize: fc.integer({ min: 0, max: 64 }),
        batching: fc.constantFrom('disabled', 'static', 'dynamic'),
        preferredBatchSizes: fc.array(fc.integer({ min: 1, max: 64 }), { maxLength: 3 }),
        maxQueueDelayUs: fc.integer({ min: 0, max: 1e6 }),
        instances: fc.integer({ min: 1, max: 8 }),
        instanceKind: fc.constantFrom('KIND_AUTO', 'KIND_CPU', 'KIND_GPU'),
        backendAccelerator: fc.constantFrom('none', 'cuda', 'trt'),
        captureCudaGraph: fc.boolean(),
        threads: fc.integer({ min: 0, max: 8 }),
        modelVersion: fc.integer({ min: 1, max: 9 }),
      },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: [] },
);

/** What a person may do to any file. */
const handEdit = fc.record(
  {
    responseCache: fc.constant({ enable: true }),
    modelWarmup: fc.constant([{ name: 'first', batchSize: 1 }]),
    instanceGroup: fc.constantFrom(
      [{ count: 1 }],
      [{ count: 2, kind: 'KIND_CPU' as const, name: 'cpu' }],
      [
        { count: 1, kind: 'KIND_CPU' as const },
        { count: 2, kind: 'KIND_GPU' as const, gpus: [0] },
      ],
    ),
    dynamicBatching: fc.constantFrom({}, { preserveOrdering: true, preferredBatchSize: [2] }),
    parameters: fc.constantFrom({}, { own: { stringValue: 'x' } }),
    maxBatchSize: fc.constantFrom(0, 1, 32),
    optimization: fc.constantFrom(
      { cuda: { graphs: true } },
      {
        executionAccelerators: {
          gpuExecutionAccelerator: [
            { name: 'tensorrt', parameters: { max_workspace_size_bytes: '1073741824' } },
          ],
        },
      },
      { priority: 'PRIORITY_MAX' },
    ),
  },
  { requiredKeys: [] },
);

it('fields and patch together say what the text said, for any form and any edit', async () => {
  await fc.assert(
    fc.asyncProperty(overridesAny, overridesAny, handEdit, async (form, other, edit) => {
      const generated = parseConfigPbtxt(await textOf(other));
      const wanted = modelConfigSchema.parse({ ...generated, ...edit });
      const text = formatConfigPbtxt(wanted);
      const { text: written } = await edited(form, text);
      expect(diffConfig(parseConfigPbtxt(written), parseConfigPbtxt(text))).toEqual({});
    }),
    { numRuns: 200 },
  );
});

describe('the policy of the queue and the warm-up in the text', () => {
  const set = {
    configure: { maxQueueSize: 16, queueTimeoutUs: 1000, queueTimeoutAction: 'delay', warmup: 'random' },
  };

  it('are fields: what is changed there changes here, and what is taken away is off', async () => {
    const text = await textOf(set);
    expect(text).toMatch(/max_queue_size: 16[\s\S]*model_warmup/);
    const changed = await edited(set, text.replace('max_queue_size: 16', 'max_queue_size: 4'));
    expect(changed.fields).toEqual({ configure: { maxQueueSize: 4 } });
    const bare = await textOf({});
    const gone = await edited(set, bare);
    expect(gone.fields).toEqual({
      configure: { maxQueueSize: 0, queueTimeoutUs: 0, queueTimeoutAction: 'reject', warmup: 'none' },
    });
    expect(gone.text).toBe(bare);
    const typed = await edited({}, await textOf({ configure: { maxQueueSize: 8 } }));
    expect(typed.fields).toEqual({ configure: { maxQueueSize: 8 } });
  });

  it('has samples made anew where the text names those of another run', async () => {
    const text = await textOf({ configure: { warmup: 'samples', warmupBatchSizes: [1, 8] } });
    expect(text).toContain('input_data_file: "1/0-0.bin"');
    const { fields, text: written } = await edited({}, text);
    expect(fields).toEqual({ configure: { warmup: 'samples', warmupBatchSizes: [1, 8] } });
    expect(written).toBe(text);
  });
});

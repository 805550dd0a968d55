import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WorkbenchError } from '../../../../main/contract/errors';
import { formatConfigPbtxt, parseConfigPbtxt } from '../../../../main/triton/config/config-pbtxt';
import { type ModelConfig, modelConfigSchema } from '../../../../main/triton/model-config';

function failure(action: () => unknown): WorkbenchError {
  try {
    action();
  } catch (error) {
    if (error instanceof WorkbenchError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

const text = fc.string({ unit: 'grapheme', maxLength: 12 });
/** Names of a map; zod leaves one that would be an object's prototype out, and no model has a parameter of that name. */
const filled = fc
  .string({ unit: 'binary-ascii', minLength: 1, maxLength: 12 })
  .filter((name) => name !== '__proto__');
const int32 = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
const map = <Value>(value: fc.Arbitrary<Value>) =>
  fc.dictionary(filled, value, { minKeys: 1, maxKeys: 3, noNullPrototype: true });
const list = <Value>(value: fc.Arbitrary<Value>) => fc.array(value, { minLength: 1, maxLength: 3 });
const some = <Shape extends object>(shape: { [Key in keyof Shape]: fc.Arbitrary<Shape[Key]> }) =>
  fc.record(shape, { requiredKeys: [] });

const tensorFields = {
  name: text,
  dataType: fc.constantFrom('TYPE_FP32', 'TYPE_INT64', 'TYPE_STRING'),
  dims: fc.array(fc.integer({ min: -1, max: Number.MAX_SAFE_INTEGER }), { maxLength: 4 }),
  reshape: some({ shape: list(fc.nat()) }),
};
const required = { requiredKeys: ['name', 'dims'] as ('name' | 'dims')[] };
const input = fc.record({ ...tensorFields, optional: fc.boolean() }, required);
const output = fc.record({ ...tensorFields, labelFilename: text }, required);
const accelerator = fc.record({ name: text, parameters: map(text) }, { requiredKeys: ['name'] });
const config: fc.Arbitrary<ModelConfig> = fc
  .record(
    {
      name: text,
      platform: text,
      backend: text,
      maxBatchSize: int32,
      input: fc.array(input, { maxLength: 2 }),
      output: fc.array(output, { maxLength: 2 }),
      instanceGroup: list(
        some({ name: text, kind: fc.constantFrom('KIND_CPU', 'KIND_GPU'), count: int32, gpus: list(int32) }),
      ),
      versionPolicy: fc.oneof(
        fc.constant({ all: {} }),
        fc.record({ specific: fc.record({ versions: list(fc.bigInt(0n, 2n ** 62n)) }) }),
      ),
      optimization: some({
        cuda: some({ graphs: fc.boolean(), graphSpec: list(some({ batchSize: int32 })) }),
        executionAccelerators: some({ gpuExecutionAccelerator: list(accelerator) }),
      }),
      scheduling: fc.oneof(
        fc.record({
          dynamicBatching: some({
            preferredBatchSize: list(int32),
            maxQueueDelayMicroseconds: fc.bigInt(0n, 2n ** 64n - 1n).map(String),
            preserveOrdering: fc.boolean(),
            priorityQueuePolicy: fc.constant({ 7: { timeoutAction: 'DELAY', maxQueueSize: 3 } }),
          }),
        }),
        fc.record({
          sequenceBatching: fc.record({ direct: some({ minimumSlotUtilization: fc.constant(0.5) }) }),
        }),
        fc.record({
          ensembleScheduling: fc.record({ step: list(fc.record({ modelName: text, inputMap: map(text) })) }),
        }),
      ),
      parameters: map(some({ stringValue: text })),
      metricTags: map(text),
    },
    { requiredKeys: ['name', 'maxBatchSize', 'input', 'output'] },
  )
  .map(({ scheduling, ...rest }) => {
    const plain: unknown = JSON.parse(
      JSON.stringify({ ...rest, ...scheduling }, (_key, value: unknown) => {
        if (typeof value === 'bigint') return value.toString();
        return value;
      }),
    );
    return modelConfigSchema.parse(normal(plain));
  });

/** 64-bit integers that a number holds are numbers; that is the one form a parsed file has. */
function normal(value: unknown, key = ''): unknown {
  if (Array.isArray(value)) return value.map((inner: unknown) => normal(inner, key));
  if (value !== null && typeof value === 'object') {
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, normal(inner, name)]));
  }
  const wide = key === 'versions' || key === 'maxQueueDelayMicroseconds';
  return wide && Number.isSafeInteger(Number(value)) ? Number(value) : value;
}

describe('config.pbtxt', () => {
  it('reads back exactly what was written, whatever is in it', () => {
    fc.assert(
      fc.property(config, (value) => {
        expect(parseConfigPbtxt(formatConfigPbtxt(value))).toEqual(value);
      }),
      { numRuns: 300 },
    );
  });

  it('is written as people write it', () => {
    const written = formatConfigPbtxt({
      name: 'resnet50',
      platform: 'onnxruntime_onnx',
      maxBatchSize: 8,
      input: [{ name: 'INPUT__0', dataType: 'TYPE_FP32', dims: [3, 224, 224] }],
      output: [{ name: 'OUTPUT__0', dataType: 'TYPE_FP32', dims: [1000] }],
      instanceGroup: [{ count: 2, kind: 'KIND_GPU' }],
      dynamicBatching: { preferredBatchSize: [4, 8], maxQueueDelayMicroseconds: 100 },
      optimization: {
        executionAccelerators: {
          gpuExecutionAccelerator: [{ name: 'tensorrt', parameters: { precision_mode: 'FP16' } }],
        },
      },
      parameters: { intra_op_thread_count: { stringValue: '2' } },
    });
    expect(written).toBe(`name: "resnet50"
platform: "onnxruntime_onnx"
max_batch_size: 8
input [
  {
    name: "INPUT__0"
    data_type: TYPE_FP32
    dims: [ 3, 224, 224 ]
  }
]
output [
  {
    name: "OUTPUT__0"
    data_type: TYPE_FP32
    dims: [ 1000 ]
  }
]
instance_group [
  {
    count: 2
    kind: KIND_GPU
  }
]
dynamic_batching {
  preferred_batch_size: [ 4, 8 ]
  max_queue_delay_microseconds: 100
}
optimization {
  execution_accelerators {
    gpu_execution_accelerator [
      {
        name: "tensorrt"
        parameters {
          key: "precision_mode"
          value: "FP16"
        }
      }
    ]
  }
}
parameters {
  key: "intra_op_thread_count"
  value: { string_value: "2" }
}
`);
  });

  it('reads other people’s spelling: comments, separators, repeated blocks', () => {
    const config = parseConfigPbtxt(`
      # a comment
      name: "m"; max_batch_size: 4,
      input { name: "a" data_type: TYPE_FP32 dims: 3 dims: 4 }
      input { name: "b" data_type: TYPE_INT64 dims: [ -1 ] }
      dynamic_batching { }
      model_warmup { name: "zero" batch_size: 1 inputs { key: "a" value: { dims: [3, 4] zero_data: true } } }
    `);
    expect(config.input.map((input) => [input.name, input.dims])).toEqual([
      ['a', [3, 4]],
      ['b', [-1]],
    ]);
    expect(config.dynamicBatching).toEqual({});
    expect(config['modelWarmup']).toEqual([
      { name: 'zero', batchSize: 1, inputs: { a: { dims: [3, 4], zeroData: true } } },
    ]);
    expect(parseConfigPbtxt(formatConfigPbtxt(config))).toEqual(config);
  });

  it.each([
    ['max_batch_size: 8\nmax_batch_sise: 9', 'max_batch_sise', 'line 2'],
    ['name: "m"\nmax_batch_size: "8"', '', 'line 2'],
    ['input [\n  { name: "a"\n    data_type: TYPE_FP33 }\n]', 'TYPE_FP33', 'line 3'],
    ['name: "m', '', 'line 1'],
    ['input [\n { name: "a" }', 'not closed', 'line 1'],
  ])('refuses %j with its place', (source, word, line) => {
    const error = failure(() => parseConfigPbtxt(source));
    expect(error.code).toBe('config-invalid');
    expect(error.message).toContain(word);
    expect(error.where).toContain(line);
    // The line is in `where`: whoever shows both would say it twice.
    expect(error.message).not.toContain('(line');
  });

  it('refuses to write what Triton’s schema does not have, and names the field', () => {
    const base = modelConfigSchema.parse({ name: 'm' });
    const unknown = failure(() => formatConfigPbtxt({ ...base, optimization: { cuda: { grafs: true } } }));
    expect([unknown.code, unknown.where]).toEqual(['config-invalid', 'optimization.cuda.grafs']);
    const kind = failure(() =>
      formatConfigPbtxt({ ...base, input: [{ name: 'a', dims: [1], dataType: 'FP32' }] }),
    );
    expect([kind.code, kind.where]).toEqual(['config-invalid', 'input[0].data_type']);
    const both = failure(() => formatConfigPbtxt({ ...base, dynamicBatching: {}, sequenceBatching: {} }));
    expect(both.message).toContain('only one of');
  });

  it('survives any text without an error of another kind', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 80 }), (source) => {
        try {
          parseConfigPbtxt(source);
        } catch (error) {
          expect(error).toBeInstanceOf(WorkbenchError);
        }
      }),
    );
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { WorkbenchError } from '../../../main/contract/errors';
import { readMatrix } from '../../../main/specification/matrix';
import { forecastMatrix, recommendationRunner } from './published';

const presets = [
  { id: 'tft', title: 'Temporal Fusion Transformer' },
  { id: 'resnet50', title: 'ResNet50' },
  { id: 'wide-and-deep', title: 'Wide & Deep' },
];
const read = (file: object | string, preset: string | null = null) =>
  readMatrix({
    text: typeof file === 'string' ? file : stringify(file),
    fileName: 'matrix.yaml',
    preset,
    presets,
  });

/** What the file is refused with, and at which key. */
function refusal(
  file: object | string,
  preset: string | null = null,
): readonly [where: string | undefined, message: string] {
  try {
    read(file, preset);
  } catch (error) {
    if (error instanceof WorkbenchError && error.code === 'input-invalid')
      return [error.where, error.message];
    throw error;
  }
  throw new Error('The file was taken');
}

describe('a matrix of fields', () => {
  it('takes merged axes as its own', () => {
    const { entries } = read('matrix:\n  <<: {precision: [fp16, fp32]}\n  preset: [tft]\n');
    expect(entries.map(({ axes }) => axes.map(({ field }) => field))).toEqual([
      ...Array.from({ length: 2 }, () => ['precision', 'model.preset']),
    ]);
  });

  it('has one run per combination, the last axis changing fastest, over what all have in common', () => {
    const { name, entries } = read({
      name: 'night',
      matrix: { preset: ['tft', 'resnet50'], format: ['onnx', 'trt'], precision: 'fp16', gpu: ['idlest'] },
      profile: 'quick',
      performance: { batchSizes: [1, 2] },
    });
    expect(name).toBe('night');
    expect(entries.map(({ axes }) => axes.map(({ value }) => value).join(' '))).toEqual([
      'tft onnx fp16 idlest',
      'tft trt fp16 idlest',
      'resnet50 onnx fp16 idlest',
      'resnet50 trt fp16 idlest',
    ]);
    expect(entries[3]).toMatchObject({ preset: 'resnet50', refusal: null });
    expect(entries[3]?.overrides).toEqual({
      model: { preset: 'resnet50', profile: 'quick' },
      format: 'trt',
      precision: 'fp16',
      engine: { kind: 'docker', gpus: ['idlest'] },
      performance: { batchSizes: [1, 2] },
    });
  });

  it.each([
    ['configure.maxBatchSize', [8, 16], { configure: { maxBatchSize: 8 } }],
    ['max-batch-size', [8, 16], { configure: { maxBatchSize: 8 } }],
    ['MAX_BATCH_SIZE', [8, '16'], { configure: { maxBatchSize: 8 } }],
    ['maxBatchSize', [8, 16], { configure: { maxBatchSize: 8 } }],
    ['engine', ['local', 'docker'], { engine: { kind: 'local' } }],
    ['release', ['25.02', '26.07'], { engine: { kind: 'docker', release: '25.02' } }],
    ['batch-sizes', [[1, 2], [4]], { performance: { batchSizes: [1, 2] } }],
    ['performance.concurrency', ['formula', [1]], { performance: { concurrency: 'formula' } }],
    ['BATCH_SIZES', ['1 2', '4'], { performance: { batchSizes: [1, 2] } }],
    ['gpu', ['none', 'idlest'], {}],
    ['gpu', [['GPU-a', 'GPU-b'], 'all'], { engine: { kind: 'docker', gpus: ['GPU-a', 'GPU-b'] } }],
    ['host', ['a', 'local'], { engine: { kind: 'docker', host: 'a' } }],
    ['engine.host', ['local', 'a'], { engine: { kind: 'docker' } }],
    ['model.args.width', ['32', '64'], { model: { args: { width: '32' } } }],
    ['model.args.width', [32, 64], { model: { args: { width: '32' } } }],
    ['accuracy.atol.OUTPUT__0', [0.1, 1], { accuracy: { atol: { OUTPUT__0: 0.1 } } }],
  ])('takes the axis %s', (key, values, first) => {
    const { entries } = read({ matrix: { [key]: values } }, 'resnet50');
    expect(entries).toHaveLength(2);
    expect(entries[0]?.overrides).toEqual(first);
  });

  it.each([
    [undefined, null],
    ['all', ['all']],
    [
      ['a', 'b'],
      ['a', 'b'],
    ],
    ['a, local', ['a', 'local']],
  ])('may be spread over hosts: %j', (hosts, names) => {
    const file = read(
      { matrix: { precision: ['fp32', 'fp16'] }, ...(hosts === undefined ? {} : { hosts }) },
      'tft',
    );
    expect([file.hosts, file.entries.length]).toEqual([names, 2]);
  });

  it.each([
    [{ matrix: { precision: ['fp32'] }, hosts: [] }, 'hosts', /No host is named/],
    [{ matrix: { precision: ['fp32'] }, hosts: ['A'] }, 'hosts', /"A" is not the name of a host/],
    [{ matrix: { precision: ['fp32'] }, hosts: [{ name: 'a' }] }, 'hosts', /is not the name of a host/],
    [{ matrix: {} }, 'matrix', /no axes/],
    [{ matrix: { format: [] } }, 'matrix.format', /no values/],
    [{ matrix: { format: ['onx'] } }, 'format', /"onx" is not one of onnx, ts-trace/],
    [{ matrix: { formt: ['onnx'] } }, 'formt', /"formt" does not name one field/],
    [{ matrix: { sharedMemory: ['none'] } }, 'sharedMemory', /does not name one field/],
    [{ matrix: { engine: ['onnx'] } }, 'engine', /"onnx" is not one of local, docker, remote/],
    [{ matrix: { version: [1] } }, 'version', /does not name one field/],
    [{ matrix: { format: ['onnx', 'onnx'] } }, 'matrix.format', /"onnx" appears twice/],
    [{ matrix: { format: ['onnx'], FORMAT: ['trt'] } }, 'matrix', /Two axes set format/],
    [{ matrix: { concurrency: [1, 2] } }, 'concurrency', /takes a list, not 1/],
    [{ matrix: { gpu: [0] } }, 'gpu', /0 is not a GPU/],
    [{ matrix: { precision: ['fp32'] }, nothing: 1 }, 'nothing', /does not name one field/],
    [{ name: '../up', matrix: { precision: ['fp32'] } }, 'name', /not a name/],
    [
      {
        matrix: {
          onnxOpset: [11, 12, 13, 14, 15, 16, 17],
          instances: Array.from({ length: 40 }, (_, at) => at + 1),
        },
      },
      'matrix',
      /has 280 runs; the limit is 256/,
    ],
    [{ precision: 'fp32' }, 'matrix.yaml', /neither "matrix" nor "configurations"/],
    ['- 1\n', 'matrix.yaml', /neither/],
    ['matrix: [1\nb: 2\n', 'matrix.yaml', /at line 2/],
    [`# ${'x'.repeat(70_000)}\n`, 'matrix.yaml', /at most 65536/],
  ])('%j is refused at %s', (file, where, message) => {
    const refused = refusal(file);
    expect(refused[0]).toBe(where);
    expect(refused[1]).toMatch(message);
  });

  it('is refused beside a preset where it names presets itself', () => {
    expect(refusal({ matrix: { preset: ['tft'] } }, 'resnet50')[0]).toBe('[preset]');
    expect(read({ matrix: { precision: ['fp32'] } }, 'resnet50').entries[0]?.preset).toBeNull();
  });

  it('loses no combination and makes none twice, whatever the axes', () => {
    const axes = fc.record(
      {
        precision: fc.subarray(['fp32', 'fp16'], { minLength: 1 }),
        format: fc.subarray(['onnx', 'trt', 'ts-trace', 'ts-script'], { minLength: 1 }),
        instances: fc.uniqueArray(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 }),
        'model.args.width': fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 3 }),
      },
      { requiredKeys: ['format'] },
    );
    fc.assert(
      fc.property(axes, (matrix) => {
        const { entries } = read({ matrix });
        const sizes = Object.values(matrix).map((values) => values.length);
        expect(entries).toHaveLength(sizes.reduce((product, size) => product * size, 1));
        expect(new Set(entries.map(({ overrides }) => JSON.stringify(overrides))).size).toBe(entries.length);
      }),
    );
  });
});

describe('a published runner configuration', () => {
  it('of the Temporal Fusion Transformer has all four configurations, told apart by format and checkpoint', () => {
    const { entries } = read(forecastMatrix());
    expect(entries.map(({ preset }) => preset)).toEqual(['tft', 'tft', 'tft', 'tft']);
    expect(entries.map(({ axes }) => axes)).toEqual(
      [
        ['electricity_bin', 'trt'],
        ['traffic_bin', 'trt'],
        ['electricity_bin', 'ts-trace'],
        ['traffic_bin', 'ts-trace'],
      ].map(([checkpoint, format]) => [
        { field: 'CHECKPOINT_VARIANT', value: checkpoint },
        { field: 'format', value: format },
      ]),
    );
    expect(entries.map(({ overrides }) => overrides['format'])).toEqual([
      'trt',
      'trt',
      'ts-trace',
      'ts-trace',
    ]);
  });

  it('of Wide & Deep has both', () => {
    const { entries } = read(recommendationRunner);
    expect(
      entries.map(({ preset, overrides }) => [preset, overrides['format'], overrides['precision']]),
    ).toEqual([
      ['wide-and-deep', 'tf-savedmodel', 'fp32'],
      ['wide-and-deep', 'trt', 'fp16'],
    ]);
  });

  it('takes the weights and data of each configuration from the paths beside their names', () => {
    const names = ['electricity_bin', 'traffic_bin'];
    const { entries } = read(
      forecastMatrix({
        checkpoints: names.map((name) => ({ name, url: '', path: `/weights/${name}.pt` })),
        datasets: names.map((name) => ({ name, path: `/data/${name}` })),
      }),
    );
    expect(entries.map(({ overrides }) => overrides['model'])).toEqual(
      [0, 1, 0, 1].map((at) => ({
        checkpoint: `/weights/${names[at] ?? ''}.pt`,
        dataset: `/data/${names[at] ?? ''}`,
      })),
    );
  });

  it('of another model needs a preset beside it', () => {
    const other = forecastMatrix({ model_name: 'GPUNet' });
    expect(refusal(other)[0]).toBe('[preset]');
    expect(read(other, 'resnet50').entries.map(({ preset }) => preset)).toContain('resnet50');
    expect(refusal({ configurations: [], model_name: 'TFT' })).toEqual([
      'configurations',
      'The file contains no configuration',
    ]);
  });

  it('keeps what it cannot run in its place, with the reason', () => {
    const { entries } = read({
      model_name: 'TFT',
      configurations: [{ format: 'onnx' }, 'text', { format: 'onnx', triton_instances: 2 }, null],
    });
    expect(entries.map(({ refusal: reason }) => reason)).toEqual([
      null,
      'The configuration is not a mapping of parameters.',
      expect.stringMatching(/^TRITON_INSTANCES=2: /),
      'The configuration is not a mapping of parameters.',
    ]);
  });

  it('loses no configuration, of either form and whatever stands in it', () => {
    const parameters = fc.dictionary(
      fc.constantFrom('format', 'precision', 'max_batch_size', 'own'),
      fc.jsonValue(),
    );
    const configuration = fc.oneof(
      parameters,
      parameters.map((inner) => ({ checkpoint: 'a', parameters: inner })),
      fc.jsonValue(),
    );
    fc.assert(
      fc.property(fc.array(configuration, { minLength: 1, maxLength: 6 }), (configurations) => {
        const { entries } = read(JSON.stringify({ model_name: 'TFT', configurations }));
        expect(entries).toHaveLength(configurations.length);
        const formats = entries.map(({ overrides }) => overrides['format'] ?? null);
        const wanted = configurations.map((one) => formatIn(one));
        for (const [at, format] of formats.entries()) {
          if (format !== null) expect(wanted[at]).toContain(format);
        }
      }),
    );
  });
});

const formatIn = (configuration: unknown): string => JSON.stringify(configuration);

describe('a value that its field does not take', () => {
  it.each([
    [{ instances: [1, 'abc'] }, 'instances', '"abc" is not a value of'],
    [{ instances: [1, 0] }, 'instances', '0 is not a value of'],
    [{ instances: [1, 1.5] }, 'instances', '1.5 is not a value of'],
    [{ batchSizes: [[1, 'x']] }, 'batchSizes', '"x" is not a value of'],
  ])('is refused before anything is planned: %j', (matrix, where, message) => {
    const [at, text] = refusal({ matrix: { preset: ['tft'], ...matrix } });
    expect(at).toBe(where);
    expect(text).toContain(message);
  });
});

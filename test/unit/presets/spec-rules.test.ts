import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readPreset } from '../../../main/presets/presets';
import { layerSpec, parseSpec, resolveSpec } from '../../../main/presets/resolve-spec';
import { ruleFindings } from '../../../main/presets/spec-rules';

const { preset } = await readPreset(join(process.cwd(), 'resources', 'models', 'resnet50'));
const findings = (overrides = {}) => ruleFindings(preset, parseSpec(layerSpec(preset, overrides)));
const fields = (overrides = {}) =>
  findings(overrides).map(({ field, severity }) => (severity === 'warning' ? `(${field})` : field));

const gpu = { kind: 'docker', gpus: ['all'] };
const ngc = { kind: 'docker', images: 'ngc' };
const configure = (part: object) => ({ configure: part });

describe('the rules', () => {
  it('know that a metric where lower is better has no upper end', async () => {
    const tft = await readPreset(join(process.cwd(), 'resources', 'models', 'tft'));
    const warned = (threshold: number) => {
      const overrides = { accuracy: { thresholds: { test_p50: threshold } } };
      return ruleFindings(tft.preset, parseSpec(layerSpec(tft.preset, overrides))).map(({ field }) => field);
    };
    expect([warned(0), warned(1.4), warned(-0.1)]).toEqual([[], [], ['accuracy.thresholds.test_p50']]);
  });

  it('know the metrics of labels beside a golden file', () => {
    const found = (thresholds: object, golden?: string) => {
      const spec = parseSpec(layerSpec(preset, { accuracy: { thresholds, golden } }));
      return ruleFindings(preset, spec)
        .filter(({ field }) => field.startsWith('accuracy.thresholds'))
        .map(({ message, severity }) => `${severity}: ${message}`);
    };
    expect(found({ accuracy: 0.9, 'word-error-rate': 1.4 }, '/kept.json')).toEqual([]);
    expect(found({ accuracy: 90 }, '/kept.json')).toEqual(['warning: No value reaches a threshold above 1']);
    expect(found({ 'word-error-rate': -1 }, '/kept.json')).toEqual([
      'warning: No value reaches a threshold below 0',
    ]);
    const [unknown] = found({ acuracy: 0.9 }, '/kept.json');
    expect(unknown).toContain('has no metric "acuracy"');
    expect(found({ accuracy: 0.9 })).toHaveLength(1);
  });

  it('give the reason where the document has a format that the preset has not', async () => {
    const fastpitch = await readPreset(join(process.cwd(), 'resources', 'models', 'fastpitch'));
    const spec = parseSpec(layerSpec(fastpitch.preset, { format: 'trt', engine: gpu }));
    const [first] = ruleFindings(fastpitch.preset, spec);
    expect(first).toMatchObject({ field: 'format', severity: 'problem' });
    expect(first?.message).toContain('does not support trt. The number of mel frames follows');
  });

  it('say nothing of the defaults of either profile', () => {
    expect(fields()).toEqual([]);
    expect(fields({ model: { profile: 'full' }, precision: 'fp16' })).toEqual([]);
  });

  it.each([
    // Accelerator × format × engine × precision.
    [configure({ backendAccelerator: 'trt' }), ['configure.backendAccelerator']],
    [{ engine: gpu, ...configure({ backendAccelerator: 'trt' }) }, []],
    [{ engine: ngc, ...configure({ backendAccelerator: 'trt' }) }, ['configure.backendAccelerator']],
    [{ engine: gpu, ...configure({ backendAccelerator: 'amp' }) }, ['configure.backendAccelerator']],
    [
      { engine: gpu, format: 'ts-trace', ...configure({ backendAccelerator: 'trt' }) },
      ['configure.backendAccelerator'],
    ],
    [{ engine: gpu, format: 'ts-trace', ...configure({ backendAccelerator: 'cuda' }) }, []],
    [{ format: 'ts-script', precision: 'fp16' }, ['(precision)']],
    [{ engine: gpu, format: 'ts-script', precision: 'fp16' }, []],
    [configure({ instanceKind: 'KIND_GPU' }), ['configure.instanceKind']],
    [{ engine: ngc, ...configure({ instanceKind: 'KIND_GPU' }) }, ['configure.instanceKind']],
    [{ engine: gpu, ...configure({ instanceKind: 'KIND_GPU' }) }, []],
    [
      { engine: gpu, ...configure({ instanceKind: 'KIND_CPU', backendAccelerator: 'cuda' }) },
      ['configure.instanceKind'],
    ],
    [{ engine: gpu, ...configure({ captureCudaGraph: true }) }, ['configure.captureCudaGraph']],
    // What config.pbtxt holds as an int32.
    [configure({ maxBatchSize: 2 ** 31 - 1 }), []],
    [configure({ maxBatchSize: 99_999_999_999 }), ['configure.maxBatchSize']],
    [configure({ instances: 2 ** 31 }), ['configure.instances']],
    // Batches.
    [configure({ preferredBatchSizes: [4, 16] }), ['configure.preferredBatchSizes']],
    [
      configure({ maxBatchSize: 0, batching: 'dynamic' }),
      ['configure.maxBatchSize', 'performance.batchSizes'],
    ],
    [configure({ batching: 'disabled' }), ['performance.batchSizes']],
    [{ ...configure({ batching: 'disabled' }), performance: { batchSizes: [1] } }, []],
    [{ performance: { onlineBatchSize: 9 } }, ['performance.onlineBatchSize']],
    // Accuracy.
    [{ accuracy: { thresholds: { top1: 90 } } }, ['(accuracy.thresholds.top1)']],
    [{ accuracy: { thresholds: { top1: -0.1 } } }, ['(accuracy.thresholds.top1)']],
    [{ accuracy: { thresholds: { map12: 0.5 } } }, ['accuracy.thresholds.map12']],
    [{ accuracy: { atol: { OUTPUT__0: 1, OUTPUT__1: 1 } } }, ['accuracy.atol.OUTPUT__1']],
    // Places.
    [{ engine: { kind: 'local', httpPort: 8000, grpcPort: 8000 } }, ['engine.grpcPort']],
    [{ engine: { kind: 'local', httpPort: 80 } }, ['(engine.httpPort)']],
    [{ engine: { kind: 'remote', url: 'ftp://triton:8000' } }, ['engine.url']],
    [{ engine: { kind: 'remote', url: 'http://triton:8000' } }, ['(engine.url)']],
    [{ engine: { kind: 'remote', url: 'http://localhost:8000' } }, []],
    [{ engine: { kind: 'docker', images: 'cpu', gpus: ['all'] } }, ['(engine.images)']],
    [{ engine: { kind: 'docker', release: '26.07' } }, ['(engine.release)']],
    [{ model: { checkpoint: 'own.pt' } }, ['model.checkpoint']],
    // Measuring.
    [{ performance: { inputData: 'file' } }, ['performance.inputDataFile']],
    [{ performance: { inputData: 'file', inputDataFile: 'own.json' } }, ['performance.inputDataFile']],
    [{ performance: { inputData: 'file', inputDataFile: '/own.json' } }, []],
    [{ accuracy: { golden: 'kept.json' } }, ['accuracy.golden']],
    // A preset has metrics, which a file of outputs has not.
    [{ accuracy: { golden: '/kept.json' } }, ['accuracy.golden']],
    [{ deadlines: { deplpoy: 5 } }, ['(deadlines.deplpoy)']],
  ])('%j -> %j', (overrides, expected) => {
    expect(fields(overrides)).toEqual(expected);
    for (const { message, remedy } of findings(overrides)) {
      expect(message).not.toBe('');
      expect(remedy).not.toBe('');
    }
  });

  it.each([
    ['one with gpus is kept', { gpus: [1], kind: 'KIND_GPU' }, ['GPU-a', 'GPU-b'], 'note', '1 on 1 GPU.'],
    [
      'one without is on every GPU',
      { count: 2 },
      ['GPU-a', 'GPU-b'],
      'note',
      'on every GPU that Triton sees',
    ],
    [
      'a GPU that the container lacks',
      { gpus: [2] },
      ['GPU-a', 'GPU-b'],
      'problem',
      'names GPU 2, but the container has 2 GPUs',
    ],
    ['the second of one', { gpus: [1] }, ['idlest'], 'problem', 'has 1 GPU, numbered 0'],
  ])('say what an edited instance_group means: %s', (_what, group, gpus, severity, text) => {
    const [found, ...more] = findings({
      engine: { kind: 'docker', gpus },
      ...configure({ configPatch: { instanceGroup: [group] } }),
    });
    expect(more).toEqual([]);
    expect(found).toMatchObject({ field: 'configure.configPatch', severity });
    expect(found?.message).toContain(text);
  });

  it('warn of MIG devices that one Triton cannot use together', () => {
    const warned = (...gpus: string[]) => fields({ engine: { kind: 'docker', gpus } });
    expect([warned('MIG-1', 'MIG-2'), warned('MIG-1'), warned('GPU-1', 'GPU-2')]).toEqual([
      ['(engine.gpus)'],
      [],
      [],
    ]);
  });

  it('are told all at once', () => {
    const bad = { preferredBatchSizes: [16], instanceKind: 'KIND_GPU', backendAccelerator: 'trt' };
    const several = [
      'configure.backendAccelerator',
      'configure.instanceKind',
      'configure.preferredBatchSizes',
    ];
    expect(fields(configure(bad))).toEqual(several);
    const details = several.map((field) => expect.stringContaining(field) as string);
    expect(() => resolveSpec(preset, configure(bad))).toThrow(
      expect.objectContaining({ where: several[0], details: details[1] }),
    );
  });
});

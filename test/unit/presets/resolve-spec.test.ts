import { describe, expect, it } from 'vitest';
import type { Preset } from '../../../main/contract/run/preset';
import { mergeTrees } from '../../../main/contract/trees';
import { resolveSpec, unknownFieldRemedy } from '../../../main/presets/resolve-spec';

const preset: Preset = {
  id: 'toy',
  title: 'Toy',
  summary: 'A model for these tests',
  formats: ['onnx', 'ts-trace'],
  precisions: ['fp32', 'fp16'],
  accelerators: ['none', 'trt'],
  metrics: [{ name: 'top1', title: 'Top-1' }],
  origin: { dataset: '', checkpoint: '', paper: '' },
  signature: {
    inputs: [{ name: 'x', datatype: 'FP32', shape: [-1, 3] }],
    outputs: [{ name: 'y', datatype: 'FP32', shape: [-1, 'classes'] }],
  },
  defaults: { precision: 'fp16', configure: { maxBatchSize: 128, preferredBatchSizes: [64, 128] } },
  profiles: {
    quick: {
      summary: 'small',
      args: { classes: '10', wide: 'false' },
      defaults: { precision: 'fp32', configure: { maxBatchSize: 8, preferredBatchSizes: [4, 8] } },
      byPrecision: { fp16: { accuracy: { atol: { '*': 0.25 } } } },
    },
  },
};

describe('the remedy for an unknown field', () => {
  it.each([
    [['performance'], 'concurency', 'Did you mean performance.concurrency?'],
    [[], 'performence', 'Did you mean performance?'],
    // The name of one field only, in another place.
    [[], 'batchSizes', 'Did you mean performance.batchSizes?'],
    [['configure'], 'instance', 'Did you mean configure.instances?'],
    [['performance'], 'colour', 'Check its name, or remove it: the command "fields performance" lists'],
  ])('of %j is for %s: %s', (path, key, text) => {
    expect(unknownFieldRemedy(path, key)).toContain(text);
  });
});

describe('resolveSpec', () => {
  it('lays profile over preset over base', () => {
    const spec = resolveSpec(preset, {});
    expect(spec.model).toEqual({ preset: 'toy', profile: 'quick', args: { classes: '10', wide: 'false' } });
    expect(spec.configure).toMatchObject({ modelName: 'toy', maxBatchSize: 8, preferredBatchSizes: [4, 8] });
    expect(spec.precision).toBe('fp32');
    expect(spec.accuracy.atol).toEqual({ '*': 1e-3 });
  });

  it('has no warm-up beside a number of requests, unless one is asked for', () => {
    const warmupMs = (performance: object) => resolveSpec(preset, { performance }).performance.warmupMs;
    expect(warmupMs({})).toBe(1000);
    expect(warmupMs({ requestCount: 20 })).toBe(0);
    expect(warmupMs({ warmupRequestCount: 5 })).toBe(0);
    expect(warmupMs({ requestCount: 20, warmupMs: 300 })).toBe(300);
  });

  it('takes numbers and booleans of the arguments as the text that they reach the code as', () => {
    const of = (classes: unknown) => resolveSpec(preset, { model: { args: { classes, wide: true } } });
    expect(of(64).model.args).toEqual({ classes: '64', wide: 'true' });
    expect(of(64)).toEqual(of('64'));
    expect(() => of([64])).toThrow(/model.args.classes: must be text or a number or true or false/);
  });

  it('takes what the profile says of the chosen precision, below what the user says', () => {
    expect(resolveSpec(preset, { precision: 'fp16' }).accuracy.atol).toEqual({ '*': 0.25 });
    const own = resolveSpec(preset, { precision: 'fp16', accuracy: { atol: { '*': 1 } } });
    expect(own.accuracy.atol).toEqual({ '*': 1 });
  });

  it('takes what preset and profile say of the chosen format, the profile last', () => {
    const layered = {
      ...preset,
      byFormat: { 'ts-trace': { onnxOpset: 12, configure: { maxBatchSize: 64, instances: 3 } } },
      profiles: {
        quick: {
          summary: 'small',
          args: {},
          defaults: { configure: { maxBatchSize: 8, preferredBatchSizes: [4, 8] } },
          byFormat: { 'ts-trace': { configure: { instances: 2 } } },
        },
      },
    } satisfies Preset;
    expect(resolveSpec(layered, {}).configure.instances).toBe(1);
    const traced = resolveSpec(layered, { format: 'ts-trace' });
    expect(traced.onnxOpset).toBe(12);
    expect(traced.configure).toMatchObject({ maxBatchSize: 8, instances: 2 });
  });

  it('sweeps twice as many items under way for twice the GPUs', () => {
    const highest = (...gpus: string[]) => {
      const { performance } = resolveSpec(preset, {
        engine: { kind: 'docker', gpus },
        configure: { maxBatchSize: 8, instances: 2 },
        performance: { concurrency: 'formula' },
      });
      return performance.concurrency.at(-1);
    };
    expect([highest('GPU-a'), highest('GPU-a', 'GPU-b'), highest('all')]).toEqual([32, 64, 32]);
  });

  it("sweeps the concurrency by the seeds' formula unless a list is given", () => {
    const { performance } = resolveSpec(preset, { configure: { maxBatchSize: 128 } });
    expect(performance.onlineBatchSize).toBe(1);
    expect(performance.concurrency).toEqual(Array.from({ length: 32 }, (_, index) => 8 * (index + 1)));
    const listed = { performance: { concurrency: [3], onlineBatchSize: 2 } };
    expect(resolveSpec(preset, listed).performance).toMatchObject(listed.performance);
    const asked = resolveSpec({ ...preset, defaults: listed }, { performance: { concurrency: 'formula' } });
    expect(asked.performance.concurrency[0]).toBe(1);
    expect(asked.performance.concurrency).toHaveLength(16);
  });

  it('drops the thresholds of the preset for weights or data of the user', () => {
    const strict = { ...preset, defaults: { accuracy: { thresholds: { top1: 0.9 } } } };
    expect(resolveSpec(strict, {}).accuracy.thresholds).toEqual({ top1: 0.9 });
    expect(resolveSpec(strict, { model: { checkpoint: '/own.pt' } }).accuracy.thresholds).toEqual({});
    const asked = { model: { dataset: '/own' }, accuracy: { thresholds: { top1: 0.5 } } };
    expect(resolveSpec(strict, asked).accuracy.thresholds).toEqual({ top1: 0.5 });
  });

  it.each([
    [{ configure: { maxBatchSize: 'many' } }, 'spec-invalid', 'configure.maxBatchSize'],
    [{ configure: { preferredBatchSizes: [16] } }, 'spec-invalid', 'configure.preferredBatchSizes'],
    [{ performance: { batchSizes: [16] } }, 'spec-invalid', 'performance.batchSizes'],
    [{ performance: { onlineBatchSize: 9 } }, 'spec-invalid', 'performance.onlineBatchSize'],
    [{ model: { profile: 'full' } }, 'spec-invalid', 'model.profile'],
    [{ nothing: 1 }, 'spec-invalid', 'nothing'],
    [{ format: 'ts-script' }, 'combination-unsupported', 'format'],
    [{ configure: { backendAccelerator: 'trt' } }, 'combination-unsupported', 'configure.backendAccelerator'],
    [{ configure: { modelName: '../up' } }, 'spec-invalid', 'configure.modelName'],
  ])('refuses %j', (overrides, code, where) => {
    expect(() => resolveSpec(preset, overrides)).toThrow(expect.objectContaining({ code, where }));
  });
});

it('merges without reaching a prototype', () => {
  const hostile = JSON.parse(
    '{"__proto__": {"polluted": true}, "a": {"__proto__": {"polluted": true}}}',
  ) as object;
  mergeTrees({ a: {} }, { ...hostile });
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
});

describe("release of NVIDIA's images", () => {
  const made: Preset = { ...preset, ngcRelease: '25.06' };
  const releaseOf = (engine: object) => {
    const resolved = resolveSpec(made, { engine: { kind: 'docker', ...engine } }).engine;
    return resolved.kind === 'docker' ? resolved.release : null;
  };

  it('is open until the machine of the run is known, unless somebody names one', () => {
    expect(releaseOf({ gpus: ['all'] })).toBeUndefined();
    expect(releaseOf({ gpus: ['all'], release: '26.07' })).toBe('26.07');
  });

  it.each([
    [{ release: '21.12' }, 'no option --http-address'],
    [{ release: '24.01' }, '24.10 is the oldest release whose PyTorch'],
    [{ tritonImage: 'nvcr.io/nvidia/tritonserver:21.12-py3' }, 'no option --http-address'],
    [{ tritonImage: 'nvcr.io/nvidia/tritonserver:24.01-py3', release: '24.01' }, 'PyTorch'],
  ])('refuses %j, which cannot be started', (engine, reason) => {
    expect(() => releaseOf({ gpus: ['all'], ...engine })).toThrow(reason);
  });

  it.each([
    { release: '24.10' },
    { release: '22.04', clientImage: 'mine:1' },
    { tritonImage: 'nvcr.io/nvidia/tritonserver:24.01-py3' },
    { tritonImage: 'mine:1' },
  ])('takes %j', (engine) => {
    expect(() => releaseOf({ gpus: ['all'], ...engine })).not.toThrow();
  });
});

import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readPreset } from '../../../main/presets/presets';
import { resolveSpec } from '../../../main/presets/resolve-spec';
import { atPrecision, signatureOf } from '../../../main/presets/signature';

const { preset } = await readPreset(join(process.cwd(), 'resources', 'models', 'tft'));

describe('the preset of TFT', () => {
  it('has the published tensors, those of absent features with one column', () => {
    const { inputs, outputs } = atPrecision(signatureOf(preset, resolveSpec(preset, {})), 'fp16');
    const text = inputs.map(({ name, datatype, shape }) => `${name} ${datatype} ${shape.join('x')}`);
    expect(text).toEqual([
      's_cat__0 INT64 -1x192x1',
      's_cont__1 FP16 -1x1',
      'k_cat__2 INT64 -1x1',
      'k_cont__3 FP16 -1x192x3',
      'o_cat__4 INT64 -1x1',
      'o_cont__5 FP16 -1x1',
      'target__6 FP16 -1x192x1',
      'id__7 INT64 -1x192x1',
    ]);
    expect(outputs).toEqual([{ name: 'target__0', datatype: 'FP16', shape: [-1, 24, 3] }]);
  });

  it('has the published defaults, and the sweep that follows from them', () => {
    const published = { ...preset, profiles: { quick: { summary: '', args: {}, defaults: {} } } };
    const { precision, onnxOpset, configure, performance } = resolveSpec(published, {});
    expect([precision, onnxOpset]).toEqual(['fp16', 13]);
    expect(configure).toMatchObject({
      maxBatchSize: 1024,
      preferredBatchSizes: [512, 1024],
      maxQueueDelayUs: 1,
      instances: 2,
    });
    expect(performance.batchSizes).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024]);
    expect(performance).toMatchObject({ onlineBatchSize: 16, measurementRequestCount: 500 });
    expect(performance.concurrency).toEqual(Array.from({ length: 32 }, (_, index) => 8 * (index + 1)));
  });

  it.each(['onnx', 'ts-trace', 'ts-script'])('resolves in both profiles and precisions as %s', (format) => {
    for (const profile of ['quick', 'full']) {
      for (const precision of ['fp32', 'fp16']) {
        const spec = resolveSpec(preset, { model: { profile }, format, precision });
        expect(Math.max(...Object.values(spec.accuracy.atol))).toBeLessThanOrEqual(0.03);
      }
    }
  });
});

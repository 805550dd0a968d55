import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readPreset } from '../../../main/presets/presets';
import { layerSpec, parseSpec } from '../../../main/presets/resolve-spec';
import { ruleFindings } from '../../../main/presets/spec-rules';

const { preset } = await readPreset(join(process.cwd(), 'resources', 'models', 'wide_and_deep'));
const fields = (overrides = {}) =>
  ruleFindings(preset, parseSpec(layerSpec(preset, overrides)))
    .filter(({ severity }) => severity === 'problem')
    .map(({ field }) => field);
const gpu = { kind: 'docker', gpus: ['all'] };

describe('the preset wide-and-deep', () => {
  it('says nothing wrong of its own profiles and formats', () => {
    for (const profile of ['quick', 'full']) {
      for (const format of preset.formats) {
        const place = format === 'trt' ? { engine: gpu } : {};
        expect(fields({ model: { profile }, format, ...place })).toEqual([]);
      }
      expect(fields({ model: { profile }, format: 'trt' })).toEqual(['format']);
      expect(fields({ model: { profile }, format: 'onnx', precision: 'fp16' })).toEqual([]);
    }
  });

  it('refuses what TensorFlow cannot do, naming the field', () => {
    expect(fields({ precision: 'fp16' })).toEqual(['precision']);
    expect(fields({ format: 'ts-trace' })).toEqual(['format']);
    expect(fields({ configure: { backendAccelerator: 'amp' } })).toEqual(['configure.backendAccelerator']);
    expect(fields({ engine: gpu, configure: { backendAccelerator: 'amp' } })).toEqual([]);
    expect(fields({ engine: gpu, format: 'onnx', configure: { backendAccelerator: 'amp' } })).toEqual([
      'configure.backendAccelerator',
    ]);
  });

  it('refuses a release without the TensorFlow backend for a SavedModel', () => {
    expect(fields({ engine: gpu })).toEqual([]);
    expect(fields({ engine: { ...gpu, release: '25.03' } })).toEqual(['engine.release']);
    expect(fields({ engine: { ...gpu, release: '25.03' }, format: 'onnx' })).toEqual([]);
    const tritonImage = 'nvcr.io/nvidia/tritonserver:26.07-py3';
    expect(fields({ engine: { ...gpu, tritonImage } })).toEqual(['engine.tritonImage']);
    expect(fields({ engine: { ...gpu, tritonImage: 'mine:1' } })).toEqual([]);
    expect(fields({ engine: { kind: 'docker' } })).toEqual([]);
  });
});

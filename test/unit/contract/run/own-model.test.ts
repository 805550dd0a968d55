import { describe, expect, it } from 'vitest';
import { sampleTensors } from '../../../../main/contract/run/own-model';
import type { ModelSource } from '../../../../main/contract/run/run-spec';
import { formatOf } from '../../../../main/formats/formats';
import { modelConfigOf } from '../../../../main/formats/model-config-of';
import { filePreset } from '../../../../main/own/own-preset';
import { resolveSpec } from '../../../../main/presets/resolve-spec';
import { signatureOf } from '../../../../main/presets/signature';

const tensor = (name: string, shape: number[]) => ({ name, datatype: 'FP32', shape });
const source: ModelSource = {
  kind: 'onnx',
  path: '/models/vad.onnx',
  title: 'VAD',
  inputs: [
    { ...tensor('wave', [1, -1]), sample: [1, 512] },
    { ...tensor('state', [2, -1, 64]), sample: [2, 1, 64] },
    { name: 'rate', datatype: 'INT64', shape: [], sample: [] },
  ],
  outputs: [tensor('speech', [-1])],
  batched: false,
  externalFiles: [],
};
const preset = filePreset(source);
const spec = resolveSpec(preset, { model: { source } });

describe('a model without a batch', () => {
  it('is served with an axis of 1 before every tensor that has none, which Triton takes off again', () => {
    const config = modelConfigOf({ spec, signature: signatureOf(preset, spec), format: formatOf('onnx') });
    expect(config.maxBatchSize).toBe(0);
    expect(config.input).toEqual([
      { name: 'wave', dataType: 'TYPE_FP32', dims: [1, -1] },
      { name: 'state', dataType: 'TYPE_FP32', dims: [1, 2, -1, 64], reshape: { shape: [2, -1, 64] } },
      { name: 'rate', dataType: 'TYPE_INT64', dims: [1] },
    ]);
    expect(config.output).toEqual([
      { name: 'speech', dataType: 'TYPE_FP32', dims: [1, -1], reshape: { shape: [-1] } },
    ]);
  });

  it('has samples without that axis, in the shapes that the specification gives', () => {
    const shapes = { wave: [1, 256] };
    const changed = resolveSpec(preset, { model: { source, shapes } });
    expect(sampleTensors(changed.model).map(({ shape }) => shape)).toEqual([[256], [2, 1, 64], []]);
  });

  it.each([
    ['wave', [2, 256], 'does not fit [1, -1]'],
    ['wave', [256], 'does not fit'],
    ['noise', [1], 'no input "noise"'],
  ])('takes no shape of %s %j', (name, shape, message) => {
    expect(() => resolveSpec(preset, { model: { source, shapes: { [name]: shape } } })).toThrow(message);
  });
});

describe('a plan of an own file', () => {
  const fixed = {
    ...source,
    inputs: source.inputs.map((input) => ({ ...input, shape: input.sample })),
  };
  const planOf = (model: { source: ModelSource }, images: 'ngc' | 'cpu' = 'ngc') =>
    resolveSpec(preset, {
      engine: { kind: 'docker', images, gpus: images === 'ngc' ? ['idlest'] : [] },
      format: 'trt',
      model,
    });

  it('may differ as far as another runtime does', () => {
    expect(preset.formats).toEqual(['onnx', 'trt']);
    expect(planOf({ source: fixed }).accuracy.atol).toEqual({ '*': 1e-3 });
    expect(resolveSpec(preset, { model: { source } }).accuracy.atol).toEqual({ '*': 1e-4 });
  });

  it('is refused without a GPU, and where nobody says for which sizes', () => {
    expect(() => planOf({ source: fixed }, 'cpu')).toThrow('built and served on a GPU');
    expect(() => planOf({ source })).toThrow('needs inputs of fixed sizes');
  });
});

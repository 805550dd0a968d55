import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readPreset } from '../../../main/presets/presets';
import { resolveSpec } from '../../../main/presets/resolve-spec';
import {
  atPrecision,
  checkSignature,
  hasProfileArguments,
  signatureOf,
} from '../../../main/presets/signature';

const { preset } = await readPreset(join(process.cwd(), 'resources', 'models', 'resnet50'));
const specOf = (overrides = {}) => resolveSpec(preset, overrides);
const quick = signatureOf(preset, specOf());

describe('the signature of resnet50', () => {
  it('has the sizes of the profile', () => {
    expect(quick).toEqual({
      inputs: [{ name: 'INPUT__0', datatype: 'FP32', shape: [-1, 3, 64, 64] }],
      outputs: [{ name: 'OUTPUT__0', datatype: 'FP32', shape: [-1, 10] }],
    });
    const full = signatureOf(preset, specOf({ model: { profile: 'full' } }));
    expect([full.inputs[0]?.shape, full.outputs[0]?.shape]).toEqual([
      [-1, 3, 224, 224],
      [-1, 1000],
    ]);
  });

  it('is half precision after conversion to fp16, integers excepted', () => {
    const withId = { ...quick, inputs: [...quick.inputs, { name: 'id', datatype: 'INT64', shape: [-1] }] };
    const half = atPrecision(withId, 'fp16');
    expect(half.inputs.map((tensor) => tensor.datatype)).toEqual(['FP16', 'INT64']);
    expect(half.outputs[0]?.datatype).toBe('FP16');
    expect(atPrecision(withId, 'fp32')).toEqual(withId);
  });

  it('names an argument that is no number', () => {
    const spec = specOf({ model: { args: { classes: 'many' } } });
    expect(() => signatureOf(preset, spec)).toThrow(expect.objectContaining({ where: 'model.args.classes' }));
  });

  it('speaks of the arguments of the profile', () => {
    expect(hasProfileArguments(preset, specOf())).toBe(true);
    expect(hasProfileArguments(preset, specOf({ model: { args: { classes: '12' } } }))).toBe(false);
    expect(hasProfileArguments(preset, specOf({ model: { args: { own: '1' } } }))).toBe(false);
  });
});

describe('what was exported', () => {
  it('passes when it is the same', () => {
    expect(() => {
      checkSignature(quick, structuredClone(quick));
    }).not.toThrow();
  });

  const input = { name: 'INPUT__0', datatype: 'FP32', shape: [-1, 3, 64, 64] };
  it.each([
    [{ ...quick, inputs: [{ ...input, name: 'image' }] }, /no input "INPUT__0"; it has: image/],
    [{ ...quick, inputs: [{ ...input, datatype: 'FP16' }] }, /"INPUT__0" was exported as FP16/],
    [
      { ...quick, inputs: [{ ...input, shape: [-1, 64, 64, 3] }] },
      /\[-1, 64, 64, 3\], not FP32 \[-1, 3, 64, 64\]/,
    ],
    [{ ...quick, outputs: [...quick.outputs, { ...input, name: 'aux' }] }, /an output "aux"/],
  ])('names the tensor that is not: %#', (exported, message) => {
    expect(() => {
      checkSignature(quick, exported);
    }).toThrow(
      expect.objectContaining({ code: 'model-mismatch', message: expect.stringMatching(message) as string }),
    );
  });
});

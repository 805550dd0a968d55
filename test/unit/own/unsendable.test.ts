import { describe, expect, it } from 'vitest';
import { unsendableText } from '../../../main/own/unsendable';

type Tensor = Parameters<typeof unsendableText>[0][number];
const tensor = (side: Tensor['side'], name: string, what: Tensor['what'] = null): Tensor => ({
  side,
  name,
  what,
});
const file = { path: '/models/my clf.onnx', zipMaps: new Map<string, string>() };

describe('tensors that cannot be sent', () => {
  it('are none where all are numbers', () => {
    expect(unsendableText([tensor('input', 'x'), tensor('output', 'y')], file)).toBeNull();
  });

  it('are named all at once, inputs and outputs', () => {
    const found = unsendableText(
      [
        tensor('input', 'sex', 'text'),
        tensor('input', 'age'),
        tensor('input', 'city', 'text'),
        tensor('output', 'label', 'text'),
      ],
      null,
    );
    expect(found?.message).toBe(
      'The inputs "sex", "city" and the output "label" are text (string, BYTES on Triton), which a SavedModel cannot have here',
    );
    expect(found?.remedy).toContain('--input-data texts.json, with {"data": [{"sex": ["some text"]}]}');
    expect(found?.remedy).toContain('signatures={"serving_default": function}');
    const label = unsendableText([tensor('input', 'X'), tensor('output', 'label', 'text')], null);
    expect(label?.remedy).toContain('numbers as classes');
  });

  it('that a ZipMap makes are told with the option that leaves it out, and the command that takes it off', () => {
    const found = unsendableText(
      [tensor('input', 'X'), tensor('output', 'label'), tensor('output', 'output_probability', 'sequence')],
      { ...file, zipMaps: new Map([['output_probability', 'probabilities']]) },
    );
    expect(found?.message).toBe(
      'The output "output_probability" is a list of maps (ZipMap of scikit-learn) and not a tensor, so that Triton cannot serve it',
    );
    expect(found?.remedy).toContain('skl2onnx.to_onnx(model, X[:1], options={"zipmap": False})');
    expect(found?.remedy).toContain(
      `python -c 'import onnx.utils; onnx.utils.extract_model("/models/my clf.onnx", "/models/my clf-tensors.onnx", ["X"], ["label","probabilities"])'`,
    );
  });

  it('of a SavedModel are told without commands for ONNX', () => {
    const found = unsendableText([tensor('input', 'text', 'text'), tensor('output', 'y', 'composite')], null);
    expect(found?.message).toContain('; The output "y" is a sparse or composite tensor');
    expect(found?.remedy).not.toMatch(/onnx/i);
  });
});

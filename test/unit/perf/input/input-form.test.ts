import { describe, expect, it } from 'vitest';
import { fileForm, tensorForm } from '../../../../main/perf/input/input-form';
import { parseInputJson } from '../../../../main/perf/input/parse-input-json';
import type { WantedTensor } from '../../../../main/perf/input/wanted-tensor';

const tensors: readonly WantedTensor[] = [
  { name: 'text', datatype: 'BYTES', shape: [1] },
  { name: 'row', datatype: 'FP32', shape: [2, 2] },
  { name: 'ids', datatype: 'INT64', shape: [-1, 1] },
  { name: 'is "odd"', datatype: 'BOOL', shape: [] },
];

describe('the form of input data', () => {
  it('has as many values as the tensor, and a shape where one is needed', () => {
    expect(tensors.map(tensorForm)).toEqual([
      'Write it as {"text": ["text"]}, with 1 value: the model takes BYTES [1] per sample.',
      'Write it as {"row": [0.5, 0.5, 0.5, 0.5]}, with 4 values: the model takes FP32 [2, 2] per sample.',
      'Write it as {"ids": {"content": [1, 1], "shape": [2, 1]}}: the model takes INT64 [-1, 1] per sample.',
      'Write it as {"is \\"odd\\"": [true]}, with 1 value: the model takes BOOL [] per sample.',
    ]);
    const long = tensorForm({ name: 'x', datatype: 'FP16', shape: [3, 224, 224] });
    expect(long).toContain('[0.5, 0.5, 0.5, 0.5, …]}, with 150528 values');
  });

  it('is one that is read', () => {
    const [text = ''] = /\{"data".*\]\}(?=,)/.exec(fileForm(tensors)) ?? [];
    const { streams } = parseInputJson(text, { inputs: tensors, outputs: [] }, 'data.json');
    expect([...(streams[0]?.[0]?.keys() ?? [])]).toEqual(tensors.map(({ name }) => name));
  });
});

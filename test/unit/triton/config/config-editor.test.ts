import { describe, expect, it } from 'vitest';
import type { WorkbenchError } from '../../../../main/contract/errors';
import { editConfigPbtxt } from '../../../../main/triton/config/config-editor';
import { parseConfigPbtxt } from '../../../../main/triton/config/config-pbtxt';

/** As people write them: comments everywhere, every kind of bracket, separator, number and string. */
const odd = [
  '\ufeff# tuned by hand',
  'name: "a_b"; platform : \'onnxruntime\' "_onnx",',
  'max_batch_size: 0x10 # hex',
  'input <',
  '  name: "images"   # its name',
  '  data_type: TYPE_FP32;',
  '  dims: [3, 0140, # height',
  '         -1]',
  '>',
  'output [ { name: "boxes" data_type: TYPE_FP32 dims: 4 dims: 8 }, { name: "sc\\"ores", data_type: TYPE_INT64, dims: [ 1 ] } ]',
  'dynamic_batching { }',
  '',
  'instance_group [',
  '  {',
  '    count: 1 # one',
  '    kind: KIND_CPU',
  '  }',
  ']',
  'parameters { key: "threads" value: { string_value: "4" } }',
  'parameters: { key: "tab\\there", value: < string_value: "x" > }',
].join('\n');

/** What an edit took out and put in; every other byte is equal. */
function changes(before: string, path: string, value: unknown): readonly [string, string] {
  const after = editConfigPbtxt(before, path, value);
  let start = 0;
  while (start < before.length && before[start] === after[start]) start += 1;
  let tail = 0;
  const most = Math.min(before.length, after.length) - start;
  while (tail < most && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  return [before.slice(start, before.length - tail), after.slice(start, after.length - tail)];
}

const refusal = (text: string, path: string, value: unknown): WorkbenchError => {
  try {
    editConfigPbtxt(text, path, value);
  } catch (error) {
    return error as WorkbenchError;
  }
  throw new Error('nothing was thrown');
};

describe('editConfigPbtxt', () => {
  it.each([
    ['max_batch_size', 7, '0x10', '7'],
    ['name', 'other', 'a_b', 'other'],
    ['platform', 'tensorrt_plan', `'onnxruntime' "_onnx`, '"tensorrt_plan'],
    ['input[0].data_type', 'TYPE_FP16', '32', '16'],
    ['input["images"].dims', [3, 224, -1], '0140', '224'],
    ['input[0].dims[1]', 1, '0140', '1'],
    ['input[0].dims', [5, 6], '3, 0140, # height\n         -1', '5, 6'],
    ['output[0].dims', [5, 8], '4', '5'],
    ['output[1].dims', [1, 2], '', ', 2'],
    ['output[1].label_filename', 'l.txt', '', ', label_filename: "l.txt"'],
    ['dynamic_batching.max_queue_delay_microseconds', 500, '', 'max_queue_delay_microseconds: 500 '],
    ['instance_group[0].count', 4, '1', '4'],
    ['instance_group[0].gpus', [0], '', '    gpus: [ 0 ]\n'],
    ['instance_group[0].kind', undefined, '    kind: KIND_CPU\n', ''],
    ['instance_group[1].count', 2, '', ',\n  {\n    count: 2\n  }'],
    ['parameters["threads"].string_value', '16', '4', '16'],
    ['parameters["tab\there"].string_value', 'y', 'x', 'y'],
    [
      'parameters["new"].string_value',
      '',
      '',
      '\nparameters {\n  key: "new"\n  value: { string_value: "" }\n}',
    ],
    ['optimization.cuda.graphs', true, '', '\noptimization {\n  cuda {\n    graphs: true\n  }\n}'],
    ['input[0].optional', undefined, '', ''],
  ])('changes %s to %j and nothing else', (path, value, out, put) => {
    const [removed, added] = changes(odd, path, value);
    expect([removed.length, added.length], `${removed} -> ${added}`).toStrictEqual([out.length, put.length]);
    expect(editConfigPbtxt(odd, path, value)).toContain(put);
  });

  it('removes a whole field with its line, a list entry with its comma, and keeps comments', () => {
    expect(editConfigPbtxt(odd, 'dynamic_batching', undefined)).toBe(
      odd.replace('dynamic_batching { }\n', ''),
    );
    expect(editConfigPbtxt(odd, 'max_batch_size', undefined)).toBe(
      odd.replace('max_batch_size: 0x10 # hex', '# hex'),
    );
    const text = 'output [ { name: "a" }, { name: "b" } ]\nmax_batch_size: 2\n';
    expect(editConfigPbtxt(text, 'output[0]', undefined)).toBe(
      'output [ { name: "b" } ]\nmax_batch_size: 2\n',
    );
    expect(editConfigPbtxt(text, 'output["b"]', undefined)).toBe(
      'output [ { name: "a" } ]\nmax_batch_size: 2\n',
    );
    expect(editConfigPbtxt('output { name: "a" }\noutput { name: "b" }', 'output', [])).toBe('');
  });

  it.each([
    ['', 'max_batch_size', 4, 'max_batch_size: 4\n'],
    ['# only a comment', 'max_batch_size', 4, '# only a comment\nmax_batch_size: 4\n'],
    [
      'name: "a"\r\nmax_batch_size: 1\r\n',
      'backend',
      'python',
      'name: "a"\r\nmax_batch_size: 1\r\nbackend: "python"\r\n',
    ],
    ['name: "a",\nmax_batch_size: 1,\n', 'backend', 'x', 'name: "a",\nmax_batch_size: 1,\nbackend: "x",\n'],
    ['name: "a", max_batch_size: 1', 'backend', 'x', 'name: "a", max_batch_size: 1,\nbackend: "x"'],
    ['input {\n}\n', 'input[0].name', 'x', 'input {\n  name: "x"\n}\n'],
    ['input { }', 'input[0].name', 'x', 'input { name: "x" }'],
    ['input{}', 'input[0].name', 'x', 'input{ name: "x" }'],
    ['input { dims: [] }', 'input[0].dims', [1], 'input { dims: [ 1 ] }'],
    ['input { dims: 3 }', 'input[0].dims', [1, 2], 'input { dims: [ 1, 2 ] }'],
    ['input { dims: 3 dims: 4 }', 'input[0].dims', [1], 'input { dims: [ 1 ] }'],
    [
      'instance_group [ { count: 1 } ]',
      'instance_group[1].count',
      2,
      'instance_group [ { count: 1 }, { count: 2 } ]',
    ],
  ])('writes into %j: %s = %j', (text, path, value, wanted) => {
    expect(editConfigPbtxt(text, path, value)).toBe(wanted);
  });

  it('reads back as the change says', () => {
    const edited = parseConfigPbtxt(editConfigPbtxt(odd, 'instance_group', [{ count: 3, kind: 'KIND_GPU' }]));
    const { instanceGroup, ...rest } = parseConfigPbtxt(odd);
    expect(edited).toStrictEqual({ ...rest, instanceGroup: [{ count: 3, kind: 'KIND_GPU' }] });
    expect(instanceGroup).toStrictEqual([{ count: 1, kind: 'KIND_CPU' }]);
  });

  it.each([
    ['max_batch_sise', 1, 'Write max_batch_size.'],
    ['max_batch_size[0]', 1, 'Remove the brackets.'],
    ['input.name', 'x', 'Write it as instance_group[0].count'],
    ['name.first', 'x', 'Write it as'],
    ['', 1, 'Write it as'],
    ['input[3].name', 'x', 'It has 1; the first is entry 0.'],
    ['output["sc\\"ores"].dims', [2], 'Write it as'],
    ['input["nope"].name', 'x', 'It has 1'],
  ])('refuses %s = %j', (path, value, remedy) => {
    const error = refusal(odd, path, value);
    expect(error.code).toBe('config-invalid');
    expect(error.remedy).toContain(remedy);
  });

  it('refuses a value of another type, two batchers, and a text that cannot be read', () => {
    expect(refusal(odd, 'max_batch_size', 'many').message).toContain('max_batch_size');
    expect(refusal(odd, 'sequence_batching.oldest.max_candidate_sequences', 4).message).toContain(
      'only one of',
    );
    expect(refusal('max_batch_size = 8', 'name', 'x').where).toBe('config.pbtxt, line 1');
  });
});

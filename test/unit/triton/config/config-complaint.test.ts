import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toWire } from '../../../../main/contract/errors';
import { configComplaint } from '../../../../main/triton/config/config-complaint';
import { parseConfigPbtxt } from '../../../../main/triton/config/config-pbtxt';

const tensor = 'input [{ name: "x" data_type: TYPE_FP32 dims: [3] }]';

describe('a config.pbtxt as people write it', () => {
  it.each([
    ['input [{ data_type: TYPE_FLOAT32 }]', 1, 'TYPE_FLOAT32', 'Write TYPE_FP32.'],
    ['input [{ data_type: FP32 }]', 1, 'FP32', 'Write TYPE_FP32.'],
    ['input [{ data_type: TYPE_FLOAT16 }]', 1, 'TYPE_FLOAT16', 'Write TYPE_FP16.'],
    ['input [{ data_type: TYPE_BYTES }]', 1, 'TYPE_BYTES', 'Write TYPE_STRING.'],
    ['input [{ data_type: "TYPE_FP32" }]', 1, 'in quotes', 'Write data_type: TYPE_FP32.'],
    ['instance_group [{ kind: CPU }]', 1, 'CPU', 'Write KIND_CPU.'],
    ['name: “m”', 1, 'Typographic quotes', 'Write plain quotes'],
    ['name: "m"\nmax_batch_size:\u00a08', 2, 'space', 'type a space'],
    ['input [{ dims: [ –1 ] }]', 1, 'dash', 'hyphen'],
    ['input [{\n dims: [3,64,64,] }]', 2, 'comma without a value after it in dims', 'Remove the last comma.'],
    ['input [{ dims: [3 64] }]', 1, 'No comma before "64"', 'commas'],
    ['input [{ dims: 3,64 }]', 1, '"64" where the name of a field of input', 'separator'],
    ['input [{ dims: [None, 3] }]', 1, 'dims must be a whole number, not None', '-1'],
    [
      'name: "m"\ninput [\n {\n dims: [3]\n]\noutput [{ dims: [8] }]',
      3,
      '"{" is not closed before "]" in line 5',
      '}',
    ],
    [
      'input [\n { dims: [3] }\noutput [{ dims: [8] }]',
      1,
      '"[" is not closed before "output" in line 3',
      ']',
    ],
    [
      'dynamic_batching {\n preferred_batch_size: [4]\nmax_batch_size: 8',
      1,
      '"{" is not closed',
      'max_batch_size',
    ],
    [`${tensor}\n}`, 2, '"}" closes nothing', 'Remove it'],
    ['{"name": "m", "max_batch_size": 8}', 1, 'JSON', 'name: "m"'],
    ['dynamic_batch { }', 1, 'dynamic_batch', 'Write dynamic_batching.'],
    ['input [{ datatype: TYPE_FP32 }]', 1, 'not a field of input', 'Write data_type.'],
    [
      'instance_group [{ number: 1 }]',
      1,
      'not a field of instance_group',
      'Its fields are: name, kind, count',
    ],
    ['max_batch_size = 8', 1, '"="', 'Write a colon'],
    ['max_batch_size: "8"', 1, 'whole number', 'max_batch_size: 8.'],
    ['backend: onnxruntime', 1, 'text in quotes', 'Write backend: "onnxruntime".'],
    ['name: "m\nmax_batch_size: 8', 1, 'not closed', 'same line'],
    ['// a comment\nname: "m"', 1, 'comment', 'begin with #'],
    ['parameters { key: "a" value: "2" }', 1, 'value takes fields in braces', 'string_value'],
    [
      'model_warmup [{ inputs { key: "x" value: { dims: [1] zero_date: true } } }]',
      1,
      'zero_date',
      'zero_data',
    ],
  ])('%j: the line, what is wrong and what to write', (text, line, message, remedy) => {
    let error: unknown;
    try {
      parseConfigPbtxt(text);
    } catch (caught) {
      error = caught;
    }
    expect(toWire(error)).toMatchObject({
      code: 'config-invalid',
      where: `config.pbtxt, line ${line}`,
      message: expect.stringContaining(message) as string,
      remedy: expect.stringContaining(remedy) as string,
    });
  });

  it('may begin with a byte order mark', () => {
    expect(parseConfigPbtxt('\ufeffname: "m"').name).toBe('m');
  });

  it('is complained of only where it cannot be read', () => {
    const words = [
      'name',
      ':',
      '"m"',
      'input',
      '[',
      ']',
      '{',
      '}',
      ',',
      ';',
      'dims',
      '-',
      '3',
      'max_batch_size',
    ];
    const pieces = fc.array(fc.constantFrom(...words, 'data_type', 'TYPE_FP32', '# c\n'), { maxLength: 20 });
    fc.assert(
      fc.property(pieces, (list) => {
        const text = list.join(' ');
        let reads = true;
        try {
          parseConfigPbtxt(text);
        } catch {
          reads = false;
        }
        if (reads) expect(configComplaint(text)).toBeNull();
      }),
    );
  });
});

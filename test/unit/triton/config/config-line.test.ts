import { expect, it } from 'vitest';
import { configLine, configPlace } from '../../../../main/triton/config/config-line';

const text = `\ufeff# by hand
backend: "onnxruntime"
max_batch_size: 8
input [
  { name: "x" data_type: TYPE_FP32
    dims: [ 3 ] },
  { name: "z" }
]
output { name: "y" dims: 1
  dims: 2 }
instance_group [ { kind: KIND_GPU } ]
parameters { key: "a" value { string_value: "1" } }
parameters {
  key: "b"
  value { string_value: "2" }
}
`;

it.each([
  ['backend', 2],
  ['max_batch_size', 3],
  ['input', 4],
  ['input[0].data_type', 5],
  ['input[0].dims', 6],
  ['input["z"]', 7],
  ['input[1].dims', 7],
  // One that would be added.
  ['input[2]', 7],
  ['output[0].dims', 9],
  ['output[0].dims[1]', 10],
  ['instance_group[0].kind', 11],
  ['parameters["b"].string_value', 15],
  ['platform', null],
  ['dynamic_batching.preferred_batch_size', null],
  ['no_field', null],
])('%s is in line %s', (path, line) => {
  expect(configLine(text, path)).toBe(line);
});

it('is not known of a text that cannot be read, and is left out of the place then', () => {
  expect(configLine('input [ {', 'input')).toBeNull();
  expect(configPlace('input [ {', 'input')).toBe('config.pbtxt');
  expect(configPlace(text, undefined)).toBe('config.pbtxt');
  expect(configPlace(text, 'backend')).toBe('config.pbtxt, line 2');
});

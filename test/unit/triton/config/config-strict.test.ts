import { expect, it } from 'vitest';
import { strictComplaint } from '../../../../main/triton/config/config-strict';

const said = (text: string) => {
  const found = strictComplaint(text);
  return found === null ? null : `${found.where ?? ''}: ${found.message}`;
};

it.each([
  [''],
  ['input [ { name: '],
  ['name: "m" max_batch_size: 8'],
  ['input { name: "a" dims: 1 dims: 2 }\ninput { name: "b" }'],
  [
    'parameters { key: "a" value { string_value: "1" } }\nparameters { key: "b" value { string_value: "2" } }',
  ],
  ['dynamic_batching { preferred_batch_size: 1 preferred_batch_size: 2 }'],
])('%j is read by Triton as by this parser', (text) => {
  expect(strictComplaint(text)).toBeNull();
});

it.each([
  ['\ufeffname: "m"', 'config.pbtxt, line 1: The file begins with a byte order mark'],
  [
    'max_batch_size: 8\n# more\nmax_batch_size: 4',
    'config.pbtxt, line 3: max_batch_size is written twice, in line 1 too',
  ],
  [
    'input [ { name: "a" },\n  { name: "b"\n name: "c" } ]',
    'config.pbtxt, line 3: name is written twice, in line 2 too',
  ],
  [
    'dynamic_batching { }\nsequence_batching { }',
    'config.pbtxt, line 2: sequence_batching excludes dynamic_batching, which is written in line 1',
  ],
])('%j is refused with its line', (text, words) => {
  expect(said(text)).toBe(words);
});

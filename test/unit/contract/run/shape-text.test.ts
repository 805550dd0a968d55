import { expect, it } from 'vitest';
import { parseShape, sampleDims } from '../../../../main/contract/run/shape-text';

it.each([
  ['1, 3, 96, 96', [1, 3, 96, 96]],
  ['-1,3,96,96', [1, 3, 96, 96]],
  ['batch,3,96,96', [1, 3, 96, 96]],
  ['[None, 3, 96, 96]', [1, 3, 96, 96]],
  ['1x3x96x96', [1, 3, 96, 96]],
  ['N × 3 × 96 × 96', [1, 3, 96, 96]],
  ['2 3', [2, 3]],
  ['INT64:1,16', [1, 16]],
  ['x_1:0=1,16', [1, 16]],
  ['1,-1,8', null],
  ['1,3,height', null],
  ['batch', null],
])('reads the sizes of %j', (text, dims) => {
  const shape = parseShape(text);
  expect(shape && sampleDims(shape)).toEqual(dims);
});

it.each(['', ',', '1,0', '1.5', 'x:', ':3', '1;3', '-2,3'])('%j is no shape', (text) => {
  expect(parseShape(text)).toBeNull();
});

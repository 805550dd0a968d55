import { expect, it } from 'vitest';
import type { InputData } from '../../../../main/contract/measured/input-data';
import { appended, inFolder } from '../../../../main/perf/input/append-input';

const dataOf = (shape: number[], files: string[], streams?: number[]): InputData => ({
  source: 'file',
  tensors: [{ name: 'A', datatype: 'FP32', shape, files }],
  ...(streams === undefined ? {} : { streams }),
});

it('the entries of several files are sent one after the other, each file a stream', () => {
  const first = inFolder(dataOf([2], ['0.bin', '1.bin']), '0');
  expect(appended(first, inFolder(dataOf([2], ['0.bin'], [1]), '1'))).toEqual(
    dataOf([2], ['0/0.bin', '0/1.bin', '1/0.bin'], [2, 1]),
  );
  expect(appended(first, dataOf([3], ['x'])).tensors[0]?.shapes).toEqual([[2], [2], [3]]);
});

it('files of different tensors are refused', () => {
  const other = { ...dataOf([2], ['0.bin']), tensors: [] } as unknown as InputData;
  expect(() => appended(dataOf([2], ['0.bin']), other)).toThrow('different tensors');
});

import { expect, it } from 'vitest';
import {
  drawnLengths,
  listedLengths,
  parseQuantiles,
  specifiedLengths,
} from '../../../../main/domain/run/length-distribution';

const quantile = (lengths: readonly number[], share: number) =>
  [...lengths].sort((a, b) => a - b)[Math.ceil(share * lengths.length) - 1];

it('draws lengths with the quantiles that were asked for, the same each time, in no order', () => {
  const { drawn, text } = drawnLengths([32, 128, 512]);
  expect(text).toBe('32 at p50, 128 at p95, at most 512 (100 samples)');
  expect([quantile(drawn, 0.5), quantile(drawn, 0.95), Math.max(...drawn)]).toEqual([32, 128, 512]);
  expect(Math.min(...drawn)).toBeGreaterThanOrEqual(1);
  expect(drawn).toEqual(drawnLengths([32, 128, 512]).drawn);
  expect(drawn).not.toEqual([...drawn].sort((a, b) => a - b));
  expect(drawnLengths([8, 8, 8], 3).drawn.every((length) => length <= 8)).toBe(true);
  expect(Math.max(...drawnLengths([8, 20, 40], 3).drawn)).toBe(40);
});

it.each([
  ['32,128,512', [32, 128, 512]],
  ['7, 7, 7', [7, 7, 7]],
  ['128,32,512', 'not in ascending order'],
  ['0,1,2', 'lengths are 1 to'],
  ['32,128', null],
  ['lengths.txt', null],
])('reads %s', (text, found) => {
  const parsed = parseQuantiles(text);
  if (typeof found === 'string') expect(parsed).toContain(found);
  else expect(parsed).toEqual(found);
});

it('takes the lengths of a file in their order', () => {
  expect(listedLengths('5\n\n7\r\n9\n', 'l.txt')).toEqual({ text: '3 lengths of l.txt', drawn: [5, 7, 9] });
  expect(listedLengths('[5, 7]', 'l.json')).toMatchObject({ drawn: [5, 7] });
  expect(listedLengths('5\nx\n', 'l.txt')).toBe('"x" (number 2) is not a length, 1 to 1048576');
  expect(listedLengths('5\n1.5', 'l.txt')).toContain('"1.5" (number 2)');
  expect(listedLengths('[1,]', 'l.txt')).toContain('number 2');
  expect(listedLengths(' \n', 'l.txt')).toBe('it has no lengths');
  expect(listedLengths('[]', 'l.txt')).toContain('not a length');
  expect(listedLengths('1\n'.repeat(1001), 'l.txt')).toContain('at most 1000');
});

it('of a specification are quantiles, a list, one length, or those of the data set', () => {
  expect(specifiedLengths('32,128,512')).toEqual(drawnLengths([32, 128, 512]));
  expect(specifiedLengths('12 30 7')).toMatchObject({ drawn: [12, 30, 7] });
  expect(specifiedLengths('64')).toMatchObject({ drawn: Array(8).fill(64) });
  expect(specifiedLengths('dataset')).toBe('dataset');
  expect(specifiedLengths('128,32,512')).toMatchObject({
    problem: expect.stringContaining('not in ascending order') as string,
  });
  expect(specifiedLengths('0')).toEqual({ problem: 'lengths are 1 to 1048576' });
  expect(specifiedLengths('12 0')).toEqual({ problem: '"0" (number 2) is not a length, 1 to 1048576' });
});

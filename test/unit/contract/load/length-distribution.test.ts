import { expect, it } from 'vitest';
import { lengthsSchema } from '../../../../main/contract/load/length-distribution';

it.each([
  ['32,128,512', '32,128,512'],
  [64, '64'],
  ['12 30 7', '12 30 7'],
  ['dataset', 'dataset'],
])('of texts may be %s', (value, read) => {
  expect(lengthsSchema.parse(value)).toBe(read);
});

it.each(['32,128', '1,2,3,4', 'lengths.txt', '', '-1', '1.5', '12  30', Array(1001).fill(1).join(' ')])(
  'of texts are not %s',
  (value) => {
    expect(lengthsSchema.safeParse(value).error?.issues[0]?.message).toContain('must be P50,P95,MAX');
  },
);

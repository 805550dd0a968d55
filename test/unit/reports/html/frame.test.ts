import { expect, it } from 'vitest';
import { unbroken } from '../../../../main/reports/html/frame';

it.each([
  ['known only to ± 14.7 % (95 %)', ['± 14.7 %', '95 %']],
  ['p99 5.24 ± 2.81 ms in 904 ms', ['5.24 ± 2.81 ms', '904 ms']],
  ['p99 54.24 ms', ['p99 54.24 ms']],
  ['Largest absolute difference of an output: 6.1e-5.', ['6.1e-5']],
  ['2.66 × the present configurations', ['2.66 ×']],
  ['in 3 steps of batch size 4', []],
])('a number stays with its sign, unit and exponent: %s', (text, expected) => {
  const marked = unbroken(text).text;
  expect([...marked.matchAll(/<span class="unbroken">([^<]*)<\/span>/g)].map(([, kept]) => kept)).toEqual(
    expected,
  );
  expect(marked.replaceAll(/<[^>]+>/g, '')).toBe(text);
});

import { expect, it } from 'vitest';
import { parseJson } from '../../../main/platform/parse-json';

it('a JSON text from outside is read to a depth that nothing real has', () => {
  const nested = (depth: number) => `${'[{"a":'.repeat(depth / 2)}1${'}]'.repeat(depth / 2)}`;
  expect(JSON.stringify(parseJson(nested(200)))).toBe(nested(200));
  expect(() => parseJson(nested(202))).toThrow('more than 200 lists and objects');
  expect(() => parseJson('['.repeat(3_000_000))).toThrow('more than 200 lists and objects');
});

it('brackets in texts are no nesting', () => {
  const text = JSON.stringify({ a: `${'['.repeat(500)}"\\`, b: ['\\', '{'.repeat(500)] });
  expect(parseJson(text)).toEqual(JSON.parse(text));
  expect(() => parseJson('{"a":')).toThrow();
});

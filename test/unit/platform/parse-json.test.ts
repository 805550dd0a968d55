import { expect, it } from 'vitest';
import { z } from 'zod';
import { listOf, parseJson } from '../../../main/platform/parse-json';

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

it('a text of more values than a server has is refused before it is parsed', () => {
  const zeros = (count: number) => `[${'0,'.repeat(count - 1)}0]`;
  expect(parseJson(zeros(500_000))).toHaveLength(500_000);
  expect(() => parseJson(zeros(500_001))).toThrow('more than 500,000 values');
  expect(() => parseJson(`[${'{},'.repeat(250_000)}{}]`)).toThrow('more than 500,000 values');
  expect(parseJson(JSON.stringify([',,,,', '{[{[']), 3)).toEqual([',,,,', '{[{[']);
  expect(() => parseJson('[1,2,3,4]', 3)).toThrow('more than 3 values');
});

it('a text of more different keys than a server has is refused before it is parsed', () => {
  const keys = (count: number) => Array.from({ length: count }, (_unused, at) => `"k${at}":0`);
  expect(Object.keys(parseJson(`{${keys(10_000).join()}}`) as object)).toHaveLength(10_000);
  expect(() => parseJson(`{${keys(10_001).join()}}`)).toThrow('more than 10,000 different keys');
  const apart = keys(10_001).map((key) => `{${key}}`);
  expect(() => parseJson(`[${apart.join()}]`)).toThrow('more than 10,000 different keys');
  const same = Array.from({ length: 20_000 }, () => '{"name" : "a:b\\"c:"}');
  expect(parseJson(`[${same.join()}]`)).toHaveLength(20_000);
});

const names = listOf(z.object({ name: z.string(), at: z.coerce.number().default(7) }));

it('a list from outside is read entry by entry', () => {
  expect(names.parse([{ name: 'a', at: '1' }, { name: 'b' }])).toEqual([
    { name: 'a', at: 1 },
    { name: 'b', at: 7 },
  ]);
  expect(names.safeParse({}).success).toBe(false);
  expect(z.object({ some: names.default([]) }).parse({})).toEqual({ some: [] });
});

it('the first wrong entry ends it, named by its place', () => {
  const result = names.safeParse([{ name: 'a' }, { name: 1 }, ...Array<number>(500_000).fill(0)]);
  expect(result.error?.issues.map(({ path }) => path)).toEqual([[1, 'name']]);
  const outer = listOf(z.object({ inner: listOf(z.number()) }));
  expect(outer.safeParse([{ inner: [1, 'x', 'y'] }]).error?.issues.map(({ path }) => path)).toEqual([
    [0, 'inner', 1],
  ]);
});

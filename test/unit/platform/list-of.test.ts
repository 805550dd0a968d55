import { expect, it } from 'vitest';
import { z } from 'zod';
import { listOf } from '../../../main/platform/list-of';

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

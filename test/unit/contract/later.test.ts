import { expect, it, vi } from 'vitest';
import { z } from 'zod';
import { later } from '../../../main/contract/later';

it('makes the schema of a field when the field is there, and as strictly as at once', () => {
  const make = vi.fn(() => z.strictObject({ count: z.int() }));
  const schema = z.object({ name: z.string(), part: later(make).optional(), other: later(make).nullable() });
  expect(schema.parse({ name: 'a', other: null })).toEqual({ name: 'a', other: null });
  expect(make).not.toHaveBeenCalled();
  expect(schema.parse({ name: 'a', part: { count: 1 }, other: null }).part).toEqual({ count: 1 });
  expect(make).toHaveBeenCalledTimes(1);
  const { error } = schema.safeParse({ name: 'a', part: { count: 'x' } });
  expect(error?.issues.map(({ path }) => path.join('.'))).toEqual(['part.count', 'other']);
});

it('is not for a value that may be absent', () => {
  const schema = z.object({ part: later(() => z.string().default('a')) });
  expect(() => schema.parse({})).toThrow('of a value that is there');
});

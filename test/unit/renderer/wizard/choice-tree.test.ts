import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  getAt,
  leavesOf,
  mergeTrees,
  sameValue,
  setAt,
  unsetAt,
} from '../../../../renderer/stores/choice-tree';
import { mergeTrees as coreMerge } from '../../../../main/presets/resolve-spec';

const keys = fc.array(fc.constantFrom('a', 'b', 'OUTPUT.0', '*'), { minLength: 1, maxLength: 4 });
const tree = fc.dictionary(
  fc.constantFrom('a', 'b', 'c'),
  fc.oneof(fc.integer(), fc.dictionary(fc.constantFrom('a', 'b'), fc.integer(), { minKeys: 1 })),
);

describe('the tree of a choice', () => {
  it('gives back what was set, and is as before once that is unset', () => {
    fc.assert(
      fc.property(keys, fc.integer(), (path, value) => {
        const set = setAt({ other: 1 }, path, value);
        expect(getAt(set, path)).toBe(value);
        expect(unsetAt(set, path)).toEqual({ other: 1 });
      }),
    );
  });

  it('lays one over the other as the core does', () => {
    fc.assert(
      fc.property(tree, tree, (base, over) => {
        expect(mergeTrees(base, over)).toEqual(coreMerge(base, over));
      }),
    );
  });

  it('does not reach a prototype', () => {
    mergeTrees({}, JSON.parse('{"__proto__":{"polluted":true}}') as Record<string, unknown>);
    expect(getAt({}, ['constructor', 'name'])).toBeUndefined();
    expect({}).not.toHaveProperty('polluted');
  });

  it('compares by value', () => {
    expect(sameValue({ a: [1, { b: 2 }] }, { a: [1, { b: 2 }] })).toBe(true);
    expect(sameValue([1, 2], [2, 1])).toBe(false);
    expect(sameValue({ a: 1 }, { a: 1, b: 2 })).toBe(false);
    expect(sameValue([], {})).toBe(false);
  });

  it('lists its values with the way to each', () => {
    expect(leavesOf({ a: { 'b.c': 1, d: [2] }, e: {} })).toEqual([
      [['a', 'b.c'], 1],
      [['a', 'd'], [2]],
      [['e'], {}],
    ]);
  });
});

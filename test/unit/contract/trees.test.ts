import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { getAt, isTree, leavesOf, mergeTrees, sameValue, setAt, unsetAt } from '../../../main/contract/trees';

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

  it('lays one over the other: every value of the upper one, and of the lower one what that does not say', () => {
    fc.assert(
      fc.property(tree, tree, (base, over) => {
        const merged = mergeTrees(base, over);
        for (const [path, value] of leavesOf(over)) expect(getAt(merged, path)).toEqual(value);
        for (const [path, value] of leavesOf(base)) {
          const isSaid = path.some((_key, depth) => {
            const above = getAt(over, path.slice(0, depth + 1));
            return above !== undefined && (!isTree(above) || depth === path.length - 1);
          });
          if (!isSaid) expect(getAt(merged, path)).toEqual(value);
        }
      }),
    );
  });

  it('replaces lists and a patch whole, and takes undefined for nothing', () => {
    const base = { a: [1, 2], configPatch: { x: 1 }, b: { c: 1 } };
    expect(mergeTrees(base, { a: [3], configPatch: { y: 2 }, b: { c: undefined } })).toEqual({
      ...{ a: [3], configPatch: { y: 2 }, b: { c: 1 } },
    });
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

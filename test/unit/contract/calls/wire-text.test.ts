import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromWireText, toWireText } from '../../../../main/contract/calls/wire-text';

const windows = (count: number) =>
  Array.from({ length: count }, (_none, at) => ({
    avgUs: at / 3,
    p99Us: at % 2 === 0 ? null : -at,
    count: 1e300,
  }));
const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe('a value as text', () => {
  it('has long lists of numbers beside its JSON, and comes back as it was', () => {
    const value = {
      state: [{ point: { windows: windows(100), name: 'a' } }, { windows: windows(64) }],
      more: null,
    };
    const text = toWireText(value);
    expect(text.json).toBe('{"state":[{"point":{"windows":[],"name":"a"}},{"windows":[]}],"more":null}');
    expect(
      text.lists.map(({ path, keys, numbers }) => [path.join('.'), keys.join(), numbers.length]),
    ).toEqual([
      ['state.0.point.windows', 'avgUs,p99Us,count', 300],
      ['state.1.windows', 'avgUs,p99Us,count', 192],
    ]);
    expect(fromWireText(text)).toStrictEqual(value);
    expect(fromWireText(toWireText(windows(70)))).toStrictEqual(windows(70));
  });

  it('is not changed by the way', () => {
    const value = { windows: windows(64) };
    toWireText(value);
    expect(value).toEqual({ windows: windows(64) });
  });

  it.each([
    ['few', windows(63)],
    ['one that has a field less', [...windows(70), { avgUs: 1, p99Us: 2 }]],
    ['one that has a field more', [...windows(70), { avgUs: 1, p99Us: 2, count: 3, at: 4 }]],
    ['fields in another order', [...windows(70), { p99Us: 2, avgUs: 1, count: 3 }]],
    ['a text', [...windows(70), { avgUs: 1, p99Us: 'none', count: 3 }]],
    ['a field that is not set', [...windows(70), { avgUs: 1, p99Us: undefined, count: 3 }]],
    ['no number', [...windows(70), { avgUs: 1, p99Us: Infinity, count: 3 }]],
    ['an object inside', [...windows(70), { avgUs: 1, p99Us: {}, count: 3 }]],
    ['one that is null', [...windows(70), null]],
    ['a field that is the prototype', windows(70).map((): unknown => JSON.parse('{"__proto__":1}'))],
  ])('stays JSON with %s', (_what, list) => {
    const text = toWireText({ list });
    expect(text.lists).toEqual([]);
    expect(fromWireText(text)).toStrictEqual(asJson({ list }));
  });

  it('is what JSON makes of any value', () => {
    const row = fc.record({ a: fc.double({ noNaN: true, noDefaultInfinity: true }), b: fc.constant(null) });
    const value = fc.dictionary(
      fc.string(),
      fc.oneof(fc.jsonValue(), fc.array(row, { minLength: 60, maxLength: 70 })),
    );
    fc.assert(
      fc.property(value, (any) => {
        // The sign of a zero is not in JSON.
        expect(asJson(fromWireText(toWireText(any)))).toStrictEqual(asJson(any));
      }),
      { numRuns: 300 },
    );
  });
});

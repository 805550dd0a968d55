import { describe, expect, it } from 'vitest';
import { mostYamlBytes, mostYamlDepth, parsePlacedYaml, parseYaml } from '../../../main/platform/parse-yaml';

/** A text of the largest size, or just below it. */
const full = (line: (index: number) => string): string => {
  let text = '';
  for (let index = 0; text.length + line(index).length <= mostYamlBytes; index += 1) text += line(index);
  return text;
};

describe('a YAML text', () => {
  it('is read as its value, with anchors', () => {
    expect(parseYaml('a: &x [1, two]\nb: *x\n')).toEqual({ a: [1, 'two'], b: [1, 'two'] });
    expect(parseYaml('')).toBeNull();
  });

  it('of the largest size is read, and a byte more is refused with the limit', () => {
    const text = full((index) => `key${index}: ${index}\n`);
    expect(Object.keys(parseYaml(text) as object).length).toBe(text.split('\n').length - 1);
    expect(() => parseYaml('#'.repeat(mostYamlBytes + 1))).toThrow(`at most ${mostYamlBytes} are read`);
    // Bytes, not letters.
    expect(() => parseYaml(`# ${'\u00fc'.repeat(mostYamlBytes / 2)}`)).toThrow('are read');
  });

  it.each([
    ['in a mapping', 'a: 1\nb: 2\na: 3\n', 'line 3, column 1'],
    ['deeper', 'x:\n  - {b: 1, "b": 2}\n', 'line 2, column 12'],
  ])('with a key that appears twice %s is refused with its place', (_where, text, place) => {
    expect(() => parseYaml(text)).toThrow(`Map keys must be unique at ${place}`);
  });

  it('with errors is refused with the place of the first', () => {
    expect(() => parseYaml('a: [1\nb: 2\n')).toThrow(/at line \d+, column \d+/);
    expect(() => parseYaml(`[${','.repeat(mostYamlBytes - 1)}`)).toThrow(/at line 1, column \d+/);
  });

  it('with an alias of what it is in is refused with its place', () => {
    expect(() => parseYaml('a: &x {b: *x}\n')).toThrow('*x is part of what it names at line 1, column 11');
    expect(() => parseYaml('&x\na: [1, {b: *x}]\n')).toThrow('at line 2, column 12');
    expect(parseYaml('a: &x {b: &y [1]}\nc: {d: *x, e: *y}\n')).toEqual({
      a: { b: [1] },
      c: { d: { b: [1] }, e: [1] },
    });
  });

  it('merges maps as other readers of YAML do', () => {
    expect(parseYaml('b: &b {x: 1, y: 2}\nc: {<<: *b, y: 3}\n')).toEqual({
      b: { x: 1, y: 2 },
      c: { x: 1, y: 3 },
    });
    expect(parseYaml('a: &a {x: 1}\nb: &b {x: 2, y: 2}\nc: {<<: [*a, *b]}\n')).toMatchObject({
      c: { x: 1, y: 2 },
    });
    expect(parseYaml('"<<": 1\n')).toEqual({ '<<': 1 });
    expect(parsePlacedYaml('b: &b\n  x: 1\nc:\n  <<: *b\n').lineOf(['c', 'x'])).toBe(3);
  });

  it.each(['a: &a 1\nb: {<<: *a}\n', 'a: 1\nb: {<<: [{x: 1}, 2]}\n', 'a: &a [*a]\nb: {<<: *a}\n'])(
    'merges nothing else: %j',
    (text) => {
      expect(() => parseYaml(text)).toThrow(
        /"<<" takes a map or a list of maps at line 2|part of what it names/,
      );
    },
  );

  it('with another document behind the first is refused with its place', () => {
    expect(() => parseYaml('a: 1\n---\nb: 2\n')).toThrow(
      'The text must be one YAML document: another begins at line 2, column 1',
    );
    expect(parseYaml('---\na: 1\n...\n')).toEqual({ a: 1 });
  });

  it('nests as deep as is permitted, and no deeper whatever it nests', () => {
    const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
    expect(parseYaml(nested(mostYamlDepth - 1))).toBeInstanceOf(Array);
    for (const text of [
      '['.repeat(50_000),
      '- '.repeat(30_000),
      '{a: '.repeat(15_000),
      '? '.repeat(30_000),
    ]) {
      expect(() => parseYaml(text)).toThrow(`nests more than ${mostYamlDepth}`);
    }
  });

  it('with thousands of aliases is refused', () => {
    expect(() => parseYaml(`a: &x 1\nb: [${'*x , '.repeat(5000)}]`)).toThrow('aliases');
  });
});

describe('a document with the places of its parts', () => {
  const { value, lineOf } = parsePlacedYaml(`# a comment
models:
  - name: a
    list: [1,
      2]
  - &other {name: b}
again: *other
`);

  it('has the line of each key and list item', () => {
    expect(value).toMatchObject({ again: { name: 'b' } });
    expect(lineOf(['models'])).toBe(2);
    expect(lineOf(['models', 0, 'name'])).toBe(3);
    expect(lineOf(['models', 0, 'list', 1])).toBe(5);
    expect(lineOf(['models', 1, 'name'])).toBe(6);
    // Where it is written, not where it is named.
    expect(lineOf(['again', 'name'])).toBe(6);
  });

  it('has the line of what is above a part that is not there', () => {
    expect(lineOf(['models', 0, 'none', 'deeper'])).toBe(3);
    expect(lineOf(['nothing'])).toBe(1);
    expect(parsePlacedYaml('').lineOf(['x'])).toBe(1);
  });
});

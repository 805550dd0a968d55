import { describe, expect, it } from 'vitest';
import { diffLines, diffText } from '../../../main/domain/line-diff';

const shown = (before: readonly string[], after: readonly string[]): readonly string[] =>
  diffLines(before.join('\n'), after.join('\n')).map(diffText);

describe('the difference of two texts', () => {
  it('is nothing for equal ones', () => {
    expect(shown(['a', 'b'], ['a', 'b'])).toEqual([]);
  });

  it('has what was removed, then what was added, with two lines around', () => {
    expect(shown(['1', '2', '3', '4', '5', '6', '7'], ['1', '2', '3', 'four', '5', '6', '7'])).toEqual([
      ...['  …', '  2', '  3', '- 4', '+ four', '  5', '  6', '  …'],
    ]);
  });

  it('leaves out what is between two far differences, and not between near ones', () => {
    const lines = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
    expect(shown(lines, ['A', 'b', 'c', 'd', 'e', 'f', 'g', 'H'])).toEqual([
      ...['- a', '+ A', '  b', '  c', '  …', '  f', '  g', '- h', '+ H'],
    ]);
    expect(shown(lines.slice(0, 4), ['A', 'b', 'c', 'D'])).toEqual([
      '- a',
      '+ A',
      '  b',
      '  c',
      '- d',
      '+ D',
    ]);
  });

  it('has lines that are only removed or only added', () => {
    expect(shown(['a', 'b', 'c'], ['a', 'c'])).toEqual(['  a', '- b', '  c']);
    expect(shown(['a', 'c'], ['a', 'b', 'c'])).toEqual(['  a', '+ b', '  c']);
    expect(shown(['a'], ['a', 'b'])).toEqual(['  a', '+ b']);
  });
});

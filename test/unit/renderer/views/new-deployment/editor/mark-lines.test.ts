import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { markLines } from '../../../../../../renderer/views/new-deployment/editor/mark-lines';

const text = (...lines: string[]): string => lines.join('\n');

describe('differences of a text by line', () => {
  it('are none between equal texts', () => {
    expect(markLines('', '')).toEqual([]);
    expect(markLines(text('a', 'b'), text('a', 'b'))).toEqual([]);
  });

  it('are changed, added and removed lines', () => {
    expect(markLines(text('a', 'b', 'c'), text('a', 'B', 'c'))).toEqual([
      { line: 2, kind: 'changed', before: ['b'] },
    ]);
    expect(markLines(text('a', 'c'), text('a', 'b', 'c'))).toEqual([{ line: 2, kind: 'added', before: [] }]);
    expect(markLines(text('a', 'b', 'c'), text('a', 'c'))).toEqual([
      { line: 2, kind: 'removed', before: ['b'] },
    ]);
    expect(markLines(text('a', 'b'), 'a')).toEqual([{ line: 1, kind: 'removed', before: ['b'] }]);
  });

  it('stand apart where equal lines are between them', () => {
    expect(markLines(text('a', 'b', 'c', 'd', 'e'), text('A', 'b', 'x', 'c', 'e'))).toEqual([
      { line: 1, kind: 'changed', before: ['a'] },
      { line: 3, kind: 'added', before: [] },
      { line: 5, kind: 'removed', before: ['d'] },
    ]);
  });

  it('put more old lines than new ones beside the last new one', () => {
    expect(markLines(text('a', 'b', 'c', 'd'), text('a', 'x', 'd'))).toEqual([
      { line: 2, kind: 'changed', before: ['b', 'c'] },
    ]);
  });

  it('hold every line of the other text', () => {
    const lines = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 9 });
    fc.assert(
      fc.property(lines, lines, (base, shown) => {
        const marks = new Map(markLines(base.join('\n'), shown.join('\n')).map((mark) => [mark.line, mark]));
        const rebuilt = shown.flatMap((line, index) => {
          const mark = marks.get(index + 1);
          if (mark === undefined) return [line];
          return mark.kind === 'removed' ? [...mark.before, line] : mark.before;
        });
        expect([...rebuilt].sort()).toEqual([...base].sort());
      }),
    );
  });
});

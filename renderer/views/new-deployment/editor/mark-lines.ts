import { hunksOf } from '../../../../main/domain/line-diff';

export interface LineMark {
  /** 1-based, in the shown text. `removed`: lines before it are missing. */
  readonly line: number;
  readonly kind: 'added' | 'changed' | 'removed';
  readonly before: readonly string[];
}

function hunkMarks(first: number, removed: readonly string[], count: number): readonly LineMark[] {
  if (count === 0) return [{ line: first, kind: 'removed', before: removed }];
  return Array.from({ length: count }, (_, index): LineMark => {
    const last = index === count - 1;
    const before = last ? removed.slice(index) : removed.slice(index, index + 1);
    return { line: first + index, kind: before.length === 0 ? 'added' : 'changed', before };
  });
}

export function markLines(base: string, shown: string): readonly LineMark[] {
  const [a, b] = [base.split('\n'), shown.split('\n')];
  const marks: LineMark[] = [];
  for (const { fromA, toA, fromB, toB } of hunksOf(a, b)) {
    // Lines removed at the end are marked at the last line.
    const line = Math.min(fromB + 1, b.length);
    const found = hunkMarks(line, a.slice(fromA, toA), toB - fromB);
    const before = marks.at(-1);
    if (before?.line === line)
      marks[marks.length - 1] = { ...before, before: [...before.before, ...(found[0]?.before ?? [])] };
    else marks.push(...found);
  }
  return marks;
}

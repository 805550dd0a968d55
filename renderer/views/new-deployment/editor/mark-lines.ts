export interface LineMark {
  /** 1-based, in the shown text. `removed`: lines before it are missing. */
  readonly line: number;
  readonly kind: 'added' | 'changed' | 'removed';
  readonly before: readonly string[];
}

function commonLengths(a: readonly string[], b: readonly string[]): readonly Uint32Array[] {
  const lengths = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      const row = lengths[i];
      if (row === undefined) continue;
      row[j] =
        a[i] === b[j]
          ? (lengths[i + 1]?.[j + 1] ?? 0) + 1
          : Math.max(lengths[i + 1]?.[j] ?? 0, row[j + 1] ?? 0);
    }
  }
  return lengths;
}

function hunkMarks(first: number, removed: readonly string[], count: number): readonly LineMark[] {
  if (count === 0) {
    return removed.length === 0 ? [] : [{ line: first, kind: 'removed', before: removed }];
  }
  return Array.from({ length: count }, (_, index): LineMark => {
    const last = index === count - 1;
    const before = last ? removed.slice(index) : removed.slice(index, index + 1);
    return { line: first + index, kind: before.length === 0 ? 'added' : 'changed', before };
  });
}

function commonEnds(
  a: readonly string[],
  b: readonly string[],
): { readonly start: number; readonly tail: number } {
  const shorter = Math.min(a.length, b.length);
  let start = 0;
  while (start < shorter && a[start] === b[start]) start += 1;
  let tail = 0;
  while (tail < shorter - start && a.at(-1 - tail) === b.at(-1 - tail)) tail += 1;
  return { start, tail };
}

/** Lines `fromA` to `toA` became `fromB` to `toB`; either may be empty. */
interface Hunk {
  readonly fromA: number;
  readonly toA: number;
  readonly fromB: number;
  readonly toB: number;
}

function hunksOf(a: readonly string[], b: readonly string[]): readonly Hunk[] {
  const lengths = commonLengths(a, b);
  const hunks: Hunk[] = [];
  let [i, j, fromA, fromB] = [0, 0, 0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      hunks.push({ fromA, toA: i, fromB, toB: j });
      [i, j] = [i + 1, j + 1];
      [fromA, fromB] = [i, j];
    } else if (
      i < a.length &&
      (j >= b.length || (lengths[i + 1]?.[j] ?? -1) >= (lengths[i]?.[j + 1] ?? -1))
    ) {
      i += 1;
    } else {
      j += 1;
    }
  }
  hunks.push({ fromA, toA: i, fromB, toB: j });
  return hunks;
}

export function markLines(base: string, shown: string): readonly LineMark[] {
  const [a, b] = [base.split('\n'), shown.split('\n')];
  const { start, tail } = commonEnds(a, b);
  const [middleA, middleB] = [a.slice(start, a.length - tail), b.slice(start, b.length - tail)];
  const marks: LineMark[] = [];
  for (const { fromA, toA, fromB, toB } of hunksOf(middleA, middleB)) {
    // Lines removed at the end are marked at the last line.
    const line = Math.min(start + fromB + 1, b.length);
    const found = hunkMarks(line, middleA.slice(fromA, toA), toB - fromB);
    const before = marks.at(-1);
    if (before?.line === line)
      marks[marks.length - 1] = { ...before, before: [...before.before, ...(found[0]?.before ?? [])] };
    else marks.push(...found);
  }
  return marks;
}

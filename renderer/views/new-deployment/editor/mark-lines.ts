export interface LineMark {
  /** 1-based, in the shown text. `removed`: lines are missing in front of it. */
  readonly line: number;
  readonly kind: 'added' | 'changed' | 'removed';
  /** What stands there in the other text. */
  readonly before: readonly string[];
}

/** Lengths of the longest common subsequences of all ends of both lists. */
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

/** Lines that took the place of others, line by line; what is over on either side is added or removed. */
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

/** Differences of `shown` from `base` by line, in the order of the lines. */
export function markLines(base: string, shown: string): readonly LineMark[] {
  const [a, b] = [base.split('\n'), shown.split('\n')];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let tail = 0;
  while (tail < a.length - start && tail < b.length - start && a.at(-1 - tail) === b.at(-1 - tail)) tail += 1;
  const [middleA, middleB] = [a.slice(start, a.length - tail), b.slice(start, b.length - tail)];
  const lengths = commonLengths(middleA, middleB);

  const marks: LineMark[] = [];
  let [i, j, fromI, fromJ] = [0, 0, 0, 0];
  const endHunk = (): void => {
    // The line that follows the last one does not exist: what is missing there is told at the last.
    const line = Math.min(start + fromJ + 1, b.length);
    const found = hunkMarks(line, middleA.slice(fromI, i), j - fromJ);
    const before = marks.at(-1);
    if (before?.line === line)
      marks[marks.length - 1] = { ...before, before: [...before.before, ...(found[0]?.before ?? [])] };
    else marks.push(...found);
  };
  while (i < middleA.length || j < middleB.length) {
    if (i < middleA.length && j < middleB.length && middleA[i] === middleB[j]) {
      endHunk();
      [i, j] = [i + 1, j + 1];
      [fromI, fromJ] = [i, j];
    } else if (j >= middleB.length || (lengths[i + 1]?.[j] ?? -1) >= (lengths[i]?.[j + 1] ?? -1)) {
      if (i < middleA.length) i += 1;
      else j += 1;
    } else {
      j += 1;
    }
  }
  endHunk();
  return marks;
}

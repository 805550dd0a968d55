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

/** Lines `fromA` to `toA` became `fromB` to `toB`; either may be empty. From 0, without the last. */
interface Hunk {
  readonly fromA: number;
  readonly toA: number;
  readonly fromB: number;
  readonly toB: number;
}

function hunksBetween(a: readonly string[], b: readonly string[]): readonly Hunk[] {
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
  return hunks.filter((hunk) => hunk.toA > hunk.fromA || hunk.toB > hunk.fromB);
}

/** Where two texts differ, in order. Pure. */
export function hunksOf(a: readonly string[], b: readonly string[]): readonly Hunk[] {
  const { start, tail } = commonEnds(a, b);
  return hunksBetween(a.slice(start, a.length - tail), b.slice(start, b.length - tail)).map(
    ({ fromA, toA, fromB, toB }) => ({
      ...{ fromA: fromA + start, toA: toA + start, fromB: fromB + start, toB: toB + start },
    }),
  );
}

export interface DiffLine {
  /** `left-out`: lines that both have, further than the context from any difference. */
  readonly kind: 'kept' | 'removed' | 'added' | 'left-out';
  readonly text: string;
}

const context = 2;

/** The lines in which a text differs from another one, with two that they share around them; none where they are equal. Pure. */
export function diffLines(before: string, after: string): readonly DiffLine[] {
  const [a, b] = [before.split('\n'), after.split('\n')];
  const hunks = hunksOf(a, b);
  const near = (line: number): boolean =>
    hunks.some(({ fromB, toB }) => line >= fromB - context && line < toB + context);
  const lines: DiffLine[] = [];
  const keep = (from: number, to: number): void => {
    for (let at = from; at < to; at += 1) {
      if (near(at)) lines.push({ kind: 'kept', text: b[at] ?? '' });
      else if (lines.at(-1)?.kind !== 'left-out') lines.push({ kind: 'left-out', text: '…' });
    }
  };
  let shown = 0;
  for (const { fromA, toA, fromB, toB } of hunks) {
    keep(shown, fromB);
    lines.push(...a.slice(fromA, toA).map((text): DiffLine => ({ kind: 'removed', text })));
    lines.push(...b.slice(fromB, toB).map((text): DiffLine => ({ kind: 'added', text })));
    shown = toB;
  }
  if (hunks.length > 0) keep(shown, b.length);
  return lines;
}

const signs: Readonly<Record<DiffLine['kind'], string>> = {
  kept: ' ',
  removed: '-',
  added: '+',
  'left-out': ' ',
};

/** "- count: 1": a line for a terminal or a file. */
export const diffText = ({ kind, text }: DiffLine): string => `${signs[kind]} ${text}`.trimEnd();

import { hunksOf } from './line-diff';

const context = 3;

interface Group {
  readonly fromA: number;
  toA: number;
  readonly fromB: number;
  toB: number;
  readonly hunks: ReturnType<typeof hunksOf>[number][];
}

/** Hunks whose contexts touch are one. */
function grouped(hunks: ReturnType<typeof hunksOf>): readonly Group[] {
  const groups: Group[] = [];
  for (const hunk of hunks) {
    const last = groups.at(-1);
    if (last !== undefined && hunk.fromA - last.toA <= 2 * context) {
      last.hunks.push(hunk);
      last.toA = hunk.toA;
      last.toB = hunk.toB;
    } else groups.push({ ...hunk, hunks: [hunk] });
  }
  return groups;
}

/** Lines with their endings, which `patch` compares too. */
const linesOf = (text: string): readonly string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

const written = (sign: string, line: string): string =>
  line.endsWith('\n') ? `${sign}${line}` : `${sign}${line}\n\\ No newline at end of file\n`;

const range = (from: number, count: number): string => `${count === 0 ? from : from + 1},${count}`;

/**
 * The difference of two texts as `diff -u` writes it, for `patch -p1` and `git apply`; '' where they are equal. Pure.
 * @param path below the folder in which it is applied; @param isNew the file is missing before
 */
export function unifiedDiff(path: string, before: string, after: string, isNew = false): string {
  const [a, b] = [linesOf(before), linesOf(after)];
  const groups = grouped(hunksOf(a, b));
  if (groups.length === 0) return '';
  const parts = groups.map(({ fromA, toA, fromB, toB, hunks }) => {
    const lead = Math.min(context, fromA);
    const tail = Math.min(context, a.length - toA);
    let at = fromA - lead;
    const lines: string[] = [];
    const keep = (to: number) => {
      for (; at < to; at += 1) lines.push(written(' ', a[at] ?? ''));
    };
    for (const hunk of hunks) {
      keep(hunk.fromA);
      lines.push(...a.slice(hunk.fromA, hunk.toA).map((line) => written('-', line)));
      lines.push(...b.slice(hunk.fromB, hunk.toB).map((line) => written('+', line)));
      at = hunk.toA;
    }
    keep(toA + tail);
    const [countA, countB] = [toA - fromA + lead + tail, toB - fromB + lead + tail];
    return `@@ -${range(fromA - lead, countA)} +${range(fromB - lead, countB)} @@\n${lines.join('')}`;
  });
  return `--- ${isNew ? '/dev/null' : `a/${path}`}\n+++ b/${path}\n${parts.join('')}`;
}

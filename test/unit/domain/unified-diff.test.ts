import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { unifiedDiff } from '../../../main/domain/unified-diff';

/** What git makes of a text with the difference. */
function applied(before: string | null, diff: string): string {
  const dir = mkdtempSync(join(tmpdir(), 'diff-'));
  try {
    mkdirSync(join(dir, 'm'));
    if (before !== null) writeFileSync(join(dir, 'm', 'c'), before);
    execFileSync('git', ['apply', '-'], { cwd: dir, input: diff, stdio: ['pipe', 'pipe', 'pipe'] });
    return readFileSync(join(dir, 'm', 'c'), 'utf8');
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

it('is nothing between equal texts, and names the lines otherwise', () => {
  expect(unifiedDiff('m/c', 'a\n', 'a\n')).toBe('');
  expect(unifiedDiff('m/c', 'a\nb\n', 'a\nc')).toBe(
    '--- a/m/c\n+++ b/m/c\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n\\ No newline at end of file\n',
  );
  expect(applied(null, unifiedDiff('m/c', '', 'a\nb\n', true))).toBe('a\nb\n');
});

it('is applied by git to what it was made for', () => {
  const line = fc.constantFrom('a', 'b', 'c', '}', '');
  const text = fc
    .tuple(fc.array(line, { minLength: 1, maxLength: 24 }), fc.boolean())
    .map(([lines, ends]) => `${lines.join('\n')}x${ends ? '\n' : ''}`);
  fc.assert(
    fc.property(text, text, (before, after) => {
      fc.pre(before !== after);
      expect(applied(before, unifiedDiff('m/c', before, after))).toBe(after);
    }),
    { numRuns: 25 },
  );
});

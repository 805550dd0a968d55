import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';

const { differentPaths } = (await import(resolve('scripts/lib/package/reproducible.mjs'))) as {
  differentPaths: (first: string, second: string) => readonly string[];
};

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'twb-reproducible-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});
const place = (path: string, text: string): string => {
  mkdirSync(dirname(join(folder, path)), { recursive: true, mode: 0o755 });
  writeFileSync(join(folder, path), text, { mode: 0o644 });
  return join(folder, path);
};

it('two folders with the same files, links and modes do not differ, whatever their times', () => {
  for (const side of ['a', 'b']) {
    place(`${side}/x/y`, 'text');
    symlinkSync('y', join(folder, side, 'x', 'link'));
  }
  expect(differentPaths(join(folder, 'a'), join(folder, 'b'))).toEqual([]);
});

it('names content, mode, link and what only one has', () => {
  for (const side of ['a', 'b']) {
    place(`${side}/content`, side);
    chmodSync(place(`${side}/mode`, ''), side === 'a' ? 0o644 : 0o755);
    symlinkSync(side, join(folder, side, 'link'));
    place(`${side}/same`, '');
  }
  place('a/only', '');
  expect(differentPaths(join(folder, 'a'), join(folder, 'b'))).toEqual(['content', 'link', 'mode', 'only']);
});

import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lint-rules-'));
});
afterEach(() => rm(folder, { recursive: true }));

interface Report {
  readonly diagnostics: readonly { code: string; labels: readonly { span: { line: number } }[] }[];
}

/** The lines of `source` that break the rule. */
async function linesWith(rule: string, source: readonly string[]): Promise<readonly number[]> {
  const config = join(folder, 'lint.json');
  const rules = { [`workbench/${rule}`]: 'error' };
  const jsPlugins = [resolve('scripts/lib/lint-rules.mjs')];
  await writeFile(config, JSON.stringify({ jsPlugins, categories: { correctness: 'off' }, rules }));
  await writeFile(join(folder, 'source.ts'), source.join('\n'));
  const printed = await new Promise<string>((done) => {
    const args = ['--config', config, '--format=json', 'source.ts'];
    execFile(resolve('node_modules/.bin/oxlint'), args, { cwd: folder }, (_error, stdout) => {
      done(stdout);
    });
  });
  const { diagnostics } = JSON.parse(printed) as Report;
  expect(new Set(diagnostics.map(({ code }) => code))).toEqual(new Set([`workbench(${rule})`]));
  return diagnostics.flatMap(({ labels }) => labels.map(({ span }) => span.line)).sort((a, b) => a - b);
}

it('a list is not spread into Math.max or Math.min, wherever it is among the arguments', async () => {
  const source = [
    'const list = [1, 2];',
    'export const a = Math.max(...list);',
    'export const b = Math.min(0, ...list);',
    'export const c = Math.min(1, 2);',
    'export const d = Math.hypot(...list);',
  ];
  expect(await linesWith('no-spread-extremes', source)).toEqual([2, 3]);
});

it('void is for calls and assignments', async () => {
  const source = [
    'let list = [1];',
    'void list;',
    'void (list as unknown);',
    'void (list.pop(), list);',
    'void list.pop();',
    'void list?.pop();',
    'void (list = []);',
    'export const nothing = void 0;',
  ];
  expect(await linesWith('no-void-of-values', source)).toEqual([2, 3, 4]);
});

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { defaultHome, homeLayout } from '../../main/platform/layout';

it('the options that the guide compares are those that perf_analyzer prints', async () => {
  const layout = homeLayout(defaultHome(process.env));
  // It knows no --help, says so, and prints its options.
  const { stdout, stderr } = await promisify(execFile)(layout.perfAnalyzer, ['--help'], {
    env: { ...process.env, LD_LIBRARY_PATH: layout.perfAnalyzerLibraries },
  }).catch((error: unknown) => error as { readonly stdout: string; readonly stderr: string });
  const printed = `${stdout}${stderr}`.split('\n').flatMap((line) => {
    const [start = ''] = /^\s*--?[a-z][\w-]*(?: \(--?[a-z]+\))?/i.exec(line) ?? [];
    return start.match(/--?[a-z][\w-]*/gi) ?? [];
  });
  const listed = readFileSync('test/fixtures/perf-analyzer/options.txt', 'utf8').trim().split('\n');
  expect([...new Set(printed)].sort()).toEqual([...listed].sort());
});

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { defaultHome, homeLayout } from '../../main/platform/layout';
import { helpOf, optionsOfHelp } from '../support/analyzer-help';

it('the options that perf knows are those that the installed perf_analyzer prints', async () => {
  const layout = homeLayout(defaultHome(process.env));
  const version = readFileSync(join(dirname(dirname(layout.perfAnalyzer)), 'version'), 'utf8').trim();
  // Without a model it prints its options.
  const { stdout, stderr } = await promisify(execFile)(layout.perfAnalyzer, [], {
    env: { ...process.env, LD_LIBRARY_PATH: layout.perfAnalyzerLibraries },
  }).catch((error: unknown) => error as { readonly stdout: string; readonly stderr: string });
  expect(optionsOfHelp(`${stdout}${stderr}`)).toEqual(optionsOfHelp(helpOf(version)));
});

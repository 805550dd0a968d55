import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'twb-usage-'));
});
afterEach(() => rm(home, { recursive: true, force: true }));

/** A command of the clone with a home in which nothing is installed. */
const command = (words: readonly string[]) =>
  new Promise<{ readonly code: unknown; readonly said: string }>((resolve) => {
    const env = { ...process.env, TRITON_WORKBENCH_HOME: home };
    execFile(process.execPath, ['scripts/cli.mjs', ...words], { env }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : error.code, said: `${stdout}${stderr}` });
    });
  });

describe('a command line with a mistake', () => {
  it.each([
    [['report'], "missing required argument 'run'"],
    [['run', 'resnet50', '--formt', 'onnx'], "unknown option '--formt'"],
    [['run'], 'No preset given'],
    [['run', 'resnet51'], 'Unknown preset "resnet51"'],
    [['run', 'resnet50', '--batch-sizes', '0'], 'must be at least 1'],
    [['report', '--json'], '"message": "missing required argument \'run\'",'],
    [['resume'], "missing required argument 'run'"],
  ])('%j is refused before anything is installed', async (words, text) => {
    const { code, said } = await command(words);
    expect(said).toContain(text);
    expect(said).not.toContain('Setting up');
    expect(code).toBe(2);
    for (const name of ['python', 'triton', 'electron']) expect(await readdir(home)).not.toContain(name);
  });
});

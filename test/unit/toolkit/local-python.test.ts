import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createLocalPython } from '../../../main/toolkit/local-python';
import { createTestHome, type TestHome } from '../../support/home';

let home: TestHome;
beforeEach(async () => {
  home = await createTestHome();
});
afterEach(() => home.remove());

it('is started beside the toolkit, whatever folder the workbench was started in', async () => {
  const resources = join(home.path, 'resources');
  await mkdir(resources);
  const python = join(home.path, 'own-python');
  await writeFile(python, '#!/bin/sh\npwd\n');
  await chmod(python, 0o755);
  const lines: string[] = [];
  const ended = await createLocalPython({ python, resources, env: process.env })({
    args: ['-m', 'toolkit', 'packages'],
    task: 'packages',
    signal: new AbortController().signal,
    onStdoutLine: (line) => lines.push(line),
    onStderrLine: () => undefined,
    onCommand: () => Promise.resolve(),
    onProgress: () => undefined,
  });
  expect(ended.exitCode).toBe(0);
  expect(lines).toEqual([resources]);
});

import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createLocalPython } from '../../../main/toolkit/local-python';
import { createTestHome, type TestHome } from '../../support/home';

let home: TestHome;
beforeEach(async () => {
  home = await createTestHome([]);
});
afterEach(() => home.remove());

/** What a shell script in place of Python prints, and the folder that the toolkit is in. */
async function said(script: string, cache?: string) {
  const resources = join(home.path, 'resources');
  await mkdir(resources);
  const python = join(home.path, 'own-python');
  await writeFile(python, `#!/bin/sh\n${script}\n`);
  await chmod(python, 0o755);
  const lines: string[] = [];
  const more = cache === undefined ? {} : { cache };
  const ended = await createLocalPython({ python, resources, env: process.env, ...more })({
    args: ['-m', 'toolkit', 'packages'],
    task: 'packages',
    signal: new AbortController().signal,
    onStdoutLine: (line) => lines.push(line),
    onStderrLine: () => undefined,
    onCommand: () => Promise.resolve(),
    onProgress: () => undefined,
  });
  expect(ended.exitCode).toBe(0);
  return { lines, resources };
}

it('is started beside the toolkit, whatever folder the workbench was started in', async () => {
  const { lines, resources } = await said('pwd');
  expect(lines).toEqual([resources]);
});

it('reports nothing to the makers of ONNX Runtime, and leaves nothing in the temporary folder', async () => {
  const { lines } = await said('echo "$ORT_DISABLE_TELEMETRY $TORCHINDUCTOR_CACHE_DIR"', '/home/cache');
  expect(lines).toEqual(['1 /home/cache/torchinductor']);
});

it('has the threads of a parallel loop sleep while they wait, and leaves their number to the machine', async () => {
  const { lines } = await said('echo "$OMP_WAIT_POLICY ${OMP_NUM_THREADS-}"');
  expect(lines).toEqual(['PASSIVE ']);
});

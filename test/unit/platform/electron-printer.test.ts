import { chmod, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createElectronPrinter } from '../../../main/platform/electron-printer';
import { rejection } from '../../support/rejection';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'twb-printer-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

/** A program in Electron's place that ends like this. */
async function printed(ends: string) {
  const electron = join(dir, 'electron');
  await writeFile(electron, `#!/bin/sh\n${ends}\n`);
  await chmod(electron, 0o755);
  const print = createElectronPrinter({ electron, app: null, env: { ...process.env, DISPLAY: ':0' } });
  return rejection(print(join(dir, 'a.html'), join(dir, 'a.pdf'), new AbortController().signal));
}

it('a PDF that does not fit is a full disk, of the file that was to be written', async () => {
  expect(await printed('exit 28')).toMatchObject({ code: 'disk-full', where: join(dir, 'a.pdf') });
  expect(await readdir(dir)).toEqual(['electron']);
});

it('one that could not be printed for another reason has what the program said', async () => {
  const error = await printed('echo "out of memory" >&2; exit 1');
  expect(error).toMatchObject({ code: 'report-failed', details: 'out of memory' });
});

it('without an Electron runtime, the remedy is not to set up the tools', async () => {
  const print = createElectronPrinter({ electron: join(dir, 'electron'), app: null, env: {} });
  const error = await rejection(print(join(dir, 'a.html'), join(dir, 'a.pdf'), new AbortController().signal));
  expect(error).toMatchObject({
    code: 'toolchain-missing',
    remedy: 'The other formats need no Electron. In a clone, "npm start" installs the runtime.',
  });
});

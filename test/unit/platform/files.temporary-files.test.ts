import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createElectronPrinter } from '../../../main/platform/electron-printer';
import { makeTemporaryFolder, requireTemporaryFolder } from '../../../main/platform/files';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'workbench-temporary-'));
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true, force: true });
});

const missing = () => join(folder, 'none');

describe('the folder for temporary files', () => {
  it('is taken where it exists and is writable', async () => {
    await expect(requireTemporaryFolder({ TMPDIR: folder }, 'report-failed')).resolves.toBeUndefined();
    expect(await makeTemporaryFolder('workbench-', 'report-failed')).toContain('workbench-');
  });

  it('is an error that names TMPDIR and the fix where it does not exist', async () => {
    await expect(requireTemporaryFolder({ TMPDIR: missing() }, 'report-failed')).rejects.toMatchObject({
      code: 'report-failed',
      message: `The folder for temporary files does not exist: ${missing()} (TMPDIR).`,
      remedy: expect.stringContaining('Set TMPDIR to a folder that exists and is writable') as string,
    });
  });

  it('is an error where it is a file', async () => {
    const file = join(folder, 'file');
    await writeFile(file, '');
    await expect(requireTemporaryFolder({ TMPDIR: file }, 'file-unwritable')).rejects.toMatchObject({
      code: 'file-unwritable',
      message: expect.stringContaining('is not a folder') as string,
    });
  });

  it('is an error of this process too', async () => {
    vi.stubEnv('TMPDIR', missing());
    await expect(makeTemporaryFolder('workbench-', 'file-unwritable')).rejects.toMatchObject({
      code: 'file-unwritable',
      message: expect.stringContaining('(TMPDIR)') as string,
    });
    vi.unstubAllEnvs();
  });

  it('ends printing with report-failed before Electron is started', async () => {
    // Any program that exists: it is never started.
    const print = createElectronPrinter({
      electron: process.execPath,
      app: folder,
      env: { ...process.env, TMPDIR: missing() },
    });
    await expect(
      print(join(folder, 'in.html'), join(folder, 'out.pdf'), new AbortController().signal),
    ).rejects.toMatchObject({ code: 'report-failed', message: expect.stringContaining('TMPDIR') as string });
  });
});

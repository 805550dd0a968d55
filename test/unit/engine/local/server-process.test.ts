import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { launchServer } from '../../../../main/engine/local/server-process';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'twb-server-process-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

/** A program that prints its arguments and ends stands for Triton: what is asked is where its output goes. */
const launch = (logPath: string) =>
  launchServer({
    toolchain: { program: 'echo', backends: dir, pythonBin: '/bin', sitePackages: dir, libraryPath: [] },
    env: { PATH: '/usr/bin:/bin' },
    records: join(dir, 'engines'),
    start: {
      runId: 'run',
      key: 'key',
      repository: dir,
      logPath,
      signal: new AbortController().signal,
      onLog: () => undefined,
      onCommand: () => undefined,
    },
  });

it('does not write the log through a link', async () => {
  const victim = join(dir, 'victim');
  await writeFile(victim, 'mine');
  const logPath = join(dir, 'steps', 'triton.log');
  await mkdir(join(dir, 'steps'));
  await symlink(victim, logPath);
  await expect(launch(logPath)).rejects.toMatchObject({ code: 'file-unwritable', where: logPath });
  expect(await readFile(victim, 'utf8')).toBe('mine');
  expect(await readdir(join(dir, 'engines'))).toEqual([]);
});

it('appends to a log that is a file', async () => {
  const logPath = join(dir, 'triton.log');
  await writeFile(logPath, 'before\n');
  const server = await launch(logPath);
  await server.exited;
  expect(await readFile(logPath, 'utf8')).toMatch(/^before\n--model-repository=/);
});

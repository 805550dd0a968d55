import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { launchServer } from '../../../../main/engine/local/server-process';
import { logPressure } from '../../../../main/platform/lines';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'twb-server-process-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

/** A program that prints its arguments and ends stands for Triton: what is asked is where its output goes. */
const launch = (logPath: string, program = 'echo', onLog: () => void = () => undefined) =>
  launchServer({
    program: {
      toolchain: { program, backends: dir, pythonBin: '/bin', sitePackages: dir, libraryPath: [] },
    },
    env: { PATH: '/usr/bin:/bin' },
    records: join(dir, 'engines'),
    start: {
      runId: 'run',
      key: 'key',
      repository: dir,
      logPath,
      signal: new AbortController().signal,
      onLog,
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

it('keeps a flood to the cap of a log, with a count of the rest and the last lines', async () => {
  const program = join(dir, 'flooding-server');
  const flood = `yes ${'y'.repeat(99)} | head -n 600000`;
  await writeFile(program, `#!/bin/sh\n${flood}\necho the error at the end\n`, { mode: 0o755 });
  const logPath = join(dir, 'triton.log');
  let waited = 0;
  const server = await launch(logPath, program, () => {
    waited = Math.max(waited, logPressure.waitingBytes);
  });
  const { exitCode, tail } = await server.exited;
  expect(exitCode).toBe(0);
  expect(tail.at(-1)).toBe('the error at the end');
  expect(waited).toBeLessThan(4 * 1024 * 1024);
  expect((await stat(logPath)).size).toBeLessThan(50 * 1024 * 1024 + 128 * 1024);
  const written = (await readFile(logPath, 'utf8')).trimEnd().split('\n');
  const noted = written.find((line) => line.includes('are left out here'));
  const leftOut = Number(/^… ([\d,]+) lines/.exec(noted ?? '')?.[1]?.replaceAll(',', ''));
  // Two of the lines are notes.
  expect(written.length - 2 + leftOut).toBe(600_001);
});

import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readLogTail } from '../../../main/store/log-tail';
import { rejection } from '../../support/rejection';

let dir = '';
let log = '';
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'log-tail-'));
  log = join(dir, 'steps', 'export', 'step.log');
  await mkdir(join(dir, 'steps', 'export'), { recursive: true });
  await mkdir(join(dir, 'outside'));
  await writeFile(join(dir, 'outside', 'step.log'), 'secret\n');
});
afterEach(() => rm(dir, { recursive: true, force: true }));

it('the last lines of a log', async () => {
  await writeFile(log, 'one\ntwo\nthree\n');
  expect(await readLogTail(log, 2)).toEqual(['two', 'three']);
  expect(await readLogTail(join(dir, 'steps', 'deploy', 'step.log'), 2)).toEqual([]);
});

it('no link is followed: neither that of the log nor that of its folder', async () => {
  await symlink(join(dir, 'outside', 'step.log'), log);
  expect((await rejection(readLogTail(log, 10))).code).toBe('run-folder-unsafe');
  await rm(join(dir, 'steps', 'export'), { recursive: true });
  await symlink(join(dir, 'outside'), join(dir, 'steps', 'export'));
  expect((await rejection(readLogTail(log, 10))).code).toBe('run-folder-unsafe');
});

it('a pipe is not waited for', async () => {
  execFileSync('mkfifo', [log]);
  expect((await rejection(readLogTail(log, 10))).code).toBe('run-folder-unsafe');
});

it('of a log of many gigabytes the end is read', async () => {
  await writeFile(log, '');
  await truncate(log, 8 * 2 ** 30);
  await writeFile(log, '\nlast\n', { flag: 'a' });
  expect(await readLogTail(log, 1)).toEqual(['last']);
});

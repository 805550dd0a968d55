import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, symlink, truncate, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { temporaryBeside } from '../../../main/platform/files';
import { homeLayout } from '../../../main/platform/layout';
import { readLogTail, sweepHomeFiles, sweepRunFiles } from '../../../main/store/run-files';
import { runFolder } from '../../../main/store/run-folder';
import { rejection } from '../../support/rejection';

let home = '';
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'left-files-'));
});
afterEach(() => rm(home, { recursive: true, force: true }));

const then = new Date(Date.now() - 25 * 3600 * 1000);

/** A file (or a folder with one) of which the writer was killed a day ago. */
async function leave(path: string, isFolder = false): Promise<void> {
  const left = temporaryBeside(path);
  await mkdir(isFolder ? left : join(left, '..'), { recursive: true });
  await writeFile(isFolder ? join(left, 'file') : left, 'half');
  await utimes(left, then, then);
}

it('what killed writers left a day ago goes, in every folder of a home that they write to', async () => {
  const layout = homeLayout(home);
  await leave(layout.settings);
  await leave(join(layout.runs, '.run'), true);
  await leave(join(layout.cache, '.key'), true);
  await leave(join(layout.engines, 'id.json'));
  await leave(join(layout.devices, 'cpu', 'lease.json'));
  await sweepHomeFiles(layout);
  for (const folder of [layout.runs, layout.cache, layout.engines, join(layout.devices, 'cpu')])
    expect(await readdir(folder), folder).toEqual([]);
  expect((await readdir(home)).sort()).toEqual(['cache', 'devices', 'engines', 'runs']);
});

it('and in a run that is gone on with', async () => {
  const folder = runFolder(join(home, 'run'));
  await leave(folder.spec);
  await leave(folder.output('export'));
  await leave(join(folder.results, 'report.html'));
  await sweepRunFiles(folder);
  for (const dir of [folder.results, folder.step('export')]) expect(await readdir(dir)).toEqual([]);
});

it('nothing behind a link in a run folder is removed', async () => {
  const folder = runFolder(join(home, 'run'));
  const outside = join(home, 'outside');
  await leave(join(outside, 'report.html'));
  await mkdir(folder.step('export'), { recursive: true });
  for (const link of [folder.results, folder.step('deploy')]) await symlink(outside, link);
  await sweepRunFiles(folder);
  expect(await readdir(outside)).toHaveLength(1);
});

it('what is being written stays, and so does what only looks like it', async () => {
  const layout = homeLayout(home);
  const own = join(layout.cache, 'model.tmp');
  await leave(layout.settings);
  const fresh = temporaryBeside(layout.settings);
  await mkdir(layout.cache, { recursive: true });
  await writeFile(fresh, 'half');
  await writeFile(own, 'whole');
  await utimes(own, then, then);
  await sweepHomeFiles(layout);
  expect(await readdir(layout.cache)).toEqual(['model.tmp']);
  expect((await readdir(home)).filter((name) => name.endsWith('.tmp'))).toHaveLength(1);
});

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

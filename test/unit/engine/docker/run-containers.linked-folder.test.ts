import { execFileSync } from 'node:child_process';
import { lstat, mkdir, mkdtemp, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Core } from '../../../../main/core';
import { type RunFolder, runFolder } from '../../../../main/store/run-folder';
import { NotingRuns } from '../../../support/noting-runs';
import { rejection } from '../../../support/rejection';
import { containersHere, quietFiles } from '../../../support/run-containers';
import { specFixture } from '../../../support/run-state';
import { createTestCore } from '../../../support/test-core';

let root: string;
let victim: string;
const cores: Core[] = [];
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'linked-folder-'));
  victim = join(root, 'victim');
  await mkdir(victim);
  await writeFile(join(victim, 'notes'), 'not yours');
});
afterEach(async () => {
  for (const core of cores.splice(0)) await core.close();
  await rm(root, { recursive: true, force: true });
});

/** What was there before is there, and nothing else. */
async function expectUntouched(): Promise<void> {
  expect(await readdir(victim)).toEqual(['notes']);
  expect(await readFile(join(victim, 'notes'), 'utf8')).toBe('not yours');
}

/** A run that failed after its second half began, so that there is something left to do. */
async function interrupted(): Promise<{ home: NotingRuns; runId: string; folder: RunFolder }> {
  const home = new NotingRuns(join(root, 'home'), {
    export: async ({ dir }) => {
      await writeFile(join(dir, 'model.onnx'), 'model');
      return { output: {} };
    },
    deploy: async ({ dir }) => {
      await writeFile(join(dir, 'triton.log'), 'of the first attempt');
      return { output: {} };
    },
    online: () => Promise.reject(new Error('once')),
  });
  const runId = await home.create();
  expect((await home.attempt(runId)).outcome).toBe('failed');
  return { home, runId, folder: runFolder(join(home.home, 'runs', runId)) };
}

async function linkInPlaceOf(path: string, to: string): Promise<void> {
  await rm(path, { recursive: true, force: true });
  await mkdir(join(path, '..'), { recursive: true });
  await symlink(to, path);
}

describe('a link in a run folder', () => {
  it.each([
    ['results', (folder: RunFolder) => folder.results, ''],
    ['results/report.pdf', (folder: RunFolder) => join(folder.results, 'report.pdf'), 'notes'],
    ['steps', (folder: RunFolder) => join(folder.dir, 'steps'), ''],
    ['steps/offline', (folder: RunFolder) => folder.step('offline'), ''],
    ['steps/export', (folder: RunFolder) => folder.step('export'), ''],
    ['a log', (folder: RunFolder) => folder.log('online'), 'notes'],
    ['triton.log', (folder: RunFolder) => join(folder.step('deploy'), 'triton.log'), 'notes'],
    ['an output', (folder: RunFolder) => folder.output('configure'), 'notes'],
    ['the model repository', (folder: RunFolder) => folder.repository, ''],
    ['the journal', (folder: RunFolder) => folder.journal, 'notes'],
    ['run.yaml', (folder: RunFolder) => folder.spec, 'notes'],
    ['summary.json', (folder: RunFolder) => folder.summary, 'notes'],
  ])(
    'in place of %s ends the attempt before anything runs, and nothing is written behind it',
    async (_what, of, to) => {
      const { home, runId, folder } = await interrupted();
      const path = of(folder);
      await linkInPlaceOf(path, join(victim, to));
      const error = await rejection(home.attempt(runId));
      expect(error).toMatchObject({ code: 'run-folder-unsafe', where: path });
      expect(error.message).toContain('is a link');
      expect(error.remedy).toContain('Remove it');
      expect(home.done).toEqual([]);
      await expectUntouched();
      expect((await lstat(path)).isSymbolicLink()).toBe(true);
    },
  );

  it('of the run itself, which --out makes, is followed', async () => {
    const { home, runId, folder } = await interrupted();
    await rename(folder.dir, join(root, 'elsewhere'));
    await symlink(join(root, 'elsewhere'), folder.dir);
    expect((await home.attempt(runId)).outcome).toBe('failed');
    expect(home.done).toContain('online');
  });

  it('in place of the results is not written to by reports of the run either', async () => {
    const { home, runId, folder } = await interrupted();
    await linkInPlaceOf(folder.results, victim);
    const core = await createTestCore(home.home);
    cores.push(core);
    expect(await rejection(core.handlers['runs.writeReports']({ runId }))).toMatchObject({
      code: 'run-folder-unsafe',
    });
    await expectUntouched();
  });

  it('is not mounted into a container', async () => {
    const { folder } = await interrupted();
    const { files } = containersHere({
      facts: { memoryBytes: 2 ** 30, rootless: true, remapsUsers: false, gpuAccess: 'runtime' },
      instance: 'f'.repeat(32),
      run: { runId: 'r', dir: folder.dir, framework: 'pyt', step: () => 'offline' },
      spec: specFixture(),
      engine: { kind: 'docker', gpus: [], shmSizeMiB: 64 },
      resources: 'resources',
      bundles: 'out',
    });
    await files.openClient(quietFiles);
    await linkInPlaceOf(folder.step('offline'), victim);
    expect(await rejection(files.openClient(quietFiles))).toMatchObject({ code: 'run-folder-unsafe' });
    await linkInPlaceOf(folder.repository, victim);
    expect(await rejection(files.openRepository(folder.repository, quietFiles))).toMatchObject({
      code: 'run-folder-unsafe',
      where: folder.repository,
    });
  });
});

it.each(['journal.jsonl', 'results', 'steps/online/step.log'])(
  'a pipe in place of %s holds up neither the list nor a resume',
  async (name) => {
    const { home, runId, folder } = await interrupted();
    const path = join(folder.dir, name);
    await rm(path, { recursive: true, force: true });
    execFileSync('mkfifo', [path]);
    const { runs, unreadable } = await home.store.list();
    expect(runs.length + unreadable.length).toBe(1);
    const error = await rejection(home.attempt(runId));
    expect(error).toMatchObject({ code: 'run-folder-unsafe' });
    expect(error.message).toContain('is a pipe');
  },
);

it('a pipe in place of the kept row of the list is replaced by the row', async () => {
  const { home, runId, folder } = await interrupted();
  await rm(folder.summary, { force: true });
  execFileSync('mkfifo', [folder.summary]);
  expect((await home.store.list()).runs).toMatchObject([{ runId }]);
  expect((await lstat(folder.summary)).isFile()).toBe(true);
});

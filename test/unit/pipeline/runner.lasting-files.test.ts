import { fdatasyncSync, fsyncSync } from 'node:fs';
import { type FileHandle, mkdir, mkdtemp, open, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { parseJournal } from '../../../main/store/journal';
import { NotingRuns } from '../../support/noting-runs';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'lasting-files-'));
});
afterEach(async () => {
  vi.restoreAllMocks();
  await rm(root, { recursive: true, force: true });
});

/** What was put on disk, in order: paths, and of the journal the record that is its last. */
async function noteSyncs(): Promise<readonly string[]> {
  const noted: string[] = [];
  const some = await open(root);
  const handles = Object.getPrototypeOf(some) as FileHandle;
  await some.close();
  vi.spyOn(handles, 'sync').mockImplementation(async function (this: FileHandle) {
    noted.push(await readlink(`/proc/self/fd/${this.fd}`));
    fsyncSync(this.fd);
  });
  vi.spyOn(handles, 'datasync').mockImplementation(async function (this: FileHandle) {
    fdatasyncSync(this.fd);
    const path = await readlink(`/proc/self/fd/${this.fd}`);
    const last = parseJournal(await readFile(path)).entries.at(-1);
    noted.push(last?.type === 'step-finished' ? `finished ${last.step}` : path);
  });
  return noted;
}

it('M12: every file and folder of a step is on disk before the record that vouches for it', async () => {
  const home = new NotingRuns(join(root, 'home'), {
    export: async ({ dir }) => {
      await mkdir(join(dir, 'deep'));
      await writeFile(join(dir, 'model.onnx'), 'model');
      await writeFile(join(dir, 'deep', 'weights'), 'weights');
      return { output: {} };
    },
  });
  const runId = await home.create();
  const noted = await noteSyncs();
  expect((await home.attempt(runId)).outcome).toBe('done');
  const runDir = join(home.home, 'runs', runId);
  const before = noted.slice(0, noted.indexOf('finished export')).map((path) => relative(runDir, path));
  for (const path of ['model.onnx', 'deep/weights', 'deep', 'output.json', '']) {
    const inStep = join('steps', 'export', path);
    expect(before, inStep).toContain(path === '' ? dirname(join(inStep, 'x')) : inStep);
  }
});

import { lutimes, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { exists } from '../../../main/platform/files';
import { homeLayout } from '../../../main/platform/layout';
import { acquireLease, leaseHolder } from '../../../main/store/file-lease';
import type { RunStore } from '../../../main/store/run-store';
import { createRunTrash } from '../../../main/store/run-trash';
import { rejection } from '../../support/rejection';
import { environmentFixture, specFixture } from '../../support/run-state';
import { runStore } from '../../support/run-store';

const dayMs = 24 * 3600 * 1000;

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'trash-'));
});
afterEach(async () => {
  await rm(home, { recursive: true });
});

function open() {
  const layout = homeLayout(home);
  const store = runStore(layout.runs, layout.runKey);
  return { layout, store, trash: createRunTrash(store, layout) };
}
const create = async (store: RunStore, out?: string) =>
  (await store.create(specFixture(), environmentFixture(), out)).state.runId;
const ids = async (store: RunStore) => (await store.list()).runs.map(({ runId }) => runId);

it('takes a run away and brings it back as it was', async () => {
  const { store, trash } = open();
  const [kept, runId] = [await create(store), await create(store)];
  const before = await store.load(runId);
  await trash.remove(runId);
  expect(await ids(store)).toEqual([kept]);
  expect((await rejection(store.load(runId))).code).toBe('run-unknown');
  expect((await rejection(trash.remove(runId))).code).toBe('run-unknown');
  await trash.restore(runId);
  expect((await store.load(runId)).state).toEqual(before.state);
  expect(await leaseHolder(before.folder.dir)).toBeNull();
  expect((await rejection(trash.restore(runId))).code).toBe('run-unknown');
});

it('does not touch a run that somebody works on', async () => {
  const { store, trash } = open();
  const runId = await create(store);
  const release = await acquireLease((await store.folderOf(runId)).dir);
  expect((await rejection(trash.remove(runId))).code).toBe('run-busy');
  expect(await ids(store)).toEqual([runId]);
  await release();
});

it('keeps what is young and deletes what is old', async () => {
  const { layout, store, trash } = open();
  const [old, young] = [await create(store), await create(store)];
  for (const runId of [old, young]) await trash.remove(runId);
  const then = new Date(Date.now() - dayMs - 1000);
  await lutimes(join(layout.trash, old), then, then);
  expect(await trash.empty(dayMs)).toEqual([old]);
  expect((await rejection(trash.restore(old))).code).toBe('run-unknown');
  await trash.restore(young);
  expect(await ids(store)).toEqual([young]);
});

it('counts the age from the removal, not from the run', async () => {
  const { layout, store, trash } = open();
  const runId = await create(store);
  const then = new Date(Date.now() - 10 * dayMs);
  await lutimes(join(layout.runs, runId), then, then);
  await trash.remove(runId);
  expect(await trash.empty(dayMs)).toEqual([]);
});

it('has nothing to empty in a new home', async () => {
  expect(await open().trash.empty(0)).toEqual([]);
});

it('leaves the folder of a run elsewhere where it is until the trash is emptied', async () => {
  const { store, trash } = open();
  const out = join(home, 'elsewhere');
  const runId = await create(store, out);
  await trash.remove(runId);
  expect(await ids(store)).toEqual([]);
  expect(await readdir(out)).toEqual(['journal.jsonl', 'run.yaml']);
  await trash.restore(runId);
  expect((await store.load(runId)).folder.dir).toBe(out);
  await trash.remove(runId);
  expect(await trash.empty(0)).toEqual([runId]);
  expect(await exists(out)).toBe(false);
});

it('does not delete what has come to stand where a run elsewhere was', async () => {
  const { store, trash } = open();
  const out = join(home, 'elsewhere');
  const runId = await create(store, out);
  await trash.remove(runId);
  await rm(out, { recursive: true });
  await mkdir(out);
  await writeFile(join(out, 'thesis.txt'), 'years of work');
  expect(await trash.empty(0)).toEqual([runId]);
  expect(await readdir(out)).toEqual(['thesis.txt']);
});

it('shows tags and note in the list, said while nobody works on the run', async () => {
  const { store } = open();
  const runId = await create(store);
  const entry = await store.append(runId, { type: 'annotation', tags: ['baseline'], note: 'before' });
  expect(entry).toMatchObject({ seq: 2, type: 'annotation' });
  expect((await store.list()).runs[0]).toMatchObject({
    tags: ['baseline'],
    note: 'before',
    waitsFor: null,
    imported: null,
    status: 'created',
  });
  const release = await acquireLease((await store.folderOf(runId)).dir);
  const body = { type: 'annotation' as const, tags: [], note: '' };
  expect((await rejection(store.append(runId, body))).code).toBe('run-busy');
  await release();
  expect((await store.load(runId)).state.tags).toEqual(['baseline']);
});

it('pauses and cancels nothing where nobody works', async () => {
  const { store } = open();
  const runId = await create(store);
  expect((await rejection(store.requestPause(runId))).code).toBe('input-invalid');
  expect((await rejection(store.requestCancel(runId))).code).toBe('input-invalid');
  const folder = await store.folderOf(runId);
  const release = await acquireLease(folder.dir);
  await store.requestPause(runId);
  await store.requestCancel(runId);
  expect([await exists(folder.pauseRequest), await exists(folder.cancelRequest)]).toEqual([true, true]);
  await release();
});

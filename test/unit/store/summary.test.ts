import { appendFile, cp, mkdir, mkdtemp, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { JournalBody } from '../../../main/contract/run/run-events';
import { acquireLease } from '../../../main/store/file-lease';
import { formatJournalLine } from '../../../main/store/journal';
import { completeBodies, createdBodies, journalFixture } from '../../support/run-state';
import { runStore } from '../../support/run-store';

let runsDir = '';
beforeEach(async () => {
  runsDir = await mkdtemp(join(tmpdir(), 'workbench-summary-'));
});
afterEach(() => rm(runsDir, { recursive: true, force: true }));

const entries = journalFixture([...completeBodies(), { type: 'run-finished', outcome: 'done' }]);
const created = entries[0];
const runId = created?.type === 'run-created' ? created.runId : '';
const text = (count = entries.length) =>
  entries.slice(0, count).map((entry) => `${formatJournalLine(entry)}\n`);
const dir = () => join(runsDir, runId);
const kept = () => join(dir(), 'summary.json');
const journal = () => join(dir(), 'journal.jsonl');
const listed = async () => (await runStore(runsDir).list()).runs[0];

async function prepare(count?: number): Promise<void> {
  await mkdir(dir(), { recursive: true });
  await writeFile(journal(), text(count).join(''));
}

it('keeps the row beside the journal and takes it from there while the journal does not grow', async () => {
  await prepare();
  const first = await listed();
  expect(first?.best?.inferencesPerSecond).toBeGreaterThan(0);
  const marked = (await readFile(kept(), 'utf8')).replace('"note":""', '"note":"from the file"');
  await writeFile(kept(), marked);
  expect(await listed()).toEqual({ ...first, note: 'from the file' });
});

it('has the time of the steps, without what was between them', async () => {
  await mkdir(dir(), { recursive: true });
  const step = { step: 'export', key: 'k' } as const;
  const steps: readonly JournalBody[] = [
    { type: 'step-started', ...step, attempt: 1 },
    { type: 'step-finished', ...step, durationUs: 2e6, facts: [], warnings: [] },
  ];
  await writeFile(
    journal(),
    journalFixture([...createdBodies(), ...steps])
      .map((entry) => `${formatJournalLine(entry)}\n`)
      .join(''),
  );
  expect((await listed())?.durationUs).toBe(2e6);
});

it('reads the journal again once it has grown', async () => {
  await prepare(entries.length - 1);
  expect((await listed())?.status).toBe('interrupted');
  await appendFile(journal(), text().at(-1) ?? '');
  expect((await listed())?.status).toBe('done');
});

it('does not believe the row of another journal of the same size and time', async () => {
  await prepare();
  await utimes(journal(), 1000, 1000);
  const first = await listed();
  await writeFile(journal(), (await readFile(journal(), 'utf8')).replace(/.\n$/, 'x\n'));
  await utimes(journal(), 1000, 1000);
  expect((await listed())?.damagedLines).not.toEqual(first?.damagedLines);
});

it('does not believe the row that a copied folder brings along', async () => {
  await prepare();
  await utimes(journal(), 1000, 1000);
  const first = await listed();
  const copied = await mkdtemp(join(tmpdir(), 'workbench-copied-'));
  await cp(dir(), join(copied, runId), { recursive: true, preserveTimestamps: true });
  await rm(runsDir, { recursive: true });
  runsDir = copied;
  await writeFile(kept(), (await readFile(kept(), 'utf8')).replace('"note":""', '"note":"best of all"'));
  expect(await listed()).toEqual({ ...first, dir: dir() });
});

it.each(['{"madeBy":1,', '{}', '[]', '{"madeBy":0,"journal":{"bytes":1,"mtimeMs":1},"summary":{}}'])(
  'makes the row anew where what was kept is %s',
  async (content) => {
    await prepare();
    const first = await listed();
    const made = await readFile(kept(), 'utf8');
    await writeFile(kept(), content);
    expect(await listed()).toEqual(first);
    expect(await readFile(kept(), 'utf8')).toBe(made);
  },
);

it('tells by the lease whether a run without an outcome is worked on, whatever was kept', async () => {
  await prepare(entries.length - 1);
  expect((await listed())?.status).toBe('interrupted');
  const release = await acquireLease(dir());
  expect((await listed())?.status).toBe('running');
  await release();
  expect((await listed())?.status).toBe('interrupted');
});

it('says where the folder is now', async () => {
  await prepare();
  await listed();
  const moved = `${runsDir}-moved`;
  await rename(runsDir, moved);
  runsDir = moved;
  expect((await listed())?.dir).toBe(dir());
});

it('does not hide a damaged journal behind a row that was kept', async () => {
  await prepare();
  await listed();
  await writeFile(journal(), 'no journal\n');
  const { runs, unreadable } = await runStore(runsDir).list();
  expect(runs).toEqual([]);
  expect(unreadable).toMatchObject([{ runId }]);
});

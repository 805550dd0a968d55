import { appendFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { formatJournalLine } from '../../../main/store/journal';
import { completeBodies, journalFixture } from '../../support/run-state';
import { runStore } from '../../support/run-store';

const count = 40;
const ids = Array.from({ length: count }, (_unused, at) => `20251121-081700-resnet50-onnx-fp16-${1000 + at}`);
const newestFirst = [...ids].reverse();

let runsDir = '';
beforeEach(async () => {
  runsDir = await mkdtemp(join(tmpdir(), 'workbench-run-rows-'));
  for (const runId of ids) {
    await mkdir(join(runsDir, runId));
    const entries = journalFixture([...completeBodies(), { type: 'run-finished', outcome: 'done' }]);
    const lines = entries.map((entry) =>
      formatJournalLine(entry.type === 'run-created' ? { ...entry, runId } : entry),
    );
    await writeFile(journal(runId), lines.map((line) => `${line}\n`).join(''));
  }
});
afterEach(() => rm(runsDir, { recursive: true, force: true }));

const journal = (runId: string) => join(runsDir, runId, 'journal.jsonl');
const kept = (runId: string) => join(runsDir, runId, 'summary.json');

/** Keeps the rows, then changes them to what another version kept. */
async function keepOtherVersion(change: (row: Record<string, unknown>) => unknown = (row) => row) {
  await runStore(runsDir).list();
  for (const runId of ids) {
    const { journal: mark, summary } = JSON.parse(await readFile(kept(runId), 'utf8')) as {
      journal: string;
      summary: Record<string, unknown>;
    };
    const row = change({ ...summary, note: 'of another version' });
    await writeFile(kept(runId), JSON.stringify({ madeBy: 1, journal: mark, summary: row }));
  }
}

const makeAll = async (store: ReturnType<typeof runStore>) => {
  let made = 0;
  await store.makeRows(new AbortController().signal, () => {
    made += 1;
  });
  return made;
};

it('has the newest rows at hand where none is kept, and the others once they are made', async () => {
  const store = runStore(runsDir);
  const first = await store.listAtHand();
  const shown = first.runs.map(({ runId }) => runId);
  expect(shown.length).toBeGreaterThan(10);
  expect(shown).toEqual(newestFirst.slice(0, shown.length));
  expect(first).toMatchObject({ outdated: [], missing: count - shown.length });
  expect(first.missing).toBeGreaterThan(0);
  expect(await makeAll(store)).toBe(first.missing);
  expect(await store.listAtHand()).toEqual({ runs: (await store.list()).runs, outdated: [], missing: 0 });
});

it('has the rows of another version at hand, says which they are, and makes each anew', async () => {
  await keepOtherVersion();
  const store = runStore(runsDir);
  const first = await store.listAtHand();
  expect(first.runs.map(({ note }) => note)).toEqual(ids.map(() => 'of another version'));
  expect(first).toMatchObject({ outdated: newestFirst, missing: 0 });
  expect(await makeAll(store)).toBe(count);
  const { runs, outdated } = await store.listAtHand();
  expect(runs.map(({ note }) => note)).toEqual(ids.map(() => ''));
  expect(outdated).toEqual([]);
});

it('waits for every row once a list was whole', async () => {
  await runStore(runsDir).list();
  const store = runStore(runsDir);
  expect((await store.listAtHand()).missing).toBe(0);
  // As much as the journals of all runs that work at the same time can grow.
  for (const runId of ids) await appendFile(journal(runId), '\n');
  expect((await store.listAtHand()).runs).toHaveLength(count);
});

it('keeps a run in the list that it once had, however its journal grows', async () => {
  await keepOtherVersion();
  const store = runStore(runsDir);
  expect((await store.listAtHand()).runs).toHaveLength(count);
  // None of the rows is of its journal any more, and all together are more than a first list reads.
  for (const runId of ids) await appendFile(journal(runId), '\n');
  const { runs, missing } = await store.listAtHand();
  expect([runs.length, missing]).toEqual([count, 0]);
});

it('gives no row of another version to who waits for the whole list', async () => {
  await keepOtherVersion();
  const { runs } = await runStore(runsDir).list();
  expect(runs.map(({ note }) => note)).toEqual(ids.map(() => ''));
});

it.each([
  ['lacks a field', (row: Record<string, unknown>) => ({ ...row, status: undefined })],
  ['has a field more', (row: Record<string, unknown>) => ({ ...row, rank: 1 })],
  ['has a value that is unknown here', (row: Record<string, unknown>) => ({ ...row, status: 'archived' })],
])('shows no row of another version that %s', async (_what, change) => {
  await keepOtherVersion(change);
  const { runs, outdated, missing } = await runStore(runsDir).listAtHand();
  expect(runs.map(({ note }) => note)).not.toContain('of another version');
  expect(outdated).toEqual([]);
  expect(runs.length + missing).toBe(count);
});

it('shows no row of another version whose journal has grown since', async () => {
  await keepOtherVersion();
  const [grown = ''] = ids;
  await appendFile(journal(grown), '\n');
  const { runs, outdated } = await runStore(runsDir).listAtHand();
  expect(outdated).not.toContain(grown);
  expect(runs.find(({ runId }) => runId === grown)?.note).toBe('');
});

it('shows the origin as it is now, whatever another version kept', async () => {
  await keepOtherVersion();
  const { runs } = await runStore(runsDir).listAtHand();
  expect(new Set(runs.map(({ origin }) => origin))).toEqual(new Set(['foreign']));
});

it('stops making rows when it is told to', async () => {
  const store = runStore(runsDir);
  const closing = new AbortController();
  let made = 0;
  await store.makeRows(closing.signal, () => {
    made += 1;
    closing.abort();
  });
  expect(made).toBe(1);
  expect((await store.listAtHand()).missing).toBeGreaterThan(0);
});

import { appendFile, mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { CoreEvent } from '../../../main/contract/api';
import { Listeners } from '../../../main/platform/abort';
import { ownIdentity } from '../../../main/platform/process';
import { followRuns } from '../../../main/store/follow';
import { formatJournalLine } from '../../../main/store/journal';
import type { RunStore } from '../../../main/store/run-store';
import { completeBodies, journalFixture } from '../../support/run-state';
import { runStore } from '../../support/run-store';

let runsDir = '';
let stop: () => void = () => undefined;
beforeEach(async () => {
  runsDir = await mkdtemp(join(tmpdir(), 'workbench-follow-'));
});
afterEach(async () => {
  stop();
  await rm(runsDir, { recursive: true, force: true });
});

const entries = journalFixture([...completeBodies(), { type: 'run-finished', outcome: 'done' }]);
const [created] = entries;
const runId = created?.type === 'run-created' ? created.runId : '';
const dir = () => join(runsDir, runId);
const journal = () => join(dir(), 'journal.jsonl');
const lines = (from: number, to?: number) =>
  entries
    .slice(from, to)
    .map((entry) => `${formatJournalLine(entry)}\n`)
    .join('');

/** Follows a run of which the first `count` entries are there from the start. */
async function follow(count: number, atStart: () => Promise<void> = () => Promise.resolve()) {
  await mkdir(dir());
  await writeFile(journal(), lines(0, count));
  const events = new Listeners<CoreEvent>();
  const received: CoreEvent[] = [];
  events.add((event) => received.push(event));
  const own = { writes: false };
  const store = runStore(runsDir);
  const polls = { count: 0 };
  const counting = Object.assign(Object.create(store) as RunStore, {
    runDirs: async () => {
      const dirs = await store.runDirs();
      polls.count += 1;
      return dirs;
    },
  });
  // Long ago: nothing of it is new.
  await utimes(journal(), 1000, 1000);
  await utimes(runsDir, 1000, 1000);
  stop = followRuns(counting, () => own.writes, events);
  // The first look is yet to come.
  await atStart();
  const poll = async () => {
    const before = polls.count;
    // The look after the next has begun: the next is over.
    await expect.poll(() => polls.count, { timeout: 10_000 }).toBeGreaterThan(before + 1);
  };
  await poll();
  const seqs = () => received.flatMap((event) => (event.type === 'journal' ? [event.entry.seq] : []));
  return { events, received, own, poll, seqs };
}

it('tells what another process adds to a run, and nothing that was there before', async () => {
  const { poll, seqs } = await follow(3);
  await appendFile(journal(), lines(3, 5));
  await poll();
  expect(seqs()).toEqual([4, 5]);
  await appendFile(journal(), lines(5, 6));
  await poll();
  expect(seqs()).toEqual([4, 5, 6]);
});

it('does not tell again what was told where it was written', async () => {
  const { events, own, poll, seqs } = await follow(3);
  own.writes = true;
  for (const entry of entries.slice(3)) events.emit({ type: 'journal', runId, entry });
  await appendFile(journal(), lines(3));
  own.writes = false;
  await poll();
  expect(seqs()).toEqual(entries.slice(3).map(({ seq }) => seq));
});

it('tells that a run was left by a process that wrote nothing more', async () => {
  const { received, poll } = await follow(3);
  await writeFile(join(dir(), 'lease.json'), JSON.stringify(ownIdentity()));
  await appendFile(journal(), lines(3, 4));
  await poll();
  received.length = 0;
  await poll();
  expect(received).toEqual([]);
  await writeFile(join(dir(), 'lease.json'), JSON.stringify({ pid: 2 ** 22 + 1, startTime: '1' }));
  await poll();
  expect(received).toEqual([{ type: 'runs-changed' }]);
});

it('goes on with the other runs where the lease of one is a folder and the journal of one is', async () => {
  const { poll, seqs } = await follow(3);
  // Before and behind the run in the order of names.
  for (const name of ['0-other', 'z-other']) {
    await mkdir(join(runsDir, name, 'lease.json'), { recursive: true });
    await writeFile(join(runsDir, name, 'journal.jsonl'), 'x');
  }
  await mkdir(join(runsDir, '0-third', 'journal.jsonl'), { recursive: true });
  await poll();
  await writeFile(join(runsDir, '0-third', 'journal.jsonl', 'file'), 'x');
  await appendFile(journal(), lines(3, 5));
  await poll();
  expect(seqs()).toEqual([4, 5]);
});

it.each([
  ['adds to a run', () => appendFile(journal(), lines(3, 4))],
  ['makes a run', () => mkdir(join(runsDir, 'z-new'))],
  ['deletes a run', () => rm(dir(), { recursive: true })],
])('tells of a process that %s before the first look', async (_what, atStart) => {
  const { received } = await follow(3, atStart);
  expect(received).toEqual([{ type: 'runs-changed' }]);
});

it('tells nothing at the first look where nothing happened', async () => {
  const { received } = await follow(3);
  expect(received).toEqual([]);
});

import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { JournalBody } from '../../../main/contract/run/run-events';
import { reduceRun, type RunState } from '../../../main/contract/run/run-state';
import { thisMachine } from '../../../main/engine/engine';
import { awaitDevice, type TakeDevice } from '../../../main/pipeline/device-turn';
import { takeDevice } from '../../../main/store/device-queue';
import { runCreated, specFixture } from '../../support/run-state';
import { until } from '../../support/until';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'turn-'));
});
afterEach(async () => {
  await rm(root, { recursive: true });
});

const take: TakeDevice = ({ runId }, signal, onWaiting) =>
  takeDevice({ root, device: thisMachine, what: runId, signal, onWaiting });

/** A run that wants to measure, its journal, and the two ways to stop it. */
function wanting(runId: string) {
  let state: RunState = { ...runCreated(), runId };
  const journal: JournalBody[] = [];
  const [cancel, pause] = [new AbortController(), new AbortController()];
  const run = {
    runId,
    spec: specFixture(),
    state: () => state,
    append: (body: JournalBody) => {
      journal.push(body);
      state = reduceRun(state, { seq: state.seq + 1, at: '2026-01-01T00:00:00.000Z', ...body }) ?? state;
      return Promise.resolve();
    },
  };
  const turn = awaitDevice(run, take, { cancel: cancel.signal, pause: pause.signal });
  return { turn, journal, cancel, pause };
}

it('journals for whom it waits once, and that the wait is over', async () => {
  const first = wanting('first');
  const release = await first.turn;
  const second = wanting('second');
  await until('it waits', () => second.journal.length > 0);
  await release?.();
  await (
    await second.turn
  )?.();
  expect(first.journal).toEqual([]);
  expect(second.journal).toEqual([
    { type: 'run-waiting', for: 'first' },
    { type: 'run-waiting', for: null },
  ]);
});

it.each(['cancel', 'pause'] as const)('ends the wait at once on %s and leaves the line', async (way) => {
  const release = await wanting('first').turn;
  const second = wanting('second');
  await until('it waits', () => second.journal.length > 0);
  second[way].abort();
  expect(await second.turn).toBeNull();
  await release?.();
  expect(await readdir(join(root, encodeURIComponent(thisMachine)))).toEqual([]);
});

it('does not keep the device when the journal cannot be written', async () => {
  const release = await wanting('first').turn;
  const failing = awaitDevice(
    {
      runId: 'second',
      spec: specFixture(),
      state: () => ({ ...runCreated(), waitsFor: { reason: 'device', what: 'first' } }),
      append: (body) =>
        body.type === 'run-waiting' && body.for === null
          ? Promise.reject(new Error('disk'))
          : Promise.resolve(),
    },
    take,
    { cancel: new AbortController().signal, pause: new AbortController().signal },
  );
  await release?.();
  await expect(failing).rejects.toThrow('disk');
  await (
    await wanting('third').turn
  )?.();
});

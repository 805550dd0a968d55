import { describe, expect, it } from 'vitest';
import { WorkbenchError } from '../../../../main/contract/errors';
import type { JournalEntry } from '../../../../main/contract/run/run-events';
import { reduceRun, type RunState } from '../../../../main/contract/run/run-state';
import { createOpenRun } from '../../../../renderer/stores/open-run';
import { completeBodies, journalFixture } from '../../../support/run-state';
import { createClientDouble } from '../client-double';

const entries = journalFixture(completeBodies());
const first = entries[0];
if (first?.type !== 'run-created') throw new Error('The fixture does not begin with run-created');
const { runId } = first;
const stateAt = (count: number): RunState => {
  const state = entries.slice(0, count).reduce<RunState | null>(reduceRun, null);
  if (state === null) throw new Error('The fixture has no state');
  return state;
};
const journal = (entry: JournalEntry) => ({ type: 'journal', runId, entry }) as const;

describe('the open run', () => {
  it('is the same whether it was fetched or told', async () => {
    const { client } = createClientDouble({ 'runs.get': () => stateAt(3) });
    const store = createOpenRun(client);
    await store.getState().open(runId);
    for (const entry of entries.slice(3)) store.getState().onEvent(journal(entry));
    expect(store.getState().state).toEqual(stateAt(entries.length));
  });

  it('keeps entries that arrive before the state, and ignores those that it has', async () => {
    let answer: (state: RunState) => void = () => undefined;
    const { client } = createClientDouble({
      'runs.get': () =>
        new Promise<RunState>((resolve) => {
          answer = resolve;
        }),
    });
    const store = createOpenRun(client);
    const opened = store.getState().open(runId);
    for (const entry of entries.slice(0, 12)) store.getState().onEvent(journal(entry));
    expect(store.getState().state).toBeNull();
    answer(stateAt(8));
    await opened;
    expect(store.getState().state).toEqual(stateAt(12));
    store.getState().onEvent(journal(entries[4] ?? first));
    expect(store.getState().state).toEqual(stateAt(12));
  });

  it('waits also where the journal has no room to say so', async () => {
    const { client } = createClientDouble({ 'runs.get': () => stateAt(8) });
    const store = createOpenRun(client);
    await store.getState().open(runId);
    const wait = { reason: 'disk', what: 'space on /data' } as const;
    store.getState().onEvent({ type: 'held-up', runId: 'another', wait });
    expect(store.getState().state?.waitsFor).toBeNull();
    store.getState().onEvent({ type: 'held-up', runId, wait });
    expect(store.getState().state?.waitsFor).toEqual(wait);
  });

  it('fetches again when an entry is missing between', async () => {
    let known = 5;
    const { client, calls } = createClientDouble({ 'runs.get': () => stateAt(known) });
    const store = createOpenRun(client);
    await store.getState().open(runId);
    known = 9;
    store.getState().onEvent(journal(entries[9] ?? first));
    await expect.poll(() => store.getState().state?.seq).toBe(10);
    expect(store.getState().state).toEqual(stateAt(10));
    expect(calls).toHaveLength(2);
  });

  it('is asked for once more where the list changed while an answer was on its way', async () => {
    const answers: ((state: RunState) => void)[] = [];
    const { client } = createClientDouble({
      'runs.get': () =>
        new Promise<RunState>((resolve) => {
          answers.push(resolve);
        }),
    });
    const store = createOpenRun(client);
    const opened = store.getState().open(runId);
    await expect.poll(() => answers.length).toBe(1);
    // The end of a run of another process: nothing else is told of it.
    store.getState().onEvent({ type: 'runs-changed' });
    answers[0]?.({ ...stateAt(8), status: 'running' });
    await expect.poll(() => answers.length).toBe(2);
    answers[1]?.({ ...stateAt(8), status: 'interrupted' });
    await opened;
    expect(store.getState().state?.status).toBe('interrupted');
  });

  it('does not take the state of a run that was left meanwhile', async () => {
    const { client } = createClientDouble({
      'runs.get': (input) => ({ ...stateAt(3), runId: (input as { runId: string }).runId }),
    });
    const store = createOpenRun(client);
    await Promise.all([store.getState().open('left'), store.getState().open('shown')]);
    await expect.poll(() => store.getState().state?.runId).toBe('shown');
  });

  it('shows why a run cannot be read', async () => {
    const { client } = createClientDouble({
      'runs.get': () => {
        throw new WorkbenchError('journal-corrupt', 'The journal is empty');
      },
    });
    const store = createOpenRun(client);
    await store.getState().open(runId);
    expect(store.getState().error).toMatchObject({ code: 'journal-corrupt' });
  });

  it('collects the windows of the level under way until its measurement lands', async () => {
    const { client } = createClientDouble({ 'runs.get': () => stateAt(2) });
    const store = createOpenRun(client);
    await store.getState().open(runId);
    const window = { type: 'window', runId, scenario: 'offline', batchSize: 1, concurrency: 1 } as const;
    store.getState().onEvent({ ...window, index: 0, inferencesPerSecond: 10, p99Us: 1 });
    store.getState().onEvent({ ...window, index: 1, inferencesPerSecond: 20, p99Us: null });
    expect(store.getState().level?.windows).toEqual([
      { inferencesPerSecond: 10, p99Us: 1 },
      { inferencesPerSecond: 20, p99Us: null },
    ]);
    store.getState().onEvent({ ...window, batchSize: 2, index: 0, inferencesPerSecond: 30, p99Us: 3 });
    expect(store.getState().level).toMatchObject({ batchSize: 2, windows: [{ inferencesPerSecond: 30 }] });
    const landed = entries.find((entry) => entry.type === 'measurement');
    store.getState().onEvent(journal({ ...(landed ?? first), seq: 3 }));
    expect(store.getState().level).toBeNull();
  });

  it('keeps the windows of levels that are measured in turns until each has its result', async () => {
    const { client } = createClientDouble({ 'runs.get': () => stateAt(2) });
    const store = createOpenRun(client);
    await store.getState().open(runId);
    const window = { type: 'window', runId, scenario: 'offline', concurrency: 1, p99Us: 1 } as const;
    const take = (batchSize: number, index: number): void =>
      store.getState().onEvent({ ...window, batchSize, index, inferencesPerSecond: 10 * batchSize + index });
    for (const round of [0, 1]) for (const batchSize of [1, 2, 4]) take(batchSize, round);
    const rates = () =>
      store
        .getState()
        .landing.map(({ batchSize, windows }) => [
          batchSize,
          ...windows.map(({ inferencesPerSecond }) => inferencesPerSecond),
        ]);
    expect(rates()).toEqual([
      [1, 10, 11],
      [2, 20, 21],
    ]);
    expect(store.getState().level).toMatchObject({ batchSize: 4, windows: [{}, {}] });
    take(1, 2);
    const done = entries.find((entry) => entry.type === 'measurement' && entry.point.batchSize === 1);
    store.getState().onEvent(journal({ ...(done ?? first), seq: 3 }));
    expect(store.getState().level).toBeNull();
    expect(rates().map(([batchSize]) => batchSize)).toEqual([2, 4]);
    // Tried again after a failure: its first windows no longer count.
    take(2, 2);
    take(2, 0);
    expect(store.getState().level?.windows).toHaveLength(1);
    const ended = entries.find((entry) => entry.type === 'step-finished');
    store.getState().onEvent(journal({ ...(ended ?? first), seq: 4 }));
    expect(store.getState().landing).toEqual([]);
  });

  it('forgets progress when the step ends, and hears nothing of other runs', async () => {
    const { client } = createClientDouble({ 'runs.get': () => stateAt(2) });
    const store = createOpenRun(client);
    await store.getState().open(runId);
    const progress = { type: 'progress', runId, step: 'export', fraction: 0.5, text: 'half' } as const;
    store.getState().onEvent({ ...progress, runId: 'another' });
    expect(store.getState().progress).toBeNull();
    store.getState().onEvent(progress);
    expect(store.getState().progress).toEqual({ step: 'export', fraction: 0.5, text: 'half' });
    store
      .getState()
      .onEvent(journal({ type: 'step-cancelled', step: 'export', durationUs: 1, seq: 3, at: first.at }));
    expect(store.getState().progress).toBeNull();
  });
});

import { describe, expect, it } from 'vitest';
import type { JournalBody } from '../../../../../main/contract/run/run-events';
import type { RunState, StepState } from '../../../../../main/contract/run/run-state';
import { createOpenRun } from '../../../../../renderer/stores/open-run';
import { shownStep } from '../../../../../renderer/views/run/shown-step';
import { shownStatus, stepNote, stepTime } from '../../../../../renderer/views/run/step-note';
import {
  environmentFixture,
  journalFixture,
  pointFixture,
  specFixture,
  stateOf,
} from '../../../../support/run-state';
import { createClientDouble } from '../../client-double';

const spec = specFixture(({ performance }) => {
  performance.batchSizes = [1, 2, 4];
});
const created: JournalBody = {
  type: 'run-created',
  runId: 'r',
  spec,
  specHash: 'h',
  environment: environmentFixture(),
};
const sweeping: readonly JournalBody[] = [
  created,
  { type: 'run-started', attempt: 1, pid: 1 },
  { type: 'step-started', step: 'offline', attempt: 1, key: 'k' },
  { type: 'measurement', scenario: 'offline', key: 'a', point: pointFixture({ batchSize: 1 }) },
];
const stepOf = (state: RunState, id: string): StepState => {
  const step = state.steps.find((one) => one.id === id);
  if (step === undefined) throw new Error(`no step ${id}`);
  return step;
};

describe('the row of a step', () => {
  it('of a sweep that a pause fell into says how much is measured, and looks begun', () => {
    const state = stateOf([...sweeping, { type: 'run-finished', outcome: 'paused' }]);
    const step = stepOf(state, 'offline');
    expect(stepNote(state, step, null)).toBe('1 of 3 measured');
    expect(shownStatus(state, step)).toBe('paused');
    expect(stepNote(state, stepOf(state, 'online'), null)).toBe('');
    expect(shownStatus(state, stepOf(state, 'online'))).toBe('waiting');
    expect(shownStep(state, null)?.id).toBe('offline');
  });

  it('of a sweep that a dead workbench left says so, and how much is measured', () => {
    const state: RunState = { ...stateOf(sweeping), status: 'interrupted' };
    expect(stepNote(state, stepOf(state, 'offline'), null)).toBe('Interrupted, 1 of 3 measured');
  });

  it('under way shows its progress', () => {
    const state = stateOf(sweeping);
    expect(stepNote(state, stepOf(state, 'offline'), 'batch size 2')).toBe('batch size 2');
  });

  it('under way counts in seconds from the first moment', () => {
    const state = stateOf(sweeping);
    const step = stepOf(state, 'offline');
    const begunMs = Date.parse(step.startedAt ?? '');
    expect([0, 68, 999, 4100].map((ms) => stepTime(state, step, begunMs + ms))).toEqual([
      '0.0 s',
      '0.1 s',
      '1.0 s',
      '4.1 s',
    ]);
  });

  it('of a sweep that is done says every doubt about its levels', () => {
    const warnings = ['2 of 3 levels: machine busy.', '1 of 3 levels: not steady.'];
    const facts = { durationUs: 1, facts: [], warnings };
    const state = stateOf([...sweeping, { type: 'step-finished', step: 'offline', key: 'k', ...facts }]);
    expect(stepNote(state, stepOf(state, 'offline'), null)).toBe(warnings.join(' '));
  });

  it('that has not begun says what is done for it, while the run is under way only', () => {
    const looking = stateOf([created, { type: 'run-started', attempt: 1, pid: 1 }]);
    const words = 'Looking for files of an earlier run';
    expect(stepNote(looking, stepOf(looking, 'prepare-data'), words)).toBe(words);
    const over = stateOf([created, { type: 'run-finished', outcome: 'cancelled' }]);
    expect(stepNote(over, stepOf(over, 'prepare-data'), words)).toBe('');
  });

  it('reused from an earlier run is one word, also after a resume', () => {
    const step = 'export' as const;
    const reused: readonly JournalBody[] = [
      created,
      { type: 'run-started', attempt: 1, pid: 1 },
      { type: 'step-started', step, attempt: 1, key: 'k' },
      { type: 'step-finished', step, key: 'k', durationUs: 0, facts: [], warnings: [] },
      { type: 'step-skipped', step, key: 'k', reason: 'cached' },
    ];
    for (const bodies of [
      reused,
      [...reused, { type: 'step-skipped', step, key: 'k', reason: 'unchanged' } as const],
    ]) {
      const state = stateOf(bodies);
      expect(stepTime(state, stepOf(state, step), 0)).toBe('reused');
      expect(stepNote(state, stepOf(state, step), null)).toBe('');
    }
  });
});

it('a run that was asked to stop is known as stopping until it has: a cancel outranks a pause', () => {
  const store = createOpenRun(createClientDouble({}).client);
  const stopping = () => store.getState().stopping['r'];
  store.getState().onEvent({ type: 'stopping', runId: 'r', how: 'pause' });
  expect(stopping()).toBe('pause');
  store.getState().onEvent({ type: 'stopping', runId: 'r', how: 'cancel' });
  store.getState().onEvent({ type: 'stopping', runId: 'r', how: 'pause' });
  expect(stopping()).toBe('cancel');
  const [, , , , finished] = journalFixture([...sweeping, { type: 'run-finished', outcome: 'cancelled' }]);
  if (finished === undefined) throw new Error('no end');
  store.getState().onEvent({ type: 'journal', runId: 'r', entry: finished });
  expect(stopping()).toBeUndefined();
});

it('the time of a step that has just begun is in seconds', () => {
  const step = 'export' as const;
  const state = stateOf([
    created,
    { type: 'run-started', attempt: 1, pid: 1 },
    { type: 'step-started', step, attempt: 1, key: 'k' },
  ]);
  const begun = stepOf(state, step);
  const startedMs = Date.parse(begun.startedAt ?? '');
  expect(stepTime(state, begun, startedMs)).toBe('0.0 s');
  expect(stepTime(state, begun, startedMs + 412)).toBe('0.4 s');
  expect(stepTime(state, begun, startedMs + 1500)).toBe('1.5 s');
  expect(stepTime(state, begun, startedMs + 90_000)).toBe('1 min 30 s');
});

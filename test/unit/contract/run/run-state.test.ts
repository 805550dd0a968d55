import { describe, expect, it } from 'vitest';
import type { JournalBody } from '../../../../main/contract/run/run-events';
import { reduceRun, type RunState } from '../../../../main/contract/run/run-state';
import { reportProblems } from '../../../../main/reports/problems';
import { coldFixture, trialFixture } from '../../../support/cold-state';
import {
  completeBodies,
  completeState,
  journalFixture,
  pointFixture,
  specFixture,
  stateOf,
} from '../../../support/run-state';

describe('reduceRun', () => {
  it('needs the creation first', () => {
    const [, second] = journalFixture(completeBodies());
    expect(second && reduceRun(null, second)).toBeNull();
  });

  it('does not change when entries come again', () => {
    const entries = journalFixture(completeBodies());
    const once = entries.reduce<RunState | null>(reduceRun, null);
    expect([...entries, ...entries].reduce<RunState | null>(reduceRun, null)).toEqual(once);
    expect(once).toEqual(completeState());
  });

  it('keeps one value a level: the last measured, and no hole beside it', () => {
    const point = pointFixture({ batchSize: 3 });
    const error = { code: 'load-tool-failed' as const, message: 'no row' };
    const hole = {
      type: 'measurement-missing' as const,
      scenario: 'offline' as const,
      key: 'k',
      batchSize: 3,
      concurrency: 1,
      error,
    };
    const measured = { type: 'measurement' as const, scenario: 'offline' as const, key: 'k', point };
    const before = stateOf([...completeBodies(), hole]);
    expect(before.scenarios.offline.missing).toHaveLength(1);
    const after = stateOf([
      ...completeBodies(),
      hole,
      measured,
      { ...measured, point: { ...point, avgUs: 1 } },
    ]);
    expect(after.scenarios.offline.missing).toEqual([]);
    expect(after.scenarios.offline.points.filter((entry) => entry.key === 'k')).toEqual([
      { key: 'k', point: { ...point, avgUs: 1 } },
    ]);
  });

  it('gives up levels that were measured of another model or configuration', () => {
    const started = (key: string, attempt: number): JournalBody => ({
      type: 'step-started',
      step: 'online',
      attempt,
      key,
    });
    const measured: JournalBody = {
      type: 'measurement',
      scenario: 'online',
      key: 'level',
      point: pointFixture({ concurrency: 8 }),
    };
    const [created] = completeBodies();
    if (created === undefined) throw new Error('no creation');
    const first = [created, started('a', 1), measured];
    expect(stateOf([...first, started('a', 2)]).scenarios.online.points).toHaveLength(1);
    expect(stateOf([...first, started('b', 2)]).scenarios.online.points).toEqual([]);
  });

  it('keeps what a step reported when a later attempt skips it as unchanged', () => {
    const before = completeState().steps.find((step) => step.id === 'export');
    const state = stateOf([
      ...completeBodies(),
      { type: 'run-started', attempt: 2, pid: 1 },
      { type: 'step-skipped', step: 'export', key: before?.key ?? '', reason: 'unchanged' },
    ]);
    expect(state.steps.find((step) => step.id === 'export')).toEqual({
      ...before,
      skippedBecause: 'unchanged',
    });
    expect(state.status).toBe('running');
  });

  it('keeps a reused step as reused in later attempts, not as done in 0 ms', () => {
    const [created] = completeBodies();
    if (created === undefined) throw new Error('no creation');
    const step = 'export' as const;
    const state = stateOf([
      created,
      { type: 'run-started', attempt: 1, pid: 1 },
      { type: 'step-started', step, attempt: 1, key: 'k' },
      { type: 'step-finished', step, key: 'k', durationUs: 0, facts: [], warnings: [] },
      { type: 'step-skipped', step, key: 'k', reason: 'cached' },
      { type: 'run-finished', outcome: 'paused' },
      { type: 'run-started', attempt: 2, pid: 1 },
      { type: 'step-skipped', step, key: 'k', reason: 'unchanged' },
    ]);
    expect(state.steps.find(({ id }) => id === step)).toMatchObject({
      status: 'skipped',
      skippedBecause: 'cached',
    });
  });

  it('keeps that problems of the preflight were skipped in any attempt', () => {
    const problems = [{ title: 'NVIDIA driver', finding: 'Too old.' }];
    const skipped: JournalBody = { type: 'preflight', release: null, skipped: true, problems };
    const sound: JournalBody = {
      type: 'preflight',
      release: 'Release 25.06 fits.',
      skipped: false,
      problems: [],
    };
    expect(stateOf(completeBodies()).preflight).toBeNull();
    expect(stateOf([...completeBodies(), sound]).preflight?.skipped).toBe(false);
    const both = stateOf([...completeBodies(), skipped, sound]);
    expect(both.preflight).toEqual({ release: 'Release 25.06 fits.', skipped: true, problems });
    expect(reportProblems(both).map(({ text }) => text)).toContainEqual(
      'Preflight problems were skipped (--skip-preflight). NVIDIA driver: Too old.',
    );
  });

  it('keeps that someone went past the gate until the check is forgotten', () => {
    const past: JournalBody[] = [...completeBodies(), { type: 'gate-overridden' }];
    expect(stateOf(completeBodies()).gateOverridden).toBe(false);
    expect(stateOf([...past, { type: 'run-started', attempt: 2, pid: 1 }]).gateOverridden).toBe(true);
    expect(stateOf([...past, { type: 'steps-forgotten', steps: ['accuracy'] }]).gateOverridden).toBe(false);
  });

  it('has tags and note as they were said last', () => {
    const { tags, note } = stateOf([
      ...completeBodies(),
      { type: 'annotation', tags: ['a'], note: 'first' },
      { type: 'annotation', tags: ['b', 'c'], note: '' },
    ]);
    expect({ tags, note }).toEqual({ tags: ['b', 'c'], note: '' });
  });

  it('has the name that it was given last, and the one that its reports have', () => {
    const named: JournalBody[] = [
      ...completeBodies(),
      { type: 'run-name', name: 'nightly' },
      { type: 'report', files: [] },
      { type: 'run-name', name: 'weekly' },
    ];
    expect(stateOf(named)).toMatchObject({ name: 'weekly', reportedName: 'nightly' });
    expect(stateOf([...named, { type: 'run-name', name: null }]).name).toBeNull();
  });

  it.each([
    ['the wait is over', { type: 'run-waiting', for: null }],
    ['the run ends', { type: 'run-finished', outcome: 'cancelled' }],
    ['the next attempt begins', { type: 'run-started', attempt: 2, pid: 1 }],
  ] as const)('waits for another run until %s', (_, body) => {
    const waiting: JournalBody[] = [...completeBodies(), { type: 'run-waiting', for: 'other' }];
    expect(stateOf(waiting).waitsFor).toEqual({ reason: 'device', what: 'other' });
    expect(stateOf([...waiting, body]).waitsFor).toBeNull();
  });

  it('waits for room or the engine with the step under way waiting too, and not failed', () => {
    const state = stateOf([
      ...completeBodies(),
      { type: 'run-started', attempt: 2, pid: 1 },
      { type: 'step-started', step: 'online', attempt: 2, key: 'k' },
      { type: 'run-waiting', for: 'space on /data', reason: 'disk' },
    ]);
    expect(state.waitsFor).toEqual({ reason: 'disk', what: 'space on /data' });
    expect(state.steps.find(({ id }) => id === 'online')?.status).toBe('waiting');
    expect(state).toMatchObject({ status: 'running', error: null });
  });

  it('drops what forgotten steps had left, and that alone', () => {
    const before = completeState();
    const online = stateOf([...completeBodies(), { type: 'steps-forgotten', steps: ['online', 'report'] }]);
    expect(online.scenarios.online).toEqual({ points: [], missing: [] });
    expect(online.scenarios.offline).toEqual(before.scenarios.offline);
    expect(online.accuracy).toEqual(before.accuracy);
    expect(online.reports).toEqual([]);
    const statusOf = (state: RunState, id: string) => state.steps.find((step) => step.id === id)?.status;
    expect(statusOf(before, 'online')).toBe('done');
    expect(statusOf(online, 'online')).toBe('waiting');
    expect(statusOf(online, 'offline')).toBe('done');
    const gate = stateOf([...completeBodies(), { type: 'steps-forgotten', steps: ['accuracy'] }]);
    expect(gate.accuracy).toBeNull();
    expect(gate.scenarios).toEqual(before.scenarios);
  });

  it('remembers what is to be done again until it is done', () => {
    const bodies: JournalBody[] = [
      ...completeBodies(),
      { type: 'steps-forgotten', steps: ['export', 'convert'] },
      { type: 'step-started', step: 'export', attempt: 2, key: 'k' },
    ];
    expect(stateOf(bodies).forgotten).toEqual(['export', 'convert']);
    const done = { type: 'step-finished', step: 'export', key: 'k', durationUs: 1, facts: [], warnings: [] };
    expect(stateOf([...bodies, done as JournalBody]).forgotten).toEqual(['convert']);
  });
});

describe('the cold start of a run', () => {
  const recorded = { type: 'cold-start', coldStart: coldFixture } as const;
  const tried = { type: 'warm-up-trial', trial: trialFixture } as const;
  const changed = (steps: ('deploy' | 'report')[]): JournalBody => ({
    type: 'spec-changed',
    ...{ spec: specFixture(), specHash: 'e'.repeat(64), changed: [], kept: [] },
    steps: [...steps],
  });

  it('is that of the last record, and none in journals of earlier versions', () => {
    expect(completeState()).toMatchObject({ coldStart: null, warmUpTrial: null });
    const state = stateOf([...completeBodies(), recorded, tried]);
    expect(state).toMatchObject({ coldStart: coldFixture, warmUpTrial: trialFixture });
  });

  it('is gone once the model is deployed otherwise, and its trial with any change', () => {
    const after = (...bodies: readonly JournalBody[]) =>
      stateOf([...completeBodies(), recorded, tried, ...bodies]);
    expect(after(changed(['report']))).toMatchObject({ coldStart: coldFixture, warmUpTrial: null });
    expect(after(changed(['deploy'])).coldStart).toBeNull();
    expect(after({ type: 'steps-forgotten', steps: ['deploy'] }).coldStart).toBeNull();
    expect(after({ type: 'steps-forgotten', steps: ['report'] }).coldStart).toEqual(coldFixture);
  });
});

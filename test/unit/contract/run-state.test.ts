import { describe, expect, it } from 'vitest';
import { reduceRun } from '../../../main/contract/run-state';
import type { RunState } from '../../../main/contract/run-state';
import {
  completeBodies,
  completeState,
  journalFixture,
  pointFixture,
  stateOf,
} from '../../support/run-state';

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
});

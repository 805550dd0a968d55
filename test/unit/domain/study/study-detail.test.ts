import { expect, it } from 'vitest';
import type { JournalBody } from '../../../../main/contract/run/run-events';
import type { RunState } from '../../../../main/contract/run/run-state';
import type { StudySummary } from '../../../../main/contract/study/study';
import { detailOf } from '../../../../main/domain/study/study-detail';
import { environmentFixture, pointFixture, specFixture, stateOf } from '../../../support/run-state';

/** Three levels of 0.5 s warm-up and three windows of 1 s, of which one took 6 s. */
const spec = specFixture(({ performance }) => {
  performance.batchSizes = [1, 2];
  performance.concurrency = [4];
});
const summary: StudySummary = {
  ...{ name: 'night', state: 'running', interrupted: false, sentence: '1 of 3 runs complete' },
  ...{ createdAt: '', updatedAt: '', runs: 3, complete: 1, isKept: true, error: null },
};
const created: JournalBody[] = [
  { type: 'run-created', runId: 'r', spec, specHash: 'h', environment: environmentFixture() },
  { type: 'run-started', attempt: 1, pid: 1 },
];
const before = [
  'prepare-data',
  'export',
  'convert',
  'configure',
  'deploy',
  'accuracy',
  'profile-data',
] as const;
const measuring = stateOf([
  ...created,
  ...before.map((step): JournalBody => ({
    ...{ type: 'step-finished', step, key: 'k', durationUs: 1e6, facts: [], warnings: [] },
  })),
  { type: 'step-started', step: 'offline', attempt: 1, key: 'k' },
  {
    ...{ type: 'measurement', scenario: 'offline', key: '1' },
    point: pointFixture({ batchSize: 1, concurrency: 1, elapsedUs: 6e6 }),
  },
]);
const ended = stateOf([...created, { type: 'run-finished', outcome: 'done' }]);
const trial = (number: number, state: RunState | null) => ({
  ...{ number, axes: [], spec, state, leftOut: null, error: null },
});
const detail = (...states: (RunState | null)[]) =>
  detailOf(
    { study: null, summary, results: states.map((state, at) => trial(at + 1, state)) },
    Date.parse(measuring.updatedAt),
  );

it('says of each run in progress which level it is at, and what it has left', () => {
  const { underWay } = detail(ended, measuring, measuring, null);
  expect(underWay).toEqual([
    'Run 2 of 4: level 2 of 3, about 12 s left',
    'Run 3 of 4: level 2 of 3, about 12 s left',
  ]);
});

it('says nothing of runs that have ended, or have not begun', () => {
  expect(detail(ended, null).underWay).toEqual([]);
  expect(detail(stateOf(created)).underWay).toEqual([]);
});

import { expect, it } from 'vitest';
import type { RunSummary } from '../../../main/contract/run/run-outcome';
import { retiredRuns } from '../../../main/core/upkeep';
import { toSummary } from '../../../main/store/summary';
import { completeState } from '../../support/run-state';

const nowMs = Date.parse('2026-11-25T12:00:00Z');
const daysAgo = (days: number) => new Date(nowMs - days * 24 * 3600 * 1000).toISOString();
const base: RunSummary = {
  ...toSummary(completeState(), '/runs/a'),
  origin: 'own',
  damagedLines: [],
  status: 'done',
  createdAt: daysAgo(40),
  updatedAt: daysAgo(40),
};
const retired = (runs: readonly RunSummary[], deployed: readonly string[] = []) =>
  retiredRuns(runs, { days: 30, nowMs, deployed: new Set(deployed), folder: '/runs' }).map(
    ({ runId }) => runId,
  );

it('takes old runs that nobody has marked, the oldest first', () => {
  const older = { ...base, runId: 'older', createdAt: daysAgo(50) };
  expect(retired([{ ...base, runId: 'a' }, older])).toEqual(['older', 'a']);
});

it.each([
  ['a name', { name: 'baseline' }],
  ['a tag', { tags: ['keep'] }],
  ['a note', { note: 'look at this' }],
  ['a change within the days', { updatedAt: daysAgo(29) }],
  ['an interruption', { status: 'interrupted' }],
  ['a pause', { status: 'paused' }],
  ['a start under way', { status: 'running' }],
  ['a folder outside of the home', { dir: '/results/a' }],
  ['damage', { damagedLines: [3] }],
] as const)('keeps a run with %s', (_what, change) => {
  expect(retired([{ ...base, ...change }])).toEqual([]);
});

it('keeps a run that a deployment was made of', () => {
  expect(retired([{ ...base, runId: 'a' }], ['a'])).toEqual([]);
});

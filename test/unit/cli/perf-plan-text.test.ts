import { expect, it } from 'vitest';
import { planText } from '../../../main/cli/perf-plan-text';
import type { ServerLoad } from '../../../main/core';

const settings: ServerLoad['settings'] = {
  measurementMode: 'time_windows',
  measurementIntervalMs: 2000,
  measurementRequestCount: 50,
  stabilityPercentage: 10,
  maxTrials: 10,
  warmupMs: 1000,
};

it('the warm-up of a level and its windows are told', () => {
  expect(planText({ tools: ['native'], settings })).toBe(
    'each level: warm-up 1000 ms, discarded, then windows of 2000 ms',
  );
  expect(
    planText({ tools: ['native'], settings: { ...settings, warmupMs: 0, measurementMode: 'count_windows' } }),
  ).toBe('each level: no warm-up, then windows of 50 requests, at least one second each');
});

it('perf_analyzer is not said to warm up', () => {
  expect(planText({ tools: ['perf_analyzer'], settings })).toContain('no warm-up (perf_analyzer has none)');
  expect(planText({ tools: ['native', 'perf_analyzer'], settings })).toContain(
    'warm-up 1000 ms, discarded (perf_analyzer has none)',
  );
});

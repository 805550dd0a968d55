import { expect, it } from 'vitest';
import type { RunState } from '../../../../main/contract/run/run-state';
import { answerOf } from '../../../../main/domain/measured/answer';
import { bestOfRuns } from '../../../../main/domain/measured/best-of-runs';
import { createdBodies, measurementBody, pointFixture, stateOf } from '../../../support/run-state';

const failing = (errorCount: number, requestCount: number, inferencesPerSecond = 900) =>
  pointFixture({ requestCount, errorCount, inferencesPerSecond, flags: ['errors'] });
const textOf = (state: RunState) => answerOf(state)?.text;
const runOf = (...points: readonly ReturnType<typeof failing>[]) =>
  stateOf([...createdBodies(), ...points.map((point) => measurementBody('online', point))]);

it('a level with too many failed requests is not the best steady level, and the share is in the answer', () => {
  const answer = textOf(runOf(failing(50, 50)));
  expect(answer).toContain('No level without errors; best level, 50 % of the requests failed: ');
  expect(answer).not.toContain('Best steady level');
  expect(textOf(runOf(failing(12, 988)))).toContain('best level, 1.2 % of the requests failed: ');
  expect(textOf(runOf(failing(83, 8170)))).toContain('best level, more than 1 % of the requests failed: ');
  expect(textOf(runOf(failing(10, 990)))).toContain('best level, 1.0 % of the requests failed: ');
  expect(textOf(runOf(failing(998, 2)))).toContain('best level, 99.8 % of the requests failed: ');
});

it('a level without errors is the answer also where it is not steady, and another run also where it is slower', () => {
  const unsteady = pointFixture({ concurrency: 2, inferencesPerSecond: 100, stable: false });
  expect(textOf(runOf(failing(50, 50), unsteady))).toContain('Best level, not steady: 100');
  const runs = [
    { name: 'failing', state: runOf(failing(50, 50)) },
    { name: 'slow', state: runOf(unsteady) },
  ];
  expect(bestOfRuns(runs, null).index).toBe(1);
  expect(bestOfRuns(runs.slice(0, 1), null)).toMatchObject({
    index: null,
    sentence: 'None of the 1 runs has a level without errors.',
  });
});

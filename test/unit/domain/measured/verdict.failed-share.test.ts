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

it('says how many of the requests of the answer failed where no more failed than permitted', () => {
  const permitted = (errorCount: number, requestCount: number) =>
    answerOf(runOf(pointFixture({ requestCount, errorCount })));
  expect(permitted(12, 988)).toMatchObject({
    doubts: [{ kind: 'failed', text: '12 of 1,000 requests failed (1.2 %)', mark: '12 failed' }],
    ...{ isSure: false, mark: '12 failed', again: [] },
  });
  expect(permitted(500, 500)?.text).toContain('500 of 1,000 requests failed (50 %).');
  expect(permitted(1, 999_999)?.text).toContain('1 of 1,000,000 requests failed (less than 0.1 %).');
  expect(permitted(0, 1000)).toMatchObject({ doubts: [], isSure: true });
});

it('names what keeps every level from counting within the budget', () => {
  const within = (...points: readonly ReturnType<typeof failing>[]) =>
    answerOf(runOf(...points), 50)?.sentence;
  const unsteady = pointFixture({ concurrency: 2, stable: false });
  expect(within(unsteady)).toBe('No level is steady, so none counts within 50 ms');
  expect(within(failing(50, 50))).toBe(
    'Every level has failed requests or wrong responses, so none counts within 50 ms',
  );
  expect(within(failing(50, 50), unsteady)).toBe(
    'No level is steady and without errors, so none counts within 50 ms',
  );
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

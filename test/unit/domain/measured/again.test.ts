import { describe, expect, it } from 'vitest';
import type { LoadPoint } from '../../../../main/contract/measured/results';
import type { JournalBody } from '../../../../main/contract/run/run-events';
import {
  againOf,
  againTime,
  againTitle,
  answerLines,
  inLongerWindows,
} from '../../../../main/domain/measured/again';
import {
  createdBodies,
  measurementBody,
  pointFixture,
  specFixture,
  stateOf,
} from '../../../support/run-state';

const online = (change: Partial<LoadPoint>): JournalBody => measurementBody('online', pointFixture(change));
const done: JournalBody = { type: 'run-finished', outcome: 'done' };
/** Windows of 1 s after a warm-up of 0.5 s. */
const created = createdBodies(specFixture());

const sure = { concurrency: 1, inferencesPerSecond: 100, requestCount: 900, p99Us: 9000, p99IntervalUs: 400 };
const unsteady = { concurrency: 4, inferencesPerSecond: 300, stable: false, requestCount: 2700 };
const wide = { ...sure, p99IntervalUs: 2700 };
const few = { ...sure, requestCount: 30 };

describe('what is measured again', () => {
  it('is nothing where the answer is sure, or the run has not ended', () => {
    expect(againOf(stateOf([...created, online(sure), done]))).toBeNull();
    expect(againOf(stateOf([...created, online(sure), online(unsteady)]))).toBeNull();
    expect(againOf(stateOf([...created, done]))).toBeNull();
  });

  it('are the levels that the answer left out, in windows four times as long', () => {
    const again = againOf(stateOf([...created, online(sure), online(unsteady), done]));
    expect(again?.levels).toEqual([{ scenario: 'online', batchSize: 1, concurrency: 4, times: 4 }]);
    // Three windows of 4 s, or five where they do not agree.
    expect(again).toMatchObject({ leastUs: 12_500_000, mostUs: 20_500_000 });
  });

  it('is the answer itself where its p99 is uncertain: so long that the interval comes to 10 %', () => {
    const again = againOf(stateOf([...created, online(wide), done]));
    expect(again?.levels).toMatchObject([{ concurrency: 1, times: 9 }]);
  });

  it('is the answer itself where it is of few requests: as long as 500 take, and some more', () => {
    const again = againOf(stateOf([...created, online(few), done]));
    expect(again?.levels).toMatchObject([{ concurrency: 1, times: 24 }]);
  });

  it('is longer each time', () => {
    const again = againOf(stateOf([...created, online(sure), online({ ...unsteady, longer: 4 }), done]));
    expect(again?.levels).toMatchObject([{ times: 16 }]);
    const most = againOf(stateOf([...created, online(sure), online({ ...unsteady, longer: 60 }), done]));
    expect(most?.levels).toMatchObject([{ times: 64 }]);
  });

  it('is no level whose windows are as long as they come', () => {
    const atMost = online({ ...unsteady, longer: 64 });
    expect(againOf(stateOf([...created, online(sure), atMost, done]))).toBeNull();
    const other = online({ ...unsteady, concurrency: 8 });
    expect(againOf(stateOf([...created, online(sure), atMost, other, done]))?.levels).toMatchObject([
      { concurrency: 8, times: 4 },
    ]);
  });

  it('is not offered where the run was made elsewhere and nobody has trusted it', () => {
    const state = stateOf([...created, online(sure), online(unsteady), done]);
    const lines = answerLines(state).length;
    const foreign = answerLines({ ...state, origin: 'foreign' });
    expect(foreign).toHaveLength(lines - 1);
    expect(foreign.join('\n')).not.toContain('--again');
  });

  it('is told with its time, and for a terminal with the command', () => {
    const state = stateOf([
      ...created,
      online(sure),
      online(unsteady),
      online({ ...unsteady, concurrency: 8 }),
      done,
    ]);
    const again = againOf(state);
    if (again === null) throw new Error('Nothing is in doubt');
    expect(againTitle(again)).toBe('Measure 2 levels again, longer');
    expect(againTime(again)).toBe('25.0 s to 41.0 s');
    expect(answerLines(state).at(-1)).toBe(
      `Measure 2 levels again, longer (25.0 s to 41.0 s): triton-workbench resume ${state.runId} --again`,
    );
  });
});

it('settings of a level that is not measured again are as they were', () => {
  const { performance } = specFixture();
  expect(inLongerWindows(performance, 1)).toBe(performance);
  expect(inLongerWindows(performance, 4)).toMatchObject({
    measurementIntervalMs: 4000,
    measurementRequestCount: 200,
    requestCount: 0,
    maxTrials: 5,
  });
});

describe('a level that was asked for again', () => {
  const level = { scenario: 'online', batchSize: 1, concurrency: 4 } as const;
  const asked: JournalBody = { type: 'levels-again', levels: [{ ...level, times: 4 }] };
  const before = [...created, online(sure), online(unsteady), done, asked];

  it('keeps its figures until it is measured, and then has the new ones', () => {
    const due = stateOf(before);
    expect(due.again).toMatchObject([{ scenario: 'online', times: 4 }]);
    expect(due.scenarios.online.points).toHaveLength(2);
    const after = stateOf([
      ...before,
      online({ ...unsteady, stable: true, longer: 4, inferencesPerSecond: 310 }),
    ]);
    expect(after.again).toEqual([]);
    expect(after.scenarios.online.points.map(({ point }) => point.inferencesPerSecond)).toEqual([100, 310]);
  });

  it('is not due any more once its step is forgotten', () => {
    expect(stateOf([...before, { type: 'steps-forgotten', steps: ['online', 'report'] }]).again).toEqual([]);
    expect(stateOf([...before, { type: 'steps-forgotten', steps: ['report'] }]).again).toHaveLength(1);
  });
});

describe('the end of a load of stages', () => {
  const stages = [{ fromRate: 200, toRate: 200, seconds: 10 }];
  const overload = {
    ...{ factor: 2, fromUs: 10e6, toUs: 20e6, due: 2000, refusedShare: 0.4, errorShare: 0 },
    ...{ p99Us: 14_000, wellUs: 20_000, endless: false, recoveryUs: 0 },
  };
  const staged = { ...sure, requestRate: 100, stages, overload };
  const refused =
    'At twice the promised rate, 40 % of requests are refused, the accepted ones keep a p99 of 14.00 ms, and the server recovers at once.';

  it('is what the overload came to, and no best level', () => {
    expect(answerLines(stateOf([...created, online(staged), done]))).toEqual([refused]);
  });

  it('keeps what is in doubt, and says the figures where no rate was above the promised one', () => {
    const lines = answerLines(
      stateOf([...created, online({ ...few, requestRate: 100, stages, overload: undefined }), done]),
    );
    expect(lines[0]).toMatch(/^With these stages: 100\.0 inferences\/s at p99 /);
    expect(lines[1]).toMatch(/^! p99 is based on only 30 requests/);
    expect(lines).toHaveLength(2);
  });

  it('names the level of several', () => {
    const lines = answerLines(
      stateOf([...created, online(staged), online({ ...staged, batchSize: 2 }), done]),
    );
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(/^batch size 1, .*100.*: At twice/);
  });

  it('has the best level of the others of the run beside it', () => {
    const offline = measurementBody('offline', pointFixture({ ...sure, inferencesPerSecond: 500 }));
    const lines = answerLines(stateOf([...created, offline, online(staged), done]));
    expect(lines[0]).toMatch(/^Best steady level: 500\.0 inferences/);
    expect(lines.at(-1)).toBe(refused);
  });
});

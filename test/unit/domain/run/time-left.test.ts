import { describe, expect, it } from 'vitest';
import type { JournalBody } from '../../../../main/contract/run/run-events';
import type { RunSpec } from '../../../../main/contract/run/run-spec';
import {
  durationText,
  estimateTimeLeft,
  plannedMeasuringS,
  timeLeftText,
  underWayText,
} from '../../../../main/domain/run/time-left';
import { environmentFixture, pointFixture, specFixture, stateOf } from '../../../support/run-state';

/** Three levels of 0.5 s warm-up and three windows of 1 s. */
const spec = (change: (performance: RunSpec['performance']) => void = () => undefined): RunSpec =>
  specFixture(({ performance }) => {
    performance.batchSizes = [1, 2];
    performance.concurrency = [4];
    change(performance);
  });

const started = (of: RunSpec): JournalBody[] => [
  { type: 'run-created', runId: 'r', spec: of, specHash: 'h', environment: environmentFixture() },
  { type: 'run-started', attempt: 1, pid: 1 },
];
const step = (id: 'export' | 'offline' | 'online'): JournalBody => ({
  type: 'step-started',
  step: id,
  attempt: 1,
  key: 'k',
});
const finished: JournalBody = {
  type: 'step-finished',
  step: 'offline',
  key: 'k',
  durationUs: 1,
  facts: [],
  warnings: [],
};
const level = (batchSize: number, concurrency: number, elapsedS: number): JournalBody => ({
  type: 'measurement',
  scenario: concurrency === 1 ? 'offline' : 'online',
  key: `${batchSize}-${concurrency}`,
  point: pointFixture({ batchSize, concurrency, elapsedUs: elapsedS * 1e6 }),
});
const hole: JournalBody = {
  type: 'measurement-missing',
  scenario: 'offline',
  key: '1-1',
  batchSize: 1,
  concurrency: 1,
  error: { code: 'load-tool-failed', message: 'no row' },
};
const count = (performance: RunSpec['performance']) => {
  performance.measurementMode = 'count_windows';
};

const cases: readonly [string, RunSpec, readonly JournalBody[], number, number | null, RegExp?][] = [
  ['the settings, before anything is measured', spec(), [step('export')], 0, 10.5, /3 levels.*settings/],
  ['the same, however long a step before takes', spec(), [step('export')], 900, 10.5],
  ['less what the level under way has had', spec(), [step('offline')], 2, 8.5],
  ['no more than a level for one that hangs', spec(), [step('offline')], 900, 7],
  ['no trials beyond the limit', spec((p) => (p.measurementIntervalMs = 2000)), [step('export')], 0, 19.5],
  [
    'every measurement of a cross-check, of which one is done',
    spec((p) => Object.assign(p, { repeats: 2, crossCheck: true })),
    [step('offline'), level(1, 1, 6)],
    0,
    66,
    /11 measurements left/,
  ],
  [
    'what levels took',
    spec(),
    [step('offline'), level(1, 1, 6)],
    0,
    12,
    /2 levels.*6\.0 s each.*1 level so far/,
  ],
  [
    'their mean',
    spec(),
    [step('offline'), level(1, 1, 6), level(2, 1, 8), finished],
    0,
    7,
    /2 levels so far/,
  ],
  ['never less than nothing', spec(), [step('online'), finished, level(1, 1, 6), level(2, 1, 8)], 900, 0],
  ['a hole of this sweep is behind it', spec(), [step('offline'), hole], 0, 7],
  ['a hole of an earlier attempt is not', spec(), [hole, step('export')], 0, 10.5],
  ['levels by count, unknown at first', spec(count), [step('offline')], 0, null],
  ['levels by count, known then', spec(count), [step('offline'), level(1, 1, 6)], 0, 12],
  ['all measured', spec(), [level(1, 1, 6), level(2, 1, 8), level(1, 4, 2)], 0, null],
  ['waits for another run', spec(), [{ type: 'run-waiting', for: 'other' }], 0, null],
  [
    'the wait is over',
    spec(),
    [
      { type: 'run-waiting', for: 'o' },
      { type: 'run-waiting', for: null },
    ],
    0,
    10.5,
  ],
  ['paused', spec(), [step('offline'), { type: 'run-finished', outcome: 'paused' }], 0, null],
];

it.each(cases)('%s', (_, of, bodies, afterS, seconds, basis) => {
  const state = stateOf([...started(of), ...bodies]);
  const left = estimateTimeLeft(state, Date.parse(state.updatedAt) + afterS * 1000);
  if (seconds === null) expect(left).toBeNull();
  else expect(left?.seconds).toBeCloseTo(seconds);
  if (basis !== undefined) expect(left?.basis).toMatch(basis);
});

it('knows nothing of a run that was not started', () => {
  const [created] = started(spec());
  expect(created && estimateTimeLeft(stateOf([created]), 0)).toBeNull();
});

it('is not thrown by a clock that went back', () => {
  const state = stateOf([...started(spec()), step('offline')]);
  expect(estimateTimeLeft(state, Date.parse(state.updatedAt) - 5000)?.seconds).toBeCloseTo(10.5);
});

it('says that it is the measuring alone while steps before it take time of their own', () => {
  const early = stateOf([...started(spec()), step('export')]);
  const left = estimateTimeLeft(early, Date.parse(early.updatedAt));
  expect(left?.of).toBe('measuring');
  expect(left && timeLeftText(left)).toBe('at least 11 s of measuring to come');
});

it('is of the whole run once only sweeps and the report are left', () => {
  const before = [
    'prepare-data',
    'export',
    'convert',
    'configure',
    'deploy',
    'accuracy',
    'profile-data',
  ] as const;
  const state = stateOf([
    ...started(spec()),
    ...before.map((id): JournalBody => ({ ...finished, step: id })),
    step('offline'),
  ]);
  expect(estimateTimeLeft(state, Date.parse(state.updatedAt))?.of).toBe('run');
});

it.each([
  [0, 'a few seconds left'],
  [2.9, 'a few seconds left'],
  [3, 'about 3 s left'],
  [59.4, 'about 59 s left'],
  [90, 'about 2 min left'],
  [7260, 'about 2 h 1 min left'],
])('%s s of the run reads "%s"', (seconds, text) => {
  expect(timeLeftText({ seconds, of: 'run', basis: '' })).toBe(text);
});

it('is told before a run starts by its settings, where they decide it', () => {
  expect(plannedMeasuringS(spec().performance)).toBe(10.5);
  const counted = spec((performance) => {
    performance.measurementMode = 'count_windows';
  });
  const searched = spec((performance) => {
    performance.search = 'binary';
  });
  expect([counted, searched].map(({ performance }) => plannedMeasuringS(performance))).toEqual([null, null]);
  expect([10.5, 180, 4800].map(durationText)).toEqual(['11 s', '3 min', '1 h 20 min']);
});

describe('what a run does now', () => {
  const now = (of: RunSpec, ...bodies: JournalBody[]) => underWayText(stateOf([...started(of), ...bodies]));

  it('is its level of all of both sweeps', () => {
    expect(now(spec(), step('offline'))).toBe('level 1 of 3');
    expect(now(spec(), step('offline'), level(1, 1, 6))).toBe('level 2 of 3');
    expect(now(spec(), step('offline'), level(1, 1, 6), level(2, 1, 8), finished, step('online'))).toBe(
      'level 3 of 3',
    );
  });

  it('counts what was passed by, and each measurement of a repeated one', () => {
    expect(now(spec(), step('offline'), hole)).toBe('level 2 of 3');
    const repeated = spec((of) => Object.assign(of, { repeats: 2, crossCheck: true }));
    expect(now(repeated, step('offline'), level(1, 1, 6))).toBe('measurement 2 of 12');
  });

  it('has no end where a search decides it, and no place in turns', () => {
    const searched = spec((of) => Object.assign(of, { search: 'linear', latencyThresholdMs: 20 }));
    expect(now(searched, step('offline'), level(1, 1, 6))).toBe('level 2');
    const inTurns = spec((of) => Object.assign(of, { inTurns: true, loadTool: 'native' }));
    expect(now(inTurns, step('offline'))).toBe('3 levels in turns');
  });

  it('is else its step, or what it waits for', () => {
    expect(now(spec(), step('export'))).toBe('Export model');
    expect(now(spec(), { type: 'run-waiting', for: 'other' })).toBe('Queued behind another run');
    expect(now(spec())).toBeNull();
    expect(now(spec(), step('offline'), { type: 'run-finished', outcome: 'paused' })).toBeNull();
  });
});

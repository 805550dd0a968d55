import { describe, expect, it } from 'vitest';
import type { JournalBody } from '../../../../main/contract/run/run-events';
import type { RunState } from '../../../../main/contract/run/run-state';
import type { PastRun } from '../../../../main/contract/run/run-step';
import {
  expectedLevelS,
  expectedStepS,
  likeRuns,
  pastRunOf,
  plannedLevelS,
} from '../../../../main/domain/run/past-runs';
import { estimateTimeLeft, expectedS, timeLeftText } from '../../../../main/domain/run/time-left';
import { environmentFixture, pointFixture, specFixture, stateOf } from '../../../support/run-state';

/** Two levels of 0.5 s warm-up and three windows of 1 s. */
const spec = specFixture(({ performance }) => {
  performance.batchSizes = [1];
  performance.concurrency = [4];
});
const created: JournalBody[] = [
  { type: 'run-created', runId: 'r', spec, specHash: 'h', environment: environmentFixture() },
  { type: 'run-started', attempt: 1, pid: 1 },
];
type Step = (JournalBody & { readonly type: 'step-started' })['step'];
const begun = (step: Step): JournalBody => ({ type: 'step-started', step, attempt: 1, key: 'k' });
const ended = (step: Step, seconds: number): JournalBody[] => [
  begun(step),
  { type: 'step-finished', step, key: 'k', durationUs: seconds * 1e6, facts: [], warnings: [] },
];
const reused = (step: Step): JournalBody => ({ type: 'step-skipped', step, key: 'k', reason: 'cached' });
const level = (scenario: 'offline' | 'online', seconds: number): JournalBody => ({
  type: 'measurement',
  scenario,
  key: scenario,
  point: pointFixture({
    batchSize: 1,
    concurrency: scenario === 'offline' ? 1 : 4,
    elapsedUs: seconds * 1e6,
  }),
});
const before = [
  'prepare-data',
  'export',
  'convert',
  'configure',
  'deploy',
  'accuracy',
  'profile-data',
] as const;
/** 2 s each before the measuring, 8 s of levels and 1 s besides them in each sweep, 2 s of report. */
const complete = (): RunState =>
  stateOf([
    ...created,
    ...before.flatMap((step) => ended(step, 2)),
    begun('offline'),
    level('offline', 8),
    ...ended('offline', 9).slice(1),
    begun('online'),
    level('online', 8),
    ...ended('online', 9).slice(1),
    ...ended('report', 2),
    { type: 'run-finished', outcome: 'done' },
  ]);

const row = (runId: string, change: object = {}) => ({
  runId,
  preset: spec.model.preset,
  profile: spec.model.profile,
  format: spec.format,
  precision: spec.precision,
  engine: spec.engine.kind,
  status: 'done' as const,
  ...change,
});

describe('the runs that say how long this one takes', () => {
  it('are complete, of the same model and engine, with the same choices first, three of each', () => {
    const rows = [
      row('r'),
      row('other format', { format: 'ts-trace' }),
      row('a'),
      row('failed', { status: 'failed' }),
      row('other model', { preset: 'bert' }),
      row('other engine', { engine: 'docker' }),
      row('other profile', { profile: 'full' }),
      row('b'),
      row('c'),
      row('d'),
    ];
    expect(likeRuns(stateOf(created), rows)).toEqual([
      { runId: 'a', alike: 'choice' },
      { runId: 'b', alike: 'choice' },
      { runId: 'c', alike: 'choice' },
      { runId: 'other format', alike: 'model' },
    ]);
  });

  it('give the time of each step, of a sweep without its levels, and nothing for reused files', () => {
    const past = pastRunOf(complete(), 'choice');
    expect(past.stepS).toMatchObject({ export: 2, offline: 1, online: 1, report: 2 });
    expect(past.levelS).toBe(8);
    expect(past.plannedLevelS).toBe(plannedLevelS(spec.performance));
    const cheap = pastRunOf(stateOf([...created, reused('export'), begun('convert')]), 'model');
    expect(cheap.stepS).toEqual({ export: 0 });
    expect(cheap.levelS).toBeNull();
  });

  const past = (change: Partial<PastRun>): PastRun => ({
    alike: 'choice',
    stepS: {},
    levelS: null,
    plannedLevelS: null,
    ...change,
  });

  it('count by their median, the likest before all others', () => {
    const runs = [
      past({ stepS: { export: 14 } }),
      past({ stepS: { export: 0 } }),
      past({ stepS: { export: 0 } }),
      past({ alike: 'model', stepS: { export: 99, convert: 5 } }),
    ];
    expect(expectedStepS(runs, 'export')).toBe(0);
    expect(expectedStepS(runs, 'convert')).toBe(5);
    expect(expectedStepS(runs, 'images')).toBeNull();
  });

  it('lengthen a level by as much as they exceeded their settings', () => {
    const twice = [past({ levelS: 8, plannedLevelS: 4 })];
    expect(expectedLevelS(twice, 10)).toBe(20);
    expect(expectedLevelS(twice, null)).toBe(8);
    expect(expectedLevelS([], 10)).toBe(10);
    expect(expectedLevelS([], null)).toBeNull();
  });
});

describe('the time left of a whole run', () => {
  const past = [pastRunOf(complete(), 'choice')];
  const at = (bodies: readonly JournalBody[], afterS = 0, fraction: number | null = null) => {
    const state = stateOf([...created, ...bodies]);
    const started = state.steps.find(({ status }) => status === 'running')?.startedAt ?? state.updatedAt;
    return estimateTimeLeft(state, Date.parse(started) + afterS * 1000, past, fraction);
  };

  it('is known from the first second', () => {
    const left = at([]);
    // Seven steps, two levels, two sweeps besides their levels, the report.
    expect(left?.seconds).toBeCloseTo(7 * 2 + 2 * 8 + 2 + 2);
    expect(left && timeLeftText(left)).toBe('about 34 s left');
    expect(left?.basis).toBe(
      '2 levels left, about 8.0 s each; 18 s for the other steps, as 1 earlier run with the same choices took on this machine',
    );
  });

  it('leaves out what is over, and what the step under way has had', () => {
    expect(at([...ended('prepare-data', 9), begun('export')], 1.5)?.seconds).toBeCloseTo(34 - 2 - 1.5);
    expect(at([...ended('prepare-data', 9), begun('export')], 60)?.seconds).toBeCloseTo(34 - 4);
    expect(at([reused('prepare-data'), reused('export')])?.seconds).toBeCloseTo(30);
  });

  it('goes by the progress of a step that says how far it is', () => {
    // A quarter in 10 s: 30 s more, whatever it took before.
    expect(at([begun('prepare-data')], 10, 0.25)?.seconds).toBeCloseTo(32 + 30);
    // The first per cents say little.
    expect(at([begun('prepare-data')], 1, 0.01)?.seconds).toBeCloseTo(33);
  });

  it('has the progress of the step under way in the first run of a model too', () => {
    const state = stateOf([...created, begun('prepare-data')]);
    const [{ startedAt } = { startedAt: null }] = state.steps;
    const left = estimateTimeLeft(state, Date.parse(startedAt ?? '') + 10_000, [], 0.25);
    // 30 s of the step, and two levels of 3.5 s.
    expect(left && timeLeftText(left)).toBe('at least 37 s left');
    expect(left?.basis).toContain('30 s for this step by its progress; the others are not counted');
  });

  it('is a least time where a step has never been seen', () => {
    const { steps, ...run } = complete();
    const unseen = pastRunOf({ ...run, steps: steps.filter(({ id }) => id !== 'report') }, 'choice');
    const left = estimateTimeLeft(stateOf(created), 0, [unseen]);
    expect(left && timeLeftText(left)).toBe('at least 32 s left');
  });

  it('is stated of each step that is to come, of a sweep with its levels', () => {
    const state = stateOf(created);
    expect((['export', 'offline', 'images'] as const).map((id) => expectedS(state, past, id))).toEqual([
      2,
      9,
      null,
    ]);
    // By the settings.
    expect((['export', 'offline'] as const).map((id) => expectedS(state, [], id))).toEqual([null, 3.5]);
  });

  it('ends with the report', () => {
    const left = at([
      ...before.flatMap((step) => ended(step, 2)),
      level('offline', 8),
      ...ended('offline', 9),
      level('online', 8),
      ...ended('online', 9),
      begun('report'),
    ]);
    expect(left && timeLeftText(left)).toBe('a few seconds left');
  });
});

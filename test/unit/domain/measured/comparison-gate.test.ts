import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Baseline } from '../../../../main/contract/measured/baseline';
import type { LoadPoint } from '../../../../main/contract/measured/results';
import type { RunState } from '../../../../main/contract/run/run-state';
import { compareRuns, compareWithPublished } from '../../../../main/domain/measured/compare-levels';
import {
  comparisonSentence,
  judgeComparison,
  meaningOf,
  outcomeOfAll,
  outcomeText,
  parseCriterion,
  ratioText,
  ratioWords,
} from '../../../../main/domain/measured/comparison-gate';
import { completeState, pointFixture } from '../../../support/run-state';

const { windows } = pointFixture();

/** A finished run whose online levels all have these values. */
function run(change: Partial<LoadPoint>): RunState {
  const state = completeState();
  const { online } = state.scenarios;
  const points = online.points.map(({ key, point }) => ({
    key,
    point: { ...point, throughputIntervalIps: 1, p99IntervalUs: 100, ...change },
  }));
  return {
    ...state,
    scenarios: { offline: { points: [], missing: [] }, online: { ...online, points } },
  };
}

const outcome = (text: string, first: Partial<LoadPoint>, second: Partial<LoadPoint>) =>
  outcomeOfAll(judgeComparison(compareRuns(run(first), run(second)), [parseCriterion(text)]));

describe('the gate of compare', () => {
  it('is outside only beyond the noise of both', () => {
    expect(outcome('p99>1.1x', { p99Us: 10_000 }, { p99Us: 12_000 })).toBe('outside');
    expect(outcome('p99>1.1x', { p99Us: 10_000 }, { p99Us: 10_100 })).toBe('within');
    expect(outcome('p99>1.1x', { p99Us: 10_000 }, { p99Us: 11_050 })).toBe('unclear');
    expect(outcome('p99>1.1x', { p99Us: 10_000 }, { p99Us: 12_000, p99IntervalUs: 5000 })).toBe('unclear');
  });

  it('does not judge a level with errors, whatever its figures are', () => {
    const faulty: Partial<LoadPoint> = { p99Us: 10_000, flags: ['errors'] };
    const gate = (first: Partial<LoadPoint>, second: Partial<LoadPoint>) => {
      const sweeps = compareRuns(run(first), run(second));
      const judged = judgeComparison(sweeps, [parseCriterion('p99>1.1x')]);
      return [...new Set(judged.map(outcomeText))];
    };
    expect(gate({ p99Us: 10_000 }, faulty)).toEqual(['cannot be judged: the level has errors in B']);
    expect(gate(faulty, { p99Us: 50_000 })).toEqual(['cannot be judged: the level has errors in A']);
    const figures = compareRuns(run({ p99Us: 10_000 }), run(faulty)).flatMap(({ pairs }) =>
      pairs.flatMap(({ second }) => second ?? []),
    );
    expect(comparisonSentence('B', 'A', figures)).toBe(
      'B: throughput has no level without errors in both; p99 latency has no level without errors in both.',
    );
    const [value] = figures.flatMap(({ p99Ms }) => p99Ms ?? []);
    expect(value && ratioWords(value, meaningOf(value, false))).toMatch(/^×1\.00 . errors$/);
  });

  it('knows which way is worse', () => {
    const [slow, fast] = [{ inferencesPerSecond: 800 }, { inferencesPerSecond: 1000 }];
    expect(outcome('throughput<0.95x', fast, slow)).toBe('outside');
    expect(outcome('throughput<0.95x', slow, fast)).toBe('within');
    expect(outcome('p99<0.5x', { p99Us: 10_000 }, { p99Us: 4000 })).toBe('outside');
  });

  it('cannot tell without an interval, or without a common level', () => {
    const unknown = { p99Us: 10_000, p99IntervalUs: null, windows: [] };
    expect(outcome('p99>1.1x', unknown, { p99Us: 50_000 })).toBe('unclear');
    const empty = { ...run({}), scenarios: { ...run({}).scenarios, online: { points: [], missing: [] } } };
    expect(outcomeOfAll(judgeComparison(compareRuns(run({}), empty), [parseCriterion('p99>1.1x')]))).toBe(
      'unclear',
    );
  });

  it('cannot tell where a level of either is not steady', () => {
    const [slow, unsteady] = [{ p99Us: 50_000 }, { stable: false }];
    expect(outcome('p99>1.1x', { p99Us: 10_000, ...unsteady }, slow)).toBe('unclear');
    expect(outcome('p99>1.1x', { p99Us: 10_000 }, { ...slow, ...unsteady })).toBe('unclear');
    expect(outcome('p99>1.1x', { p99Us: 10_000 }, slow)).toBe('outside');
  });

  it('judges a level that is not steady where every window of both says the same', () => {
    const windowsOf = (...p99Ms: readonly number[]) =>
      windows.map((window, at) => ({ ...window, p99Us: (p99Ms[at] ?? NaN) * 1000 }));
    const unsteady = (mean: number, ...p99Ms: readonly number[]): Partial<LoadPoint> => ({
      ...{ p99Us: mean * 1000, p99IntervalUs: mean * 1500, stable: false, windows: windowsOf(...p99Ms) },
    });
    const [first, second] = [unsteady(20, 15, 20, 25), unsteady(15, 10, 15, 20)];
    expect(outcome('p99>5x', first, second)).toBe('within');
    // The highest of B is 4/3 of the lowest of A, and the noise reaches further than that.
    expect(outcome('p99>1.3x', first, second)).toBe('unclear');
    // An outlier beyond the limit, or windows that went one way, leave it open.
    expect(outcome('p99>5x', first, unsteady(15, 10, 15, 200))).toBe('unclear');
    expect(outcome('p99>5x', first, { ...second, flags: ['drifting'] })).toBe('unclear');
    expect(outcome('p99>5x', first, { ...second, windows: windows.slice(1) })).toBe('unclear');
  });

  it('says the one reason for which it cannot judge', () => {
    const gate = (text: string, first: Partial<LoadPoint>, second: Partial<LoadPoint>) => {
      const all = judgeComparison(compareRuns(run(first), run(second)), [parseCriterion(text)]);
      return [...new Set(all.map(outcomeText))];
    };
    const [slow, unsteady] = [{ p99Us: 50_000 }, { stable: false }];
    const fast = { p99Us: 10_000 };
    expect(gate('p99>1.1x', { ...fast, ...unsteady }, slow)).toEqual([
      'cannot be judged: the level is not steady in A',
    ]);
    expect(gate('p99>1.1x', fast, { ...slow, ...unsteady })).toEqual([
      'cannot be judged: the level is not steady in B',
    ]);
    expect(gate('p99>1.1x', { ...fast, ...unsteady }, { p99Us: 11_050 })).toEqual([
      'cannot be judged: the noise is larger than the distance to the limit',
    ]);
    expect(gate('p99>1.1x', { ...fast, p99IntervalUs: null, windows: [] }, slow)).toEqual([
      'cannot be judged: the noise of one of the runs is unknown',
    ]);
    expect(gate('p99>1.1x', fast, slow)).toEqual(['outside']);
  });

  it('never is outside for two measurements of the same', () => {
    const p99Us = fc.double({ min: 100, max: 1e6, noNaN: true });
    const factor = fc.double({ min: 1.01, max: 5, noNaN: true });
    fc.assert(
      fc.property(p99Us, factor, (value, times) => {
        const judged = judgeComparison(compareRuns(run({ p99Us: value }), run({ p99Us: value })), [
          parseCriterion(`p99>${times.toFixed(2)}x`),
        ]);
        expect(judged.length).toBeGreaterThan(0);
        expect(judged.every((level) => level.outcome !== 'outside' && level.ratio === 1)).toBe(true);
      }),
    );
  });

  it('refuses what is no criterion', () => {
    for (const text of ['p99', 'p99>1.1', 'p98>1.1x', 'p99=1x', 'throughput<0x', 'p99>x']) {
      expect(() => parseCriterion(text)).toThrow(/is not a criterion/);
    }
    expect(parseCriterion(' p99 > 1.10x ')).toMatchObject({ text: 'p99>1.10x', metric: 'p99', factor: 1.1 });
  });

  it('says the ratio with its interval where there is one', () => {
    expect(ratioText({ ratio: 1.25, interval: 0.02 })).toBe('×1.25 ± 0.020');
    expect(ratioText({ ratio: 1.25, interval: null })).toBe('×1.25');
  });

  it('holds a run against published figures, which have no noise of their own', () => {
    const state = run({ p99Us: 10_000, inferencesPerSecond: 1000 });
    const point = state.scenarios.online.points[0]?.point;
    if (point === undefined) throw new Error('The run has an online level');
    const level = (inferencesPerSecond: number, p99Ms: number | null) =>
      [
        point.batchSize,
        point.concurrency,
        inferencesPerSecond,
        ...Array<null>(10).fill(null),
        p99Ms,
        null,
      ] as const;
    const baseline = (...levels: readonly ReturnType<typeof level>[]) =>
      ({
        ...{ key: 'A30/onnx/fp32', gpu: 'A30', label: 'published, A30, ONNX fp32', title: '', offline: null },
        online: { scenario: 'online', levels },
      }) as unknown as Baseline;
    const judge = (text: string, published: ReturnType<typeof level>) =>
      judgeComparison(compareWithPublished(baseline(published), state), [parseCriterion(text)]);
    expect(judge('throughput<0.95x', level(2000, 5))).toMatchObject([
      { outcome: 'outside', ratio: 0.5, level: point.concurrency },
    ]);
    expect(judge('throughput<0.95x', level(900, 5))).toMatchObject([{ outcome: 'within' }]);
    expect(judge('p99>1.1x', level(900, 8))).toMatchObject([{ outcome: 'outside' }]);
    // No p99 is published: nothing to judge, and nothing made up.
    expect(judge('p99>1.1x', level(900, null))).toEqual([]);
    const [sweep] = compareWithPublished(baseline(level(900, null)), state);
    expect(sweep?.pairs[0]?.first?.p99Ms).toBeNull();
    expect(sweep?.pairs[0]?.second?.p99Ms).toMatchObject({ value: 10, ratio: null });
  });
});

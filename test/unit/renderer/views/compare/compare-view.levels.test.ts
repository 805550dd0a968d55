import { describe, expect, it } from 'vitest';
import type { LoadPoint } from '../../../../../main/contract/measured/results';
import { diffSpecs, instancesDifference } from '../../../../../main/domain/comparison/diff-specs';
import { runNames, shortNames } from '../../../../../main/domain/comparison/run-names';
import { compareLevels } from '../../../../../main/domain/measured/compare-levels';
import {
  comparisonSentences,
  meaningOf,
  ratioWords,
} from '../../../../../main/domain/measured/comparison-gate';
import { chartThemes } from '../../../../../renderer/charts/chart-theme';
import { compareChart } from '../../../../../renderer/charts/compare-chart';
import { landedWindows, levelAt, withLiveWindows } from '../../../../../renderer/charts/window-series';
import { windowsChart } from '../../../../../renderer/charts/windows-chart';
import { formatWhen } from '../../../../../renderer/format/times';
import { createComparedRuns } from '../../../../../renderer/stores/compared-runs';
import {
  completeState,
  createdBodies,
  journalFixture,
  measurementBody,
  pointFixture,
  sourceFixture,
  specFixture,
  stateOf,
} from '../../../../support/run-state';
import { createClientDouble } from '../../client-double';

const withPoints = (...points: LoadPoint[]) =>
  stateOf([...createdBodies(), ...points.map((point) => measurementBody('online', point))]);
const level = (concurrency: number, inferencesPerSecond: number, throughputIntervalIps: number | null) =>
  pointFixture({ concurrency, inferencesPerSecond, throughputIntervalIps });

describe('differences of parameters', () => {
  it('are all that is not the same, by path, and nothing else', () => {
    const other = specFixture((spec) => {
      spec.precision = 'fp32';
      spec.configure.preferredBatchSizes = [4];
      spec.engine = { kind: 'local', httpPort: 8000 };
    });
    expect(diffSpecs([specFixture(), other, specFixture()])).toEqual([
      { field: 'precision', values: ['FP16', 'FP32', 'FP16'] },
      { field: 'configure.preferredBatchSizes', values: ['8, 16', '4', '8, 16'] },
      { field: 'engine.httpPort', values: [null, '8000', null] },
    ]);
    expect(diffSpecs([specFixture(), specFixture()])).toEqual([]);
    expect(diffSpecs([])).toEqual([]);
  });

  it('have the instances in total, where the GPUs or the instances differ', () => {
    const on = (...gpus: string[]) =>
      specFixture((spec) => {
        spec.engine = { kind: 'docker', gpus, shmSizeMiB: 1024 };
        spec.configure.instances = 2;
        spec.configure.instanceKind = 'KIND_AUTO';
      });
    expect(instancesDifference([on('GPU-a'), null, on('GPU-a', 'GPU-b')])).toEqual([
      {
        field: 'instance_group',
        label: 'Model instances in total',
        values: ['2 on 1 GPU', null, '2 GPUs × 2 instances = 4'],
      },
    ]);
    expect(instancesDifference([on('GPU-a'), on('GPU-b')])).toEqual([]);
  });
});

describe('levels side by side', () => {
  it('have ratios to the first, and say what is inside the noise of both', () => {
    const first = withPoints(level(1, 100, 3), level(2, 200, 3), level(4, 400, null));
    const other = withPoints(level(1, 104, 4), level(2, 210, 4), level(4, 800, 4), level(8, 900, 4));
    const rows = compareLevels([first, other], 'concurrency');
    expect(rows.map((row) => row.level)).toEqual([1, 2, 4, 8]);
    const seen = rows.map((row) => row.runs[1]?.throughput);
    expect(seen.map((value) => value?.ratio)).toEqual([1.04, 1.05, 2, null]);
    // hypot(3, 4) = 5
    expect(seen.map((value) => value?.withinNoise)).toEqual([true, false, null, null]);
    expect(rows[0]?.runs[0]?.throughput).toMatchObject({ value: 100, ratio: null, withinNoise: null });
    expect(rows[3]?.runs[0]).toBeNull();
  });

  it('of another batch size are other levels', () => {
    const batch = (batchSize: number, rate: number) =>
      pointFixture({ batchSize, concurrency: 4, inferencesPerSecond: rate, throughputIntervalIps: 1 });
    const rows = compareLevels([withPoints(batch(1, 100)), withPoints(batch(16, 900))], 'concurrency');
    expect(rows.map(({ level: at, batchSize }) => [at, batchSize])).toEqual([
      [4, 1],
      [4, 16],
    ]);
    expect(rows.map(({ runs }) => runs.map((run) => run?.throughput.ratio ?? null))).toEqual([
      [null, null],
      [null, null],
    ]);
    expect(rows[1]?.runs[0]).toBeNull();
  });

  it('have an interval of the p99 from its windows where the tool states none', () => {
    const window = pointFixture().windows[0];
    if (window === undefined) throw new Error('no window');
    const withWindows = (concurrency: number, p99sUs: readonly number[], change: Partial<LoadPoint> = {}) =>
      pointFixture({ concurrency, windows: p99sUs.map((p99Us) => ({ ...window, p99Us })), ...change });
    const run = withPoints(
      withWindows(1, [10_000, 12_000, 14_000]),
      withWindows(2, [10_000, 14_000]),
      withWindows(4, [10_000, 12_000, 14_000], { p99IntervalUs: 500 }),
      withWindows(8, [10_000, 12_000, 14_000], { p99IntervalUs: null }),
    );
    const rows = compareLevels([run], 'concurrency');
    // Student's t of 2 degrees of freedom, 4.303, times a standard deviation of 2 ms.
    const intervals = rows.map((row) => row.runs[0]?.p99Ms.interval);
    expect(intervals[0]).toBeCloseTo(8.606, 3);
    expect(intervals.slice(1)).toEqual([null, 0.5, null]);
  });

  it('are drawn on one axis, each run with a symbol of its own', () => {
    const runs = [completeState(), completeState()].map((state, index) => ({
      name: `Run ${index + 1}`,
      state,
    }));
    const { data, layout } = compareChart(runs, 'concurrency', 'p99', chartThemes.light);
    expect(data.map((trace) => trace.name)).toEqual(['Run 1', 'Run 2']);
    expect(new Set(data.map((trace) => String(trace.marker?.symbol?.[0]))).size).toBe(2);
    expect(layout.xaxis.tickvals).toEqual([1, 2, 4, 8, 16, 32, 64]);
  });

  it('have the interval of the p99 as bars where it is stated', () => {
    const runs = [900, null].map((p99IntervalUs, index) => ({
      name: `Run ${index + 1}`,
      state: withPoints(pointFixture({ concurrency: 4, p99IntervalUs })),
    }));
    const { data } = compareChart(runs, 'concurrency', 'p99', chartThemes.light);
    expect(data.map((trace) => trace.error_y?.array)).toEqual([[0.9], undefined]);
  });

  it('have names that differ', () => {
    const state = completeState();
    const names = runNames(
      [state, state, { ...state, source: sourceFixture(specFixture((spec) => (spec.precision = 'fp32'))) }],
      (id) => id,
      formatWhen,
    );
    expect(new Set(names).size).toBe(3);
    expect(names[2]).toBe('resnet50 onnx fp32 quick');
  });
});

describe('compared runs in words', () => {
  const named = (change: Parameters<typeof specFixture>[0] = () => undefined, createdAt?: string) => {
    const state = completeState();
    return { ...state, source: sourceFixture(specFixture(change)), createdAt: createdAt ?? state.createdAt };
  };
  const short = (...states: Parameters<typeof shortNames>[0]) => shortNames(states, (id) => id, formatWhen);

  it('are named by what differs', () => {
    const fp32 = named((spec) => {
      spec.precision = 'fp32';
      spec.accuracy.atol = { '*': 1 };
    });
    const instances = named((spec) => {
      spec.configure.instances = 7;
    });
    expect(short(named(), fp32)).toEqual(['fp16', 'fp32']);
    expect(short(named(), instances)[1]).toBe('instances 7');
    const both = named((spec) => {
      spec.precision = 'fp32';
      spec.configure.instances = 7;
    });
    expect(short(named(), fp32, both)[2]).toBe('fp32, instances 7');
  });

  it('are named by their time where nothing differs, and never alike', () => {
    const names = short(named(undefined, '2026-01-01T10:00:00Z'), named(undefined, '2026-01-01T11:30:00Z'));
    expect(names[0]).toMatch(/:00$/);
    expect(names[1]).toMatch(/:30$/);
    expect(new Set(short(named(), named(), named())).size).toBe(3);
  });

  const value = (ratio: number | null, withinNoise: boolean | null) => ({
    value: 1,
    interval: null,
    ratio,
    withinNoise,
    steady: true,
    faulty: false,
  });

  it.each([
    [value(2.55, false), false, '×2.55 ↑ worse'],
    [{ ...value(2.55, false), steady: false }, true, '×2.55 ↑ not steady'],
    [{ ...value(2.55, false), faulty: true }, true, '×2.55 ↑ errors'],
    [value(2.55, false), true, '×2.55 ↑ better'],
    [value(0.65, false), true, '×0.650 ↓ worse'],
    [value(1.05, true), true, '×1.05 ≈ noise'],
    [value(1.05, null), true, '×1.05 ↑'],
    [value(null, null), true, '–'],
  ])('have ratios with direction and meaning: %#', (compared, higherIsBetter, words) => {
    expect(ratioWords(compared, meaningOf(compared, higherIsBetter))).toBe(words);
  });

  it('have a sentence, which says where there is no difference beyond noise', () => {
    const p99 = (p99Us: number, p99IntervalUs: number | null) => ({ p99Us, p99IntervalUs });
    const at = (concurrency: number, rate: number, latency: ReturnType<typeof p99>) =>
      pointFixture({ concurrency, inferencesPerSecond: rate, throughputIntervalIps: 3, ...latency });
    const first = withPoints(at(1, 100, p99(9000, 500)), at(2, 200, p99(9000, 500)));
    const alike = withPoints(at(1, 101, p99(9100, 500)), at(2, 201, p99(9100, 500)));
    const slower = withPoints(at(1, 50, p99(18_000, 500)), at(2, 150, p99(9000, null)));
    const rows = compareLevels([first, alike, slower], 'concurrency');
    expect(comparisonSentences(rows, ['a', 'b', 'c'])).toEqual([
      'b: no difference from a beyond noise.',
      'c: throughput is worse at 2 of 2 levels (×0.500 to ×0.750); p99 latency is worse at 1 of 2 levels (×2.00).',
    ]);
  });

  it('say that a level is not steady, and not that it is better or worse', () => {
    const at = (concurrency: number, rate: number, stable: boolean) =>
      pointFixture({
        ...{ concurrency, stable, inferencesPerSecond: rate, throughputIntervalIps: 3 },
        ...{ p99Us: 9000, p99IntervalUs: 500 },
      });
    const first = withPoints(at(1, 100, true), at(2, 200, false));
    const second = withPoints(at(1, 50, true), at(2, 400, true));
    expect(comparisonSentences(compareLevels([first, second], 'concurrency'), ['a', 'b'])).toEqual([
      'b: throughput is worse at 1 of 2 levels (×0.500), and is not steady at 1 of 2 levels; p99 latency does not differ beyond noise, and is not steady at 1 of 2 levels.',
    ]);
    const neither = compareLevels(
      [withPoints(at(2, 200, false)), withPoints(at(2, 400, true))],
      'concurrency',
    );
    expect(comparisonSentences(neither, ['a', 'b'])[0]).toBe(
      'b: throughput has no level that is steady in both; p99 latency has no level that is steady in both.',
    );
  });
});

describe('compared runs', () => {
  const entries = journalFixture([...createdBodies(), measurementBody('online', pointFixture())]);
  const { runId } = withPoints();

  it('go on filling, and are fetched again when an entry was missed', async () => {
    const { client, calls } = createClientDouble({ 'runs.get': () => withPoints() });
    const compared = createComparedRuns(client);
    await compared.getState().open([runId, runId]);
    expect(compared.getState().runIds).toEqual([runId]);
    const landed = entries[2];
    if (landed === undefined) throw new Error('no entry');
    compared.getState().onEvent({ type: 'journal', runId, entry: landed });
    expect(compared.getState().states[runId]?.scenarios.online.points).toHaveLength(1);
    compared.getState().onEvent({ type: 'journal', runId, entry: { ...landed, seq: 9 } });
    await expect.poll(() => calls.length).toBe(2);
  });
});

describe('windows over time', () => {
  const state = withPoints(pointFixture({ concurrency: 1 }), pointFixture({ concurrency: 2 })).scenarios
    .online;
  const landed = landedWindows('online', state);
  const live = {
    scenario: 'online',
    batchSize: 1,
    concurrency: 4,
    windows: [{ inferencesPerSecond: 7, p99Us: null }],
  } as const;

  it('stand one after the other, with the level of each', () => {
    expect(landed.count).toBe(6);
    expect([0, 2, 3, 5].map((at) => levelAt(landed, at))).toEqual([1, 1, 2, 2]);
  });

  it('have those of the level under way behind them, with gaps where the tool says nothing', () => {
    const all = withLiveWindows('online', landed, live);
    expect([all.count, all.inferencesPerSecond[6], all.p99Ms[6], levelAt(all, 6)]).toEqual([7, 7, NaN, 4]);
    expect(withLiveWindows('offline', landed, live)).toBe(landed);
  });

  it('have those of levels that wait for their next turn', () => {
    const all = landedWindows('online', state, [live, { ...live, scenario: 'offline' }]);
    expect([all.count, all.inferencesPerSecond[6], levelAt(all, 6)]).toEqual([7, 7, 4]);
  });

  it('are drawn with the budget and a line where a level begins', () => {
    const budgetMs = 8;
    const chart = windowsChart({
      scenario: 'online',
      sweep: 'concurrency',
      series: landed,
      budgetMs,
      theme: chartThemes.dark,
    });
    expect(chart.layout['shapes']).toEqual([
      expect.objectContaining({ type: 'line', x0: 3.5, x1: 3.5 }),
      expect.objectContaining({ type: 'rect', y0: budgetMs, y1: chart.layout.yaxis.range?.[1] }),
    ]);
    expect(chart.data.at(-1)).toMatchObject({ name: 'p99 budget 8 ms', y: [budgetMs, budgetMs] });
    expect(chart.data[0]?.textAt?.(4)).toContain('Window 5, concurrency 2');
  });
});

import { describe, expect, it } from 'vitest';
import {
  levelResult,
  type MeasuredWindow,
  summarizeWindow,
} from '../../../../../main/perf/native/level/level-result';
import { WindowRecorder } from '../../../../../main/perf/native/windows/window-recorder';
import type { ServerDelta } from '../../../../../main/perf/server-columns';
import { level, near, plain, second, server, settings, steps, windowOf } from './level-windows';

describe('a window', () => {
  it('is told with its rate in items and its own percentiles', () => {
    expect(windowOf([300, 100, 200, 400], { failures: 1 }).summary).toEqual({
      durationUs: second,
      startUs: 0,
      requestCount: 4,
      errorCount: 1,
      inferencesPerSecond: 8,
      avgUs: 250,
      p50Us: near(300),
      p99Us: near(400),
    });
  });

  it('keeps every latency, beyond its first capacity too', () => {
    const window = windowOf(steps(1, 40_000));
    expect(window.summary.requestCount).toBe(40_000);
    expect(window.summary.p50Us).toEqual(near(20_001));
    expect(window.recorded.blockCounts).toEqual([10_000, 10_000, 10_000, 10_000]);
  });
});

describe('a level', () => {
  it('is the merge of the last three windows', () => {
    const windows = [
      windowOf([9999]),
      windowOf(steps(100, 100)),
      windowOf(steps(101, 100)),
      windowOf(steps(102, 100)),
    ];
    const result = levelResult(windows, level, settings);
    expect(result).toMatchObject({
      batchSize: 2,
      concurrency: 4,
      inferencesPerSecond: 200,
      requestCount: 300,
      errorCount: 0,
      stable: true,
      flags: [],
      avgUs: 150.5,
      p50Us: near(151),
      p99Us: near(199),
      clientSendUs: 3,
      clientRecvUs: 2,
      serverQueueUs: 10,
      serverComputeInferUs: 10,
      networkServerSendRecvUs: 150.5 - 5 - 40,
      meanServerBatch: 2,
      // Two items in three seconds: the parts are alike.
      throughputIntervalIps: 2 / 3,
    });
    expect(result?.windows).toHaveLength(4);
  });

  it('has no negative network time', () => {
    const windows = [windowOf([20, 20]), windowOf([20, 20]), windowOf([20, 20])];
    expect(levelResult(windows, level, settings)?.networkServerSendRecvUs).toBe(0);
  });

  it.each([
    ['unstable', [windowOf(steps(100, 10)), windowOf(steps(100, 10)), windowOf(steps(100, 20))]],
    [
      'errors',
      [windowOf(steps(100, 50)), windowOf(steps(100, 50)), windowOf(steps(100, 50), { failures: 2 })],
    ],
    ['client-saturated', [1, 2, 3].map(() => windowOf(steps(100, 10), { busy: 0.95 }))],
    ['server-restarted', [windowOf([100]), windowOf([100], { restarted: true }), windowOf([100])]],
  ] as const)('is flagged: %s', (flag, windows) => {
    expect(levelResult(windows, level, settings)?.flags).toEqual([flag]);
  });

  it('has errors above the share that is permitted', () => {
    const windows = [1, 2, 3].map(() => windowOf(steps(100, 50), { failures: 3 }));
    expect(levelResult(windows, level, { ...settings, errorPercentage: 6 })?.flags).toEqual([]);
    expect(levelResult(windows, level, { ...settings, errorPercentage: 5 })?.flags).toEqual(['errors']);
  });

  it('is not there when no request succeeded', () => {
    const windows = [1, 2, 3].map(() => windowOf([], { failures: 5 }));
    expect(levelResult(windows, level, settings)).toBeNull();
  });

  it('tells how its requests failed', () => {
    const windows = [1, 2, 3].map(() => windowOf(steps(100, 900), { failures: 1 }));
    expect(levelResult(windows, level, settings)?.errorsByKind).toEqual([
      { kind: 'UNAVAILABLE', count: 3, message: 'no' },
    ]);
  });

  it('is flagged when latency goes one way, steady or not', () => {
    const windows = [0, 1, 2].map((index) => windowOf(steps(100 + 5 * index, 40).map((us) => us / 10)));
    expect(levelResult(windows, level, settings)).toMatchObject({ stable: true, flags: [] });
    const rising = [0, 1, 2].map((index) =>
      windowOf(Array.from({ length: 400 }, (_unused, at) => 100 + 3 * (index + at / 400))),
    );
    expect(levelResult(rising, level, settings)).toMatchObject({ stable: true, flags: ['drifting'] });
  });
});

describe('an open loop', () => {
  /** One second at 10 a second; the server stands still from 0.2 s to 0.7 s. Only one request may be under way. */
  function stalled(): MeasuredWindow {
    const recorder = new WindowRecorder(second / 4, {
      ...plain,
      schedule: { rate: 10, distribution: 'constant', seed: 0, intervalsUs: [] },
    });
    recorder.begin(0);
    for (const [dueUs, startUs, endUs] of [
      [100_000, 100_000, 110_000],
      [200_000, 200_000, 700_000],
      [300_000, 700_000, 710_000],
      [400_000, 710_000, 720_000],
      [500_000, 720_000, 730_000],
      [600_000, 730_000, 740_000],
      [700_000, 740_000, 750_000],
      [800_000, 800_500, 810_000],
      [900_000, 900_000, 910_000],
    ] as const) {
      recorder.success(startUs, endUs, 0, 0, dueUs);
    }
    const recorded = recorder.close(second, {
      loopUtilization: 0.1,
      loopDelayP99Us: 0,
      cpuUs: 1,
      cpuSpanUs: 10,
      sequencesEnded: 0,
    });
    return { recorded, summary: summarizeWindow(recorded, 1), server: server(9) };
  }

  it('tells latency from the send and from the schedule', () => {
    const window = stalled();
    const point = levelResult([window, window, window], { ...level, requestRate: 10 }, settings);
    expect(point).toMatchObject({ requestRate: 10, p50Us: near(10_000) });
    expect(point?.scheduled).toMatchObject({
      // Sorted: 10, 10, 10, 50, 140, 230, 320, 410, 500 ms.
      p50Us: near(140_000),
      p90Us: near(410_000),
      p99Us: near(500_000),
      maxUs: 500_000,
      delayedCount: 15,
    });
    expect(window.summary.scheduledP99Us).toEqual(near(500_000));
  });

  it('is flagged when the server does not keep up', () => {
    const window = stalled();
    const flags = (rate: number) =>
      levelResult([window, window, window], { ...level, requestRate: rate }, settings)?.flags;
    expect(flags(10)).not.toContain('rate-not-reached');
    expect(flags(20)).toContain('rate-not-reached');
  });
});

describe('requests over a stream', () => {
  /** One second with three requests: of three answers, of one, and of none but the final one. */
  function answered(): MeasuredWindow {
    const recorder = new WindowRecorder(second / 4, { ...plain, streaming: true });
    recorder.begin(0);
    for (const [startUs, contentUs, finalUs] of [
      [0, [10_000, 30_000, 60_000], 61_000],
      [100_000, [120_000], 120_000],
      [200_000, [], 205_000],
    ] as const) {
      recorder.success(startUs, contentUs[contentUs.length - 1] ?? finalUs, 3, 2);
      recorder.answers(startUs, { contentUs, finalUs });
    }
    const own = { loopUtilization: 0.1, loopDelayP99Us: 0, cpuUs: 1, cpuSpanUs: 10, sequencesEnded: 2 };
    const recorded = recorder.close(second, own);
    return { recorded, summary: summarizeWindow(recorded, 1), server: server(3) };
  }

  it('tell when the first, each further and the final answer came', () => {
    const window = answered();
    const point = levelResult([window, window, window], level, { ...settings, decoupled: true });
    expect(point?.streaming).toMatchObject({
      decoupled: true,
      responsesPerRequest: 4 / 3,
      responsesPerSecond: 4,
      fewestResponses: 0,
      mostResponses: 3,
      firstResponse: { p50Us: near(20_000), maxUs: 20_000, avgUs: 15_000 },
      interResponse: { p50Us: near(30_000), avgUs: 25_000 },
      finalResponse: { p50Us: near(20_000), maxUs: 61_000 },
    });
    // The latency itself ends with the last answer that had content.
    expect(point).toMatchObject({ p99Us: near(60_000), p50Us: near(20_000) });
    expect(point?.sequences).toBeUndefined();
  });

  it('of sequences tell how many ended a second', () => {
    const window = answered();
    const sequences = { length: 5, lengthVariation: 20, concurrent: 9, firstId: 1 };
    const point = levelResult([window, window, window], level, { ...settings, sequences });
    expect(point?.sequences).toEqual({
      length: 5,
      lengthVariation: 20,
      concurrent: level.concurrency,
      endedPerSecond: 2,
    });
  });

  it('without them nothing is told', () => {
    const window = windowOf([300, 100, 200, 400]);
    const point = levelResult([window, window, window], level, settings);
    expect(point).not.toHaveProperty('streaming');
    expect(point).not.toHaveProperty('sequences');
  });
});

describe('the models of an ensemble', () => {
  const withModels = (first: ServerDelta | null, second: ServerDelta | null): MeasuredWindow => ({
    ...windowOf(steps(100, 10)),
    composing: [
      { modelName: 'first', server: first },
      { modelName: 'second', server: second },
    ],
  });

  it('are merged over the windows, each by itself', () => {
    const windows = [withModels(server(10), null), withModels(server(20), null), withModels(null, null)];
    const composing = levelResult(windows, level, settings)?.composing;
    expect(composing).toMatchObject([
      { modelName: 'first', modelVersion: '1', requestCount: 30, inferenceCount: 60, queueUs: 10 },
      // Loaded anew in every window.
      { modelName: 'second', modelVersion: '', requestCount: null, cacheHitCount: null },
    ]);
  });

  const step = (name: string, reads: string[], writes: string[]) => ({ name, version: '', reads, writes });
  const model = (name: string, decoupled = false) => ({
    ...{ name, version: '', steps: [], decoupled },
    ...{ instances: 2, maxBatchSize: 8, bls: false },
  });
  const ensemble = (between: string, decoupled = false) => ({
    steps: [step('first', ['X'], [between]), step('second', ['f'], ['Y'])],
    models: [model('first'), model('second', decoupled)],
  });
  const windows = [1, 2, 3].map(() => withModels(server(10), server(20)));
  const partsOf = (of: ReturnType<typeof ensemble>) =>
    levelResult(windows, level, { ...settings, ensemble: of });

  it('give the server’s parts of the level: one after the other, the longest side by side, else sums', () => {
    // 40 us each; the ensemble's own counters say 40 too.
    expect(partsOf(ensemble('f'))).toMatchObject({ serverQueueUs: 20, ensemblePath: ['first', 'second'] });
    expect(partsOf(ensemble('other'))).toMatchObject({ serverQueueUs: 10, ensemblePath: ['first'] });
    expect(partsOf(ensemble('other', true))).toMatchObject({ serverQueueUs: 20, ensemblePath: [] });
  });

  it('say how they are served, and a model that is called by BLS leaves the server’s parts as they are', () => {
    expect(partsOf(ensemble('f'))?.composing).toMatchObject([
      { modelName: 'first', instances: 2, maxBatchSize: 8 },
      { modelName: 'second', instances: 2, maxBatchSize: 8 },
    ]);
    const called = { steps: [], models: ['first', 'second'].map((name) => ({ ...model(name), bls: true })) };
    const point = levelResult(windows, level, { ...settings, ensemble: called });
    expect(point?.composing?.map(({ bls }) => bls)).toEqual([true, true]);
    expect(point).not.toHaveProperty('ensemblePath');
    expect(point?.serverQueueUs).toBe(levelResult(windows, level, settings)?.serverQueueUs);
  });

  it('may be more than the mean latency: the rest is below zero then, and not cut off', () => {
    const fast = [1, 2, 3].map(() => ({ ...withModels(server(10), server(20)), ...windowOf([20, 20]) }));
    const merged = fast.map((window, at) => ({ ...window, composing: windows[at]?.composing ?? [] }));
    const point = levelResult(merged, level, { ...settings, ensemble: ensemble('f') });
    expect(point?.networkServerSendRecvUs).toBe(20 - 5 - 80);
  });

  it('are not there of another model', () => {
    const windows = [1, 2, 3].map(() => windowOf(steps(100, 10)));
    expect(levelResult(windows, level, settings)).not.toHaveProperty('composing');
  });
});

describe('what a level cannot know', () => {
  it('are the times of a server whose sums are not plausible, and it says why', () => {
    const window = windowOf(steps(100, 50));
    const pointWith = (change: Partial<ServerDelta>) =>
      levelResult(
        [1, 2, 3].map(() => ({ ...window, server: { ...server(10), ...change } })),
        level,
        settings,
      );
    const none = { count: 10, ns: 0 };
    const constant = { queue: none, computeInput: none, computeInfer: none, computeOutput: none };
    for (const [change, serverTimesFault] of [
      [{ outOfRange: true }, 'out-of-range'],
      [constant, 'constant'],
    ] as const) {
      expect(pointWith(change)).toMatchObject({
        ...{ serverQueueUs: null, serverComputeInferUs: null, networkServerSendRecvUs: null },
        serverTimesFault,
        flags: [],
      });
    }
    expect(pointWith({})?.serverTimesFault).toBeUndefined();
  });

  it('is missing where the counters went back in every window', () => {
    const lost = windowOf(steps(100, 50), { restarted: true });
    const point = levelResult([lost, lost, lost], level, settings);
    expect(point).toMatchObject({
      serverQueueUs: null,
      serverComputeInputUs: null,
      serverComputeInferUs: null,
      serverComputeOutputUs: null,
      networkServerSendRecvUs: null,
      meanServerBatch: null,
    });
    expect(point?.avgUs).toBeGreaterThan(0);
    expect(point?.flags).toContain('server-restarted');
  });

  it('parts that hold equally few requests do not make a count exact', () => {
    const window = windowOf([200_000, 200_000, 200_000, 200_000]);
    const point = levelResult([window, window, window], level, settings);
    expect(point?.throughputIntervalIps).toBeCloseTo(level.batchSize / 3, 9);
  });
});

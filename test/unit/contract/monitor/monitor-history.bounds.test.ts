import { describe, expect, it } from 'vitest';
import {
  type ModelSample,
  mostGpus,
  mostHistoryBytes,
  mostModels,
} from '../../../../main/contract/monitor/monitor';
import { MonitorHistory } from '../../../../main/contract/monitor/monitor-history';
import { heldBytes } from '../../../support/held-bytes';
import { model, sample } from '../../monitor/fixtures';

const start = Date.UTC(2026, 0, 5, 12);
const mostTracks = mostModels + mostGpus;
const names = (count: number, prefix: string, of: (at: number) => Partial<ModelSample> = () => ({})) =>
  Array.from({ length: count }, (_unused, at) => model({ name: `${prefix}-${at}`, ...of(at) }));

/** Every field with another value each second, as no real model has it: nothing can be left out. */
const busiest = (second: number): Partial<ModelSample> => {
  const value = 1 + second / 7;
  return {
    rates: {
      requestsPerSecond: value,
      inferencesPerSecond: value,
      errorShare: value,
      queueUs: value,
      computeInputUs: value,
      computeInferUs: value,
      computeOutputUs: value,
      batch: value,
      cacheHitShare: value,
    },
    pending: value,
    probe: {
      count: 1,
      failures: 0,
      p50Us: value,
      p95Us: value,
      p99Us: value,
      sendP99Us: value,
      worstUs: value,
    },
  };
};

describe('the history stays within its limits', () => {
  it('when 1,000 names change with every poll', () => {
    const history = new MonitorHistory();
    for (let second = 0; second < 21; second += 1) {
      history.add(sample(start + second * 1000, { models: names(1000, `poll-${second}`) }));
      if (second % 10 === 0) expect(heldBytes(history)).toBeLessThan(mostHistoryBytes / 4);
      expect(history.keys().length).toBeLessThanOrEqual(mostTracks);
    }
    // The newest are there.
    expect(history.keys()).toContain('model:poll-20-999/1');
    expect([...history.values('model:poll-20-0/1', 'queueUs', 0, Infinity)].at(-1)).toBe(100);
  });

  it('when a server has 20,000 steady names', () => {
    const history = new MonitorHistory();
    const models = names(20_000, 'steady');
    for (let second = 0; second < 25; second += 1) {
      history.add(sample(start + second * 1000, { models }));
      if (second % 12 === 0) expect(heldBytes(history)).toBeLessThan(mostHistoryBytes / 4);
    }
    expect(history.keys()).toHaveLength(mostModels);
    expect([...history.values('model:steady-0/1', 'queueUs', 0, Infinity)]).toEqual(Array(25).fill(100));
  });

  it('when GPUs change with every poll', () => {
    const history = new MonitorHistory();
    for (let second = 0; second < 200; second += 1) {
      const gpus = Array.from({ length: 300 }, (_unused, at) => ({
        ...{ uuid: `GPU-${second}-${at}`, utilization: 0.5, memoryUsedBytes: 1, memoryTotalBytes: 2 },
        ...{ powerWatts: 3, powerLimitWatts: 4 },
      }));
      history.add(sample(start + second * 1000, { gpus }));
    }
    expect(history.keys().length).toBeLessThanOrEqual(mostTracks);
    // The model is listed by every poll: it does not make room.
    expect(history.values('model:echo/1', 'queueUs', 0, Infinity)).toEqual(new Float32Array(200).fill(100));
  });

  it('when it is full: the oldest quarter of an hour goes, and the span says so', () => {
    const most = 2 ** 21;
    const history = new MonitorHistory(most);
    const seconds = 3000;
    for (let second = 0; second <= seconds; second += 1) {
      history.add(sample(start + second * 1000, { models: names(25, 'm', () => busiest(second)) }));
      if (second % 50 === 0) expect(heldBytes(history)).toBeLessThanOrEqual(most);
    }
    const span = history.span();
    expect(span?.fromMs).toBeGreaterThan(start);
    expect(span?.toMs).toBe(start + seconds * 1000);
    const { fromMs = 0, toMs = 0 } = span ?? {};
    const values = history.values('model:m-24/1', 'queueUs', fromMs, toMs);
    expect(values.some(Number.isNaN)).toBe(false);
  });
});

describe('what fits', () => {
  it('2,000 legitimate models keep every second, the idle ones without a buffer', () => {
    const history = new MonitorHistory();
    const { rates } = model();
    if (rates === null) throw new Error('the fixture has no rates');
    const idle = { rates: { ...rates, requestsPerSecond: 0, queueUs: null } };
    const busy = (second: number) => ({ rates: { ...rates, requestsPerSecond: second, queueUs: second } });
    const models = (second: number) => names(2000, 'm', (at) => (at < 20 ? busy(second) : idle));
    for (let second = 0; second < 120; second += 1)
      history.add(sample(start + second * 1000, { models: models(second) }));
    expect(history.keys()).toHaveLength(2000);
    const values = history.values('model:m-7/1', 'requestsPerSecond', 0, Infinity);
    expect([...values]).toEqual(Array.from({ length: 120 }, (_unused, second) => second));
    expect([...history.values('model:m-1999/1', 'requestsPerSecond', 0, Infinity)]).toEqual(
      Array(120).fill(0),
    );
    // Two fields of the busy ones, with room to the next power of two.
    expect(heldBytes(history)).toBe(20 * 2 * 128 * 4);
  });

  it('a model that comes back has what was seen of it, and one that is unseen for an hour makes room', () => {
    const history = new MonitorHistory();
    history.add(sample(start, { models: [model(), ...names(400, 'left')] }));
    for (let second = 60; second <= 2 * 3600; second += 60) history.add(sample(start + second * 1000));
    // 256 of those that left are remembered.
    expect(history.keys()).toHaveLength(257);
    history.add(sample(start + 7260_000, { models: names(400, 'left') }));
    expect(history.values('model:left-399/1', 'queueUs', start, start + 7260_000)[0]).toBe(100);
    expect(history.values('model:left-0/1', 'queueUs', start, start + 7260_000)[0]).toBeNaN();
  });

  it('a second that was not measured stays empty, also in a run of one value', () => {
    const history = new MonitorHistory();
    for (const second of [0, 1, 2, 4, 5]) history.add(sample(start + second * 1000));
    history.add(sample(start + 6000, { hole: 'no answer', models: [model({ rates: null })] }));
    history.add(sample(start + 7000));
    const values = [...history.values('model:echo/1', 'queueUs', 0, Infinity)];
    expect(values).toEqual([100, 100, 100, NaN, 100, 100, NaN, 100]);
    const copy = new MonitorHistory();
    copy.restore(structuredClone(history.image()));
    copy.add(sample(start + 8000));
    expect([...copy.values('model:echo/1', 'queueUs', 0, Infinity)]).toEqual([...values, 100]);
  });

  it('the second that is told again has its last values', () => {
    const history = new MonitorHistory();
    history.add(sample(start));
    history.add(sample(start + 1000));
    history.add(sample(start + 1500, { models: [model({ rates: null })] }));
    expect([...history.values('model:echo/1', 'queueUs', 0, Infinity)]).toEqual([100, NaN]);
  });

  it('an image is not larger than the history', () => {
    const history = new MonitorHistory();
    const idle = names(2000, 'm');
    for (let second = 0; second < 100; second += 1)
      history.add(sample(start + second * 1000, { models: idle }));
    expect(heldBytes(history.image())).toBeLessThanOrEqual(heldBytes(history));
  });
});

import { describe, expect, it } from 'vitest';
import type { MonitorSample } from '../../../main/contract/monitor/monitor';
import {
  afterReading,
  judgeCounters,
  judgeProbe,
  modelVerdict,
  soundModel,
  withoutProbes,
} from '../../../main/monitor/model-verdict';
import type { PollAnswer, PollFailure } from '../../../main/monitor/poll';
import { SampleBuilder } from '../../../main/monitor/sample-builder';
import { answer, statistics } from './fixtures';

const refused: PollFailure = { kind: 'refused', reason: 'connect ECONNREFUSED' };
const late: PollFailure = { kind: 'timeout', reason: 'no answer within 0.9 s' };

/** One sample a second of these polls. */
function samples(polls: readonly (PollAnswer | PollFailure)[]): readonly MonitorSample[] {
  const builder = new SampleBuilder(1000);
  return polls.map((poll, second) =>
    builder.build(
      second * 1000,
      poll.kind === 'answer' ? { ...poll, readAtMs: second * 1000 } : poll,
      null,
      1,
    ),
  );
}
const states = (polls: readonly (PollAnswer | PollFailure)[]) =>
  samples(polls).map(({ server }) => server.state);
const markers = (polls: readonly (PollAnswer | PollFailure)[]) =>
  samples(polls).map((sample) => sample.markers.map(({ kind }) => kind));
const counted = (success: number, fail = 0) =>
  answer({
    version: '2.51.0',
    statistics: [statistics({ success: { count: success, ns: success }, fail: { count: fail, ns: fail } })],
  });

describe('the server', () => {
  it('starting, up, not ready, gone', () => {
    const waiting = answer({ ready: false });
    expect(states([refused, waiting, answer(), waiting, late, answer()])).toEqual([
      'gone',
      'starting',
      'up',
      'not-ready',
      'gone',
      'up',
    ]);
  });

  it('one that refused connections and is back has restarted; one that was only slow has not', () => {
    expect(markers([counted(1), refused, refused, counted(0)])).toEqual([
      [],
      ['server-gone'],
      [],
      ['restart'],
    ]);
    expect(markers([counted(1), late, counted(2)])).toEqual([[], ['server-gone'], ['server-up']]);
    expect(samples([counted(1), refused, counted(0)]).at(-1)?.server.restarts).toBe(1);
    expect(samples([counted(1), late, counted(2)]).at(-1)?.server.restarts).toBe(0);
  });

  it('one that was out of reach is told from a new one by its counters', () => {
    // Connections were refused on the way: the process counts on.
    expect(markers([counted(5), refused, counted(7)])).toEqual([[], ['server-gone'], ['server-up']]);
    const two = (count: number) =>
      answer({
        version: '2.51.0',
        statistics: [
          statistics({ success: { count, ns: count } }),
          statistics({ name: 'other', success: { count, ns: count } }),
        ],
      });
    expect(markers([two(5), late, two(1)])).toEqual([[], ['server-gone'], ['restart']]);
    expect(markers([two(0), refused, two(0)])).toEqual([[], ['server-gone'], ['restart']]);
    // One model alone may have been loaded again.
    expect(markers([counted(5), late, counted(1)])).toEqual([[], ['server-gone'], ['server-up']]);
  });

  it('counters of every model that began anew are a restart, those of one model are not', () => {
    const two = (first: number, second: number) =>
      answer({
        version: '2.51.0',
        statistics: [
          statistics({ success: { count: first, ns: 1 } }),
          statistics({ name: 'other', success: { count: second, ns: 1 } }),
        ],
      });
    expect(markers([two(5, 5), two(0, 6)])[1]).toEqual([]);
    expect(markers([two(5, 5), two(0, 0)])[1]).toEqual(['restart']);
  });

  it('a poll that failed is a hole with its reason, and no rate is taken over it', () => {
    const [, hole, after, next] = samples([counted(10), late, counted(30), counted(31)]);
    expect(hole?.hole).toBe(late.reason);
    expect(hole?.models[0]).toMatchObject({
      state: 'unavailable',
      reason: 'The server is gone',
      rates: null,
    });
    expect(after?.models[0]?.rates).toBeNull();
    expect(next?.models[0]?.rates?.requestsPerSecond).toBe(1);
  });

  it('statistics that did not come are a hole while the server stays up', () => {
    const [, hole] = samples([answer(), answer({ statistics: null, hole: 'no answer' })]);
    expect(hole).toMatchObject({ server: { state: 'up' }, hole: 'no answer' });
    expect(hole?.models[0]?.state).toBe('ready');
  });
});

describe('a model', () => {
  it('is loaded and unloaded by the index', () => {
    const gone = answer({ index: [{ name: 'echo' }], statistics: [] });
    const failed = answer({
      index: [{ name: 'echo', version: '1', state: 'UNAVAILABLE', reason: 'no such file' }],
      statistics: [],
    });
    const seen = samples([answer(), gone, answer(), failed]);
    expect(seen.map((sample) => sample.models[0]?.state)).toEqual([
      'ready',
      'unavailable',
      'ready',
      'unavailable',
    ]);
    expect(seen[1]?.models[0]?.reason).toBe('Not loaded');
    expect(seen[3]?.models[0]?.reason).toBe('no such file');
    expect(seen[3]?.markers.map(({ kind }) => kind)).toEqual(['model-unloaded']);
  });

  it('fails when its requests do while Triton says READY, and recovers', () => {
    const seen = samples([counted(10), counted(10, 3), counted(20, 3), counted(30, 4)]);
    expect(seen.map((sample) => sample.models[0]?.state)).toEqual(['ready', 'failing', 'ready', 'ready']);
    expect(seen.map((sample) => sample.markers.map(({ kind }) => kind))).toEqual([
      [],
      ['model-failing'],
      ['model-recovered'],
      [],
    ]);
  });

  it('one failed request alone is no verdict, two seconds of them are', () => {
    const seen = samples([counted(10), counted(10, 1), counted(10, 2)]);
    expect(seen.map((sample) => sample.models[0]?.state)).toEqual(['ready', 'ready', 'failing']);
  });

  it('probes: a dead stub at once, anything else at the second failure; a good one clears it', () => {
    const stub = judgeProbe(soundModel, { ok: false, reason: "Stub process 'echo_0_0' is not healthy." }, 1);
    expect(modelVerdict({ state: 'READY' }, stub)).toEqual({
      state: 'failing',
      reason: "Stub process 'echo_0_0' is not healthy.",
    });
    const once = judgeProbe(soundModel, { ok: false, reason: 'out of memory' }, 1);
    expect(modelVerdict({ state: 'READY' }, once).state).toBe('ready');
    const twice = judgeProbe(once, { ok: false, reason: 'out of memory' }, 2);
    expect(modelVerdict({ state: 'READY' }, twice).state).toBe('failing');
    expect(modelVerdict({ state: 'READY' }, judgeProbe(twice, { ok: true }, 3)).state).toBe('ready');
    expect(modelVerdict({ state: 'LOADING' }, twice).state).toBe('loading');
  });

  it('is not failing because of probes while others are served', () => {
    const no = { ok: false, reason: 'x' } as const;
    const failing = judgeProbe(judgeProbe(soundModel, no, 1), no, 2);
    const served = { rates: null, successes: 50, failures: 2, reset: false };
    expect(judgeCounters(failing, served, 3).failing).toBeNull();
  });

  it('is still failing where Triton counts the failed probes as successes', () => {
    const no = { ok: false, reason: 'no' } as const;
    const failing = judgeProbe(judgeProbe(soundModel, no, 100), no, 200);
    const counted = (successes: number) => ({ rates: null, successes, failures: 0, reset: false });
    const polled = judgeCounters(failing, counted(2), 1000);
    expect(polled.failing).toBe('no');
    // One whose answer comes after the poll.
    expect(judgeCounters(polled, counted(1), 2000).failing).toBe('no');
    expect(judgeCounters(polled, counted(2), 2000).failing).toBeNull();
    // Nobody probes it any more: one that is served is enough.
    expect(judgeCounters(withoutProbes(polled), counted(1), 2000).failing).toBeNull();
  });

  it('is still failing where probes were answered after the counters were read and before they were judged', () => {
    const no = { ok: false, reason: 'no' } as const;
    const counted = (successes: number) => ({ rates: null, successes, failures: 0, reset: false });
    const failing = [100, 300, 1050, 1100].reduce((health, atMs) => judgeProbe(health, no, atMs), soundModel);
    const polled = judgeCounters(failing, counted(2), 1000);
    expect(polled).toMatchObject({ failing: 'no', failedAtMs: [1050, 1100] });
    // Of the next second: these two, and two more.
    const later = [1300, 1700].reduce((health, atMs) => judgeProbe(health, no, atMs), polled);
    expect(judgeCounters(later, counted(4), 2000).failing).toBe('no');
    expect(judgeCounters(later, counted(6), 2000).failing).toBeNull();
    expect(afterReading(later, 2000).failedAtMs).toEqual([]);
  });

  it('is not failing where one probe of three requests failed', () => {
    const once = judgeProbe(soundModel, { ok: false, reason: 'no' }, 1);
    const change = { rates: null, successes: 2, failures: 1, reset: false };
    expect(judgeCounters(judgeCounters(once, change, 2), change, 3).failing).toBeNull();
  });
});

import { describe, expect, it } from 'vitest';
import { levelResult, summarizeWindow } from '../../../../../main/perf/native/level/level-result';
import { errorsIn, refusedIn } from '../../../../../main/perf/native/level/shape-result';
import { WindowRecorder } from '../../../../../main/perf/native/windows/window-recorder';
import { second, server, settings } from './level-windows';

const schedule = { rate: 100, distribution: 'constant', seed: 1, intervalsUs: [] } as const;
const own = { loopUtilization: 0, loopDelayP99Us: 0, cpuUs: 0, cpuSpanUs: second, sequencesEnded: 0 };

/** A second at 100 requests/s, of which some are refused and one fails, each answered after 5 ms. */
function windowOf(refused: number, keepsOutcomes: boolean) {
  const recorder = new WindowRecorder(second / 4, { schedule, streaming: false, keepsOutcomes });
  recorder.begin(0);
  for (let index = 0; index < 100; index += 1) {
    const dueUs = index * 10_000;
    if (index < refused) recorder.failure('queue full', 'Exceeds maximum queue size', dueUs, dueUs + 500);
    else if (index === refused) recorder.failure('INTERNAL', 'no', dueUs, dueUs + 500);
    else recorder.success(dueUs, dueUs + 5000, 3, 2, dueUs);
  }
  const recorded = recorder.close(second, own);
  return { recorded, summary: summarizeWindow(recorded, 1), server: server(99 - refused) };
}

const level = { batchSize: 1, concurrency: 128, requestRate: 100 };
const shape = { scatter: 0, stages: ['1x:500ms', '2x:500ms'] };
const counted = { ...settings, counted: true, replayed: true };

describe('refused requests', () => {
  it('are a number of their own, neither answered nor errors', () => {
    const window = windowOf(40, false);
    expect(window.summary).toMatchObject({ requestCount: 59, errorCount: 1, refusedCount: 40 });
    const result = levelResult([window], level, { ...counted, errorPercentage: 2 });
    expect(result).toMatchObject({
      requestCount: 59,
      errorCount: 1,
      refused: { queueFull: 40, timeout: 0, cancelled: 0 },
      errorsByKind: [{ kind: 'INTERNAL', count: 1 }],
    });
    // The one error is within the permitted share, and refusals do not reach the rate less.
    expect(result?.flags).toEqual(['refused']);
    expect(result).not.toHaveProperty('timeline');
  });

  it('leave a level without them as it was', () => {
    const window = windowOf(0, false);
    expect(window.summary).not.toHaveProperty('refusedCount');
    const result = levelResult([window], level, { ...counted, errorPercentage: 2 });
    expect(result).not.toHaveProperty('refused');
    expect(result?.flags).toEqual([]);
  });

  it('are told from errors by their kind', () => {
    const failures = [
      { kind: 'timeout', count: 3, message: '' },
      { kind: 'cancelled', count: 2, message: '' },
      { kind: 'INTERNAL', count: 1, message: '' },
    ];
    expect(refusedIn(failures)).toEqual({ queueFull: 0, timeout: 3, cancelled: 2 });
    expect(errorsIn(failures)).toEqual([failures[2]]);
    expect(refusedIn(failures.slice(2))).toBeUndefined();
    expect(errorsIn(failures.slice(0, 2))).toBeUndefined();
  });
});

describe('a level with stages', () => {
  it('has its slices, what its overload came to, and the rate of good requests', () => {
    const result = levelResult([windowOf(0, true)], level, {
      ...counted,
      shape: { ...shape, sliceDurationS: 0.25, latencyThresholdMs: 6 },
    });
    expect(result?.timeline?.slices.map(({ due, answered, good }) => [due, answered, good])).toEqual([
      [25, 24, 24],
      [25, 25, 25],
      [25, 25, 25],
      [25, 25, 25],
    ]);
    expect(result?.timeline?.goodPerSecond).toBe(99);
    expect(result?.stages).toEqual([
      { fromRate: 100, toRate: 100, seconds: 0.5 },
      { fromRate: 200, toRate: 200, seconds: 0.5 },
    ]);
    expect(result?.overload).toMatchObject({ factor: 2, fromUs: 500_000, refusedShare: 0, endless: false });
  });

  it('without what its requests came to has neither', () => {
    const result = levelResult([windowOf(0, false)], level, { ...counted, shape });
    expect(result).not.toHaveProperty('timeline');
    expect(result).not.toHaveProperty('overload');
  });
});

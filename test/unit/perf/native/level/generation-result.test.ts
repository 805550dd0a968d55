import { describe, expect, it } from 'vitest';
import { generationOf } from '../../../../../main/perf/native/level/generation-result';
import type { RecordedWindow } from '../../../../../main/perf/native/seam/load-job';
import { WindowRecorder } from '../../../../../main/perf/native/windows/window-recorder';
import { near, plain, second } from './level-windows';

const own = { loopUtilization: 0.1, loopDelayP99Us: 0, cpuUs: 1, cpuSpanUs: 10, sequencesEnded: 0 };

type Asked = NonNullable<Parameters<typeof generationOf>[1]>;
type Answered = readonly [contentMs: readonly number[], tokens?: number];

/** One second with requests that are sent at its start. */
function windowOf(job: Asked, requests: readonly Answered[]): RecordedWindow {
  const recorder = new WindowRecorder(second / 4, { ...plain, streaming: true, generation: job });
  recorder.begin(0);
  for (const [contentMs, tokens = null] of requests) {
    const contentUs = contentMs.map((value) => value * 1000);
    const finalUs = (contentUs.at(-1) ?? 0) + 1000;
    recorder.success(0, contentUs.at(-1) ?? finalUs, 3, 2);
    recorder.answers(0, { contentUs, finalUs, tokens });
  }
  return recorder.close(second, own);
}

const job: Asked = { endpoint: 'chat', budgets: { ttftUs: 100_000, itlUs: 30_000 } };

describe('tokens of a level', () => {
  it('are those of all windows, by the server’s usage where every request has it', () => {
    const windows = [
      windowOf(job, [[[80, 100, 120], 3]]),
      windowOf(job, [
        [[90, 190], 11],
        [[150, 160], 2],
      ]),
    ];
    expect(windows[0]?.answers).toBeNull();
    expect(generationOf(windows, job)).toEqual({
      endpoint: 'chat',
      tokensCountedBy: 'server usage',
      outputTokens: 16,
      outputTokensPerSecond: 8,
      tokensPerRequest: { avg: 16 / 3, min: 2, max: 11 },
      answersPerRequest: 7 / 3,
      timeToFirstToken: expect.objectContaining({ p50Us: near(90_000), maxUs: 150_000 }) as unknown,
      interTokenLatency: expect.objectContaining({ p50Us: near(20_000), maxUs: 100_000 }) as unknown,
      timePerOutputToken: expect.objectContaining({ p50Us: near(10_000), maxUs: 20_000 }) as unknown,
      tokensPerSecondPerRequest: {
        avg: expect.closeTo(250 / 3) as number,
        p50: expect.closeTo(100, 1) as number,
        min: 50,
      },
      stalledRequests: 0,
      emptyRequests: 0,
      goodput: {
        ttftBudgetUs: 100_000,
        itlBudgetUs: 30_000,
        requests: 2,
        requestsPerSecond: 1,
        share: 2 / 3,
      },
    });
  });

  it('are answers where one request has no usage, and nothing is guessed of a reply in one piece', () => {
    const mixed = [windowOf(job, [[[80, 100], 9], [[80, 100, 120]]])];
    expect(generationOf(mixed, job)).toMatchObject({ tokensCountedBy: 'responses', outputTokens: 5 });
    const once: Asked = { endpoint: 'generate', budgets: {} };
    expect(generationOf([windowOf(once, [[[80]]])], once)).toMatchObject({
      ...{ tokensCountedBy: null, outputTokens: null, outputTokensPerSecond: null, tokensPerRequest: null },
      ...{ timeToFirstToken: null, interTokenLatency: null, tokensPerSecondPerRequest: null },
      answersPerRequest: 1,
    });
  });

  it('are those of the tokenizer where it counted every window, also of a reply in one piece', () => {
    const counted = (window: RecordedWindow, ...tokens: readonly number[]): RecordedWindow => {
      const recorder = new WindowRecorder(second / 4, { ...plain, streaming: true, generation: job });
      recorder.begin(0);
      for (const count of tokens)
        recorder.answers(0, { contentUs: [80_000, 100_000], finalUs: 100_000, tokens: count });
      const { byUsage } = recorder.close(second, own).tokens ?? {};
      if (window.tokens === undefined || byUsage === undefined) throw new Error('no tokens');
      return { ...window, tokens: { ...window.tokens, byTokenizer: byUsage } };
    };
    const first = windowOf(job, [[[80, 100]]]);
    const windows = [counted(first, 3), counted(windowOf(job, [[[80, 100]]]), 5)];
    expect(generationOf(windows, job, { avg: 12, min: 10, max: 14 })).toMatchObject({
      tokensCountedBy: 'tokenizer',
      outputTokens: 8,
      tokensPerRequest: { avg: 4, min: 3, max: 5 },
      promptTokens: { avg: 12, min: 10, max: 14 },
      answersPerRequest: 2,
    });
    expect(generationOf([...windows, first], job)).toMatchObject({ tokensCountedBy: 'responses' });
    const once: Asked = { endpoint: 'generate', budgets: {} };
    expect(generationOf([counted(windowOf(once, [[[80]]]), 9)], once)).toMatchObject({
      ...{ tokensCountedBy: 'tokenizer', outputTokens: 9, timeToFirstToken: null },
    });
  });

  it('have a stall of a second in the maximum, and say which requests had one', () => {
    const found = generationOf([windowOf(job, [[[80, 100, 1100, 1120]], [[80, 100]], [[]]])], job);
    expect(found).toMatchObject({ stalledRequests: 1, emptyRequests: 1 });
    expect(found?.interTokenLatency?.maxUs).toBe(1_000_000);
    expect(found?.goodput).toMatchObject({ requests: 1 });
  });

  it('are missing of other models, and without a request that succeeded', () => {
    expect(generationOf([windowOf(job, [])], job)).toBeUndefined();
    expect(generationOf([windowOf(job, [[[80]]])], undefined)).toBeUndefined();
  });
});

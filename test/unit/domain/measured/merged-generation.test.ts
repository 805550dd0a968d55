import { describe, expect, it } from 'vitest';
import type { Generated } from '../../../../main/contract/measured/generated';
import type { Spread } from '../../../../main/contract/measured/spread';
import { mergedGeneration } from '../../../../main/domain/measured/merged-generation';

const spread = (us: number): Spread => ({
  ...{ avgUs: us, p50Us: us, p90Us: us, p95Us: us, p99Us: us, maxUs: 2 * us },
});
const measured = (us: number, more: Partial<Generated> = {}): Generated => ({
  endpoint: 'chat',
  tokensCountedBy: 'server usage',
  outputTokens: us,
  outputTokensPerSecond: us / 10,
  tokensPerRequest: { avg: us, min: us - 1, max: us + 1 },
  answersPerRequest: us,
  timeToFirstToken: spread(us),
  interTokenLatency: spread(us),
  timePerOutputToken: spread(us),
  tokensPerSecondPerRequest: { avg: us, p50: us, min: us },
  stalledRequests: 1,
  emptyRequests: 0,
  goodput: { ttftBudgetUs: 500, requests: us, requestsPerSecond: us, share: 0.5 },
  ...more,
});

describe('tokens of several measurements of a level', () => {
  it('are medians, sums of counts, and the largest of all times', () => {
    expect(mergedGeneration([measured(100), measured(300), measured(200)])).toEqual({
      ...measured(200),
      outputTokens: 600,
      tokensPerRequest: { avg: 200, min: 99, max: 301 },
      timeToFirstToken: { ...spread(200), maxUs: 600 },
      interTokenLatency: { ...spread(200), maxUs: 600 },
      timePerOutputToken: { ...spread(200), maxUs: 600 },
      tokensPerSecondPerRequest: { avg: 200, p50: 200, min: 100 },
      stalledRequests: 3,
      goodput: { ttftBudgetUs: 500, requests: 600, requestsPerSecond: 200, share: 0.5 },
    });
  });

  it('have no number of tokens where they were counted in two ways, and no time that one lacks', () => {
    const found = mergedGeneration([
      measured(100),
      measured(300, { tokensCountedBy: 'responses', interTokenLatency: null }),
    ]);
    expect(found).toMatchObject({
      ...{ tokensCountedBy: null, outputTokens: null, outputTokensPerSecond: null, tokensPerRequest: null },
      ...{ timePerOutputToken: null, tokensPerSecondPerRequest: null, interTokenLatency: null },
      timeToFirstToken: { maxUs: 600 },
    });
  });

  it('keep the tokens of the prompts, which are the same in each', () => {
    const promptTokens = { avg: 12, min: 10, max: 14 };
    const all = [measured(100, { promptTokens }), measured(300, { promptTokens })];
    expect(mergedGeneration(all)).toMatchObject({ promptTokens });
  });

  it('are missing of other models', () => {
    expect(mergedGeneration([])).toBeNull();
  });
});

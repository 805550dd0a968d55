import type { Generated } from '../../../contract/measured/generated';
import { present } from '../../../contract/trees';
import { largestOf, smallestOf } from '../../../domain/statistics';
import { type HistogramData, LatencyHistogram, spreadOf } from '../../latency-histogram';
import type { TokenTally } from '../../token-recorder';
import type { LoadJob, RecordedWindow } from '../seam/load-job';

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

function spread(all: readonly HistogramData[]): ReturnType<typeof spreadOf> | null {
  const merged = new LatencyHistogram();
  for (const data of all) merged.merge(data);
  return merged.count === 0 ? null : spreadOf(merged);
}

/** Requests without a token count in the number of requests, and in none of the minima. */
const tallyOf = (all: readonly TokenTally[]) => ({
  tokens: sum(all.map((one) => one.tokens)),
  fewest: smallestOf(all.map((one) => one.fewest)),
  most: largestOf(all.map((one) => one.most)),
  good: sum(all.map((one) => one.good)),
  rateSum: sum(all.map((one) => one.rateSum)),
  each: spread(all.map((one) => one.perToken)),
  eachCount: sum(all.map((one) => one.perToken.total)),
});

function goodputOf(
  good: number,
  { requests, seconds }: { readonly requests: number; readonly seconds: number },
  { budgets: { ttftUs, itlUs } }: NonNullable<LoadJob['generation']>,
): Generated['goodput'] {
  if (ttftUs === undefined && itlUs === undefined) return undefined;
  return {
    ...present({ ttftBudgetUs: ttftUs, itlBudgetUs: itlUs }),
    requests: good,
    requestsPerSecond: good / seconds,
    share: good / requests,
  };
}

function countedBy(how: {
  readonly isReported: boolean;
  readonly isTokenized: boolean;
  readonly isCounted: boolean;
}): Generated['tokensCountedBy'] {
  if (how.isReported) return 'server usage';
  if (how.isTokenized) return 'tokenizer';
  return how.isCounted ? 'responses' : null;
}

/** undefined: not a language model, or no request succeeded. Usage counts only where every request has it. */
export function generationOf(
  windows: readonly RecordedWindow[],
  job: LoadJob['generation'],
  promptTokens?: Generated['promptTokens'],
): Generated | undefined {
  const recorded = windows.flatMap(({ tokens }) =>
    tokens === undefined || tokens.requests === 0 ? [] : tokens,
  );
  if (job === undefined || recorded.length === 0) return undefined;
  const total = (of: 'requests' | 'answers' | 'empty' | 'stalled' | 'reported') =>
    sum(recorded.map((one) => one[of]));
  const requests = total('requests');
  const seconds = sum(windows.map(({ durationUs }) => durationUs)) / 1e6;
  const isReported = total('reported') === requests;
  const byTokenizer = recorded.flatMap((one) => one.byTokenizer ?? []);
  const isTokenized = !isReported && byTokenizer.length === recorded.length;
  const tallies = isTokenized
    ? byTokenizer
    : recorded.map(({ byUsage, byResponses }) => (isReported ? byUsage : byResponses));
  const { tokens, fewest, most, good, rateSum, each, eachCount } = tallyOf(tallies);
  const isCounted = isReported || isTokenized || job.endpoint !== 'generate';
  const goodput = goodputOf(good, { requests, seconds }, job);
  return {
    endpoint: job.endpoint,
    tokensCountedBy: countedBy({ isReported, isTokenized, isCounted }),
    outputTokens: isCounted ? tokens : null,
    outputTokensPerSecond: isCounted ? tokens / seconds : null,
    tokensPerRequest: isCounted ? { avg: tokens / requests, min: fewest, max: most } : null,
    ...present({ promptTokens }),
    answersPerRequest: total('answers') / requests,
    timeToFirstToken: spread(recorded.map(({ ttft }) => ttft)),
    interTokenLatency: spread(recorded.map(({ itl }) => itl)),
    timePerOutputToken: each,
    tokensPerSecondPerRequest:
      each === null || each.p50Us === 0 || each.maxUs === 0
        ? null
        : { avg: rateSum / eachCount, p50: 1e6 / each.p50Us, min: 1e6 / each.maxUs },
    stalledRequests: total('stalled'),
    emptyRequests: total('empty'),
    ...(goodput === undefined ? {} : { goodput }),
  };
}

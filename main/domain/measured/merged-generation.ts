import type { Generated } from '../../contract/measured/generated';
import type { Spread } from '../../contract/measured/spread';
import { present } from '../../contract/trees';
import { largestOf, medianOf, smallestOf } from '../statistics';
import { median, medianSpread } from './median-spread';

/** Medians, and the largest of all: a stall in one measurement is not lost. */
function mergedTimes(spreads: readonly (Spread | null)[]): Spread | null {
  const middle = medianSpread(spreads);
  return middle && { ...middle, maxUs: largestOf(spreads.flatMap((spread) => spread?.maxUs ?? [])) };
}

const total = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

function mergedGoodput(all: readonly Generated[]): Generated['goodput'] {
  const found = all.flatMap(({ goodput }) => goodput ?? []);
  const [first] = found;
  if (first === undefined) return undefined;
  return {
    ...first,
    requests: total(found.map(({ requests }) => requests)),
    requestsPerSecond: medianOf(found.map(({ requestsPerSecond }) => requestsPerSecond)),
    share: medianOf(found.map(({ share }) => share)),
  };
}

/** Tokens of several measurements of one level; numbers of tokens only where all were counted in one way. */
export function mergedGeneration(measured: readonly Generated[]): Generated | null {
  const [first] = measured;
  if (first === undefined) return null;
  const isAlike = measured.every(({ tokensCountedBy }) => tokensCountedBy === first.tokensCountedBy);
  const all = isAlike
    ? measured
    : measured.map((one): Generated => ({
        ...one,
        tokensCountedBy: null,
        outputTokens: null,
        outputTokensPerSecond: null,
        tokensPerRequest: null,
        timePerOutputToken: null,
        tokensPerSecondPerRequest: null,
      }));
  const lengths = all.flatMap(({ tokensPerRequest }) => tokensPerRequest ?? []);
  const rates = all.flatMap(({ tokensPerSecondPerRequest }) => tokensPerSecondPerRequest ?? []);
  const counts = all.map(({ outputTokens }) => outputTokens);
  const goodput = mergedGoodput(all);
  return {
    endpoint: first.endpoint,
    tokensCountedBy: all[0]?.tokensCountedBy ?? null,
    outputTokens: counts.includes(null) ? null : total(counts.map((count) => count ?? 0)),
    outputTokensPerSecond: median(all.map(({ outputTokensPerSecond }) => outputTokensPerSecond)),
    tokensPerRequest:
      lengths.length < all.length
        ? null
        : {
            avg: medianOf(lengths.map(({ avg }) => avg)),
            min: smallestOf(lengths.map(({ min }) => min)),
            max: largestOf(lengths.map(({ max }) => max)),
          },
    ...present({ promptTokens: first.promptTokens }),
    answersPerRequest: medianOf(all.map(({ answersPerRequest }) => answersPerRequest)),
    timeToFirstToken: mergedTimes(all.map(({ timeToFirstToken }) => timeToFirstToken)),
    interTokenLatency: mergedTimes(all.map(({ interTokenLatency }) => interTokenLatency)),
    timePerOutputToken: mergedTimes(all.map(({ timePerOutputToken }) => timePerOutputToken)),
    tokensPerSecondPerRequest:
      rates.length < all.length
        ? null
        : {
            avg: medianOf(rates.map(({ avg }) => avg)),
            p50: medianOf(rates.map(({ p50 }) => p50)),
            min: smallestOf(rates.map(({ min }) => min)),
          },
    stalledRequests: total(all.map(({ stalledRequests }) => stalledRequests)),
    emptyRequests: total(all.map(({ emptyRequests }) => emptyRequests)),
    ...(goodput === undefined ? {} : { goodput }),
  };
}

import { medianOf } from './median';
import type { LoadPoint, ResponseCache, Spread } from './results';

type Streaming = NonNullable<LoadPoint['streaming']>;

const median = (values: readonly (number | null)[]): number | null =>
  values.length === 0 || values.includes(null) ? null : medianOf(values.map((value) => value ?? NaN));

/** A value of each latency of a spread. */
export const eachLatency = <Value>(of: (name: keyof Spread) => Value): Record<keyof Spread, Value> => ({
  avgUs: of('avgUs'),
  p50Us: of('p50Us'),
  p90Us: of('p90Us'),
  p95Us: of('p95Us'),
  p99Us: of('p99Us'),
  maxUs: of('maxUs'),
});

function medianSpread(spreads: readonly (Spread | null)[]): Spread | null {
  const known = spreads.filter((spread) => spread !== null);
  if (known.length < spreads.length) return null;
  return eachLatency((name) => medianOf(known.map((spread) => spread[name])));
}

/** A bound of all measurements; null as soon as one does not tell. */
const bound = (values: readonly (number | null)[], of: (...values: number[]) => number): number | null =>
  values.includes(null) ? null : of(...values.map((value) => value ?? NaN));

function mergedStreaming(all: readonly [Streaming, ...Streaming[]]): Streaming {
  return {
    decoupled: all[0].decoupled,
    responsesPerRequest: median(all.map((one) => one.responsesPerRequest)),
    responsesPerSecond: medianOf(all.map((one) => one.responsesPerSecond)),
    fewestResponses: bound(
      all.map((one) => one.fewestResponses),
      Math.min,
    ),
    mostResponses: bound(
      all.map((one) => one.mostResponses),
      Math.max,
    ),
    firstResponse: medianSpread(all.map((one) => one.firstResponse)),
    interResponse: medianSpread(all.map((one) => one.interResponse)),
    finalResponse: medianSpread(all.map((one) => one.finalResponse)),
  };
}

const total = <Value>(all: readonly Value[], of: (one: Value) => number): number =>
  all.reduce((sum, one) => sum + of(one), 0);

const mergedCache = (all: readonly ResponseCache[]): ResponseCache => ({
  hitCount: total(all, (one) => one.hitCount),
  missCount: total(all, (one) => one.missCount),
  hitUs: median(all.filter(({ hitCount }) => hitCount > 0).map((one) => one.hitUs)),
  missUs: median(all.filter(({ missCount }) => missCount > 0).map((one) => one.missUs)),
});

/**
 * What only some levels have, of several measurements of one level: the medians of streams and sequences, the sums of what
 * the cache answered and of what was checked, so that a wrong response of any of them shows. What one measurement lacks is
 * left out of the result.
 */
export function mergedDetails(
  points: readonly LoadPoint[],
): Pick<LoadPoint, 'streaming' | 'sequences' | 'outputChecks' | 'sharedMemory' | 'cache'> {
  const [stream, ...streams] = points.flatMap(({ streaming }) => streaming ?? []);
  const checks = points.flatMap(({ outputChecks }) => outputChecks ?? []);
  const [sequence, ...sequences] = points.flatMap((point) => point.sequences ?? []);
  const [shared, ...others] = points.flatMap(({ sharedMemory }) => sharedMemory ?? []);
  const allShared = shared === undefined ? [] : [shared, ...others];
  const caches = points.flatMap(({ cache }) => cache ?? []);
  return {
    ...(caches.length === 0 ? {} : { cache: mergedCache(caches) }),
    ...(shared === undefined
      ? {}
      : {
          sharedMemory: {
            kind: shared.kind,
            checkedCount: total(allShared, (one) => one.checkedCount),
            wrongCount: total(allShared, (one) => one.wrongCount),
            repairs: total(allShared, (one) => one.repairs),
          },
        }),
    ...(stream === undefined ? {} : { streaming: mergedStreaming([stream, ...streams]) }),
    ...(sequence === undefined
      ? {}
      : {
          sequences: {
            ...sequence,
            endedPerSecond: median([sequence, ...sequences].map((one) => one.endedPerSecond)),
          },
        }),
    ...(checks.length === 0
      ? {}
      : {
          outputChecks: {
            checkedCount: total(checks, (one) => one.checkedCount),
            wrongCount: total(checks, (one) => one.wrongCount),
            comparedCount: total(checks, (one) => one.comparedCount),
            finite: checks.every((one) => one.finite),
          },
        }),
  };
}

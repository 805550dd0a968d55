import { largestOf, smallestOf } from '../statistics';

/** Time of a request outside queue and execution, microseconds. */
export interface Overhead {
  /** Of each request, whatever else is under way: network, server and load generator. */
  readonly fixedUs: number;
  /** Server and load generator pass answers on one after the other, those of an execution together. */
  readonly perAnswerUs: number;
}

/** What a level says of the overhead. */
export interface SeenOverhead {
  /** Mean latency without queue and execution. */
  readonly overheadUs: number;
  /** Answers that end at the same time: requests of a mean execution, at least 1. */
  readonly answersAtOnce: number;
  /** Their rows. */
  readonly rowsAtOnce: number;
  readonly requestsPerSecond: number;
}

const coarseSteps = 6;
const fineSteps = 2;
/** A share of the shortest time that the measured rates allow. */
const lowestShare = 0.02;

const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** The rest of the overhead, by the levels with the fewest rows at once. */
function fixedOf(seen: readonly SeenOverhead[], perAnswerUs: number): number {
  const fewest = smallestOf(seen.map(({ rowsAtOnce }) => rowsAtOnce));
  const calm = seen.filter(({ rowsAtOnce }) => rowsAtOnce <= 1.1 * fewest);
  const rest = calm.map(({ overheadUs, answersAtOnce }) => overheadUs - perAnswerUs * answersAtOnce);
  return Math.max(0, meanOf(rest));
}

/**
 * The split of the overhead with the least miss. More answers than one in `perAnswerUs` were measured at no level, so it is
 * sought up to there. Throws a RangeError without levels.
 * @param missOf how far the levels are from being found again, 0 or more; of one that reaches `most` no more has to be known
 */
export function fitOverhead(
  seen: readonly SeenOverhead[],
  missOf: (overhead: Overhead, most: number) => number,
): Overhead {
  if (seen.length === 0) throw new RangeError('No overhead was measured');
  const most = 1e6 / largestOf(seen.map(({ requestsPerSecond }) => requestsPerSecond));
  const tried = (perAnswerUs: number, mostMiss: number) => {
    const overhead = { fixedUs: fixedOf(seen, perAnswerUs), perAnswerUs };
    return { overhead, miss: missOf(overhead, mostMiss) };
  };
  const ratio = lowestShare ** (1 / (coarseSteps - 1));
  let best = tried(0, Infinity);
  const tryAll = (values: readonly number[]) => {
    for (const value of values) {
      const one = tried(value, best.miss);
      if (one.miss < best.miss) best = one;
    }
  };
  tryAll(Array.from({ length: coarseSteps }, (_unused, step) => most * ratio ** step));
  const { perAnswerUs } = best.overhead;
  if (perAnswerUs === 0) return best.overhead;
  const shares = Array.from(
    { length: fineSteps },
    (_unused, step) => ratio ** ((step + 1) / (fineSteps + 1)),
  );
  tryAll(shares.flatMap((share) => [perAnswerUs * share, Math.min(most, perAnswerUs / share)]));
  return best.overhead;
}

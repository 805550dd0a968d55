import { largestOf } from '../contract/extremes';
import { spreadInterval } from '../contract/student-t';

/**
 * Half width of the interval in which a long measurement lies in 95 of 100, from the values of consecutive parts of a
 * level: t times their standard deviation, and not divided by the root of their number. That division is for independent
 * parts. What changes a server's speed (clock, host, neighbours) lasts longer than a level, so that the means of whole levels
 * scatter as much as those of their parts: over 100 levels of 1.2 s 18 % and 17 %, against 5 % for independent parts, and
 * the divided interval held the long measurement in 40 of 100. null for fewer than three parts.
 */
export const partsInterval = (values: readonly number[]): number | null => spreadInterval(values);

/** Of fewer requests in a part, whether one more ends in it is most of its rate. */
const fewestRequests = 10;

/**
 * The interval of a level's throughput: the wider one of what its finer parts and its windows say. Where what changes a
 * server's speed lasts longer than a part, the parts of a level are alike, and their spread is that within one state of the
 * machine; the few windows, with their larger t, say more then. Where windows are alike by chance, the parts do.
 * @param blocks items a second in each of the finer parts; they count only where they hold enough requests in the mean.
 * @param windows the same of the coarser. @param requests of all.
 */
export function throughputInterval(
  blocks: readonly number[],
  windows: readonly number[],
  requests: number,
): number | null {
  const stated = [
    requests >= fewestRequests * blocks.length ? partsInterval(blocks) : null,
    partsInterval(windows),
  ].flatMap((interval) => interval ?? []);
  return stated.length === 0 ? null : largestOf(stated);
}

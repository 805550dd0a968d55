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
 * The interval of a level's throughput from the finest parts that hold enough requests in the mean, else from its windows.
 * @param blocks items a second in each of the finer parts. @param windows the same of the coarser. @param requests of all.
 */
export const throughputInterval = (
  blocks: readonly number[],
  windows: readonly number[],
  requests: number,
): number | null => partsInterval(requests >= fewestRequests * blocks.length ? blocks : windows);

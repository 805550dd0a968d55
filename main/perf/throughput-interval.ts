import { meanInterval } from '../contract/student-t';

/**
 * Half width of the 95 % interval of a mean from the means of consecutive blocks: single requests depend on each
 * other, and an interval from them claims far too much (performance.md 4). null for fewer than three blocks.
 */
export const blockInterval = (blockMeans: readonly number[]): number | null => meanInterval(blockMeans);

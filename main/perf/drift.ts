/** Fewer parts tell no trend. */
const fewestBlocks = 6;
/** 99 %, two-sided, of Student's t with 4 and with many degrees of freedom; between, the stricter one is taken. */
const slopeLimit = 4.604;
/** A smaller change over all of the time is no drift that matters. */
const smallestChange = 0.05;

/**
 * Whether a value goes one way over consecutive equal parts of time: the slope of the least-squares line is further from 0
 * than noise makes it in 99 of 100, and the line's change is more than 5 % of the mean.
 */
export function isDrifting(blocks: readonly number[]): boolean {
  const count = blocks.length;
  if (count < fewestBlocks) return false;
  const mean = blocks.reduce((sum, value) => sum + value, 0) / count;
  const middle = (count - 1) / 2;
  let products = 0;
  let squares = 0;
  for (const [index, value] of blocks.entries()) {
    products += (index - middle) * (value - mean);
    squares += (index - middle) ** 2;
  }
  const slope = products / squares;
  if (Math.abs(slope * (count - 1)) <= smallestChange * Math.abs(mean)) return false;
  const residuals = blocks.reduce(
    (sum, value, index) => sum + (value - mean - slope * (index - middle)) ** 2,
    0,
  );
  const deviation = Math.sqrt(residuals / (count - 2) / squares);
  return Math.abs(slope) > slopeLimit * deviation;
}

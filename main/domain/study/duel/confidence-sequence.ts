/** A mean with an interval that may be looked at after each value. */
export interface RunningInterval {
  /** Values so far. */
  readonly count: number;
  readonly mean: number;
  /** null: too few values tell nothing yet. */
  readonly half: number | null;
}

/** Share of sequences that at any time exclude their true mean, at most. */
const missShare = 0.05;
/** Variance of the effects, in units of the spread, that the test is mixed over. */
const effectVariance = 1;

/**
 * Half-width, in units of the root of the sum of squares around the mean. The t statistic t of n values rejects a mean where the likelihood ratio of effects mixed
 * over a normal distribution, (1 + n g)^(-1/2) ((1 + t²/ν) / (1 + t²/(ν (1 + n g))))^(n/2), reaches 1/α; that ratio is a
 * martingale under the mean, so that by Ville's inequality it does so at any n with probability α at most.
 */
function widthOf(count: number): number | null {
  const mixed = 1 + count * effectVariance;
  const bound = (mixed / missShare ** 2) ** (1 / count);
  if (count < 2 || bound >= mixed) return null;
  return Math.sqrt((bound - 1) / (1 - bound / mixed) / count);
}

/** By number of values: a sequence is asked for after each pair. */
const widths: (number | null)[] = [];

function knownWidth(count: number): number | null {
  const known = widths[count];
  if (known !== undefined) return known;
  const width = widthOf(count);
  widths[count] = width;
  return width;
}

/**
 * Confidence sequence of the mean of normal values of unknown spread, 95 %, after each value: all of them hold at once with
 * that probability, however often and whyever one stops (Lai 1976; Wang and Ramdas, "Anytime-valid t-tests and confidence
 * sequences for Gaussian means with unknown variance", Sequential Analysis 44, 2025). Pure.
 */
export function confidenceSequence(values: readonly number[]): readonly RunningInterval[] {
  let [mean, squares] = [0, 0];
  return values.map((value, at) => {
    const count = at + 1;
    const before = value - mean;
    mean += before / count;
    squares += before * (value - mean);
    const width = knownWidth(count);
    return { count, mean, half: width === null ? null : width * Math.sqrt(squares) };
  });
}

import { formatMeasured, missing } from '../numbers';
import { largestOf, smallestOf } from '../statistics';
import type { AlignedLevel, ComparedFigures, ComparedValue } from './compare-levels';

/** What a ratio to the baseline means; `unknown`: one of the two has no interval. */
type Meaning = 'better' | 'worse' | 'same' | 'unknown';

/** Higher is better for throughput, lower for latency. Pure. */
export function meaningOf({ ratio, withinNoise }: ComparedValue, higherIsBetter: boolean): Meaning | null {
  if (ratio === null) return null;
  if (withinNoise === null) return 'unknown';
  if (withinNoise) return 'same';
  return ratio > 1 === higherIsBetter ? 'better' : 'worse';
}

const ratioText = (ratio: number): string => `×${formatMeasured(ratio)}`;

/** "×2.55 ↑ worse": the ratio, which way, and whether that is good. Pure. */
export function ratioWords({ ratio }: ComparedValue, meaning: Meaning | null): string {
  if (ratio === null || meaning === null) return missing;
  const arrow = ratio > 1 ? '↑' : '↓';
  if (meaning === 'same') return `${ratioText(ratio)} ≈ noise`;
  return meaning === 'unknown' ? `${ratioText(ratio)} ${arrow}` : `${ratioText(ratio)} ${arrow} ${meaning}`;
}

function rangeText(ratios: readonly number[]): string {
  const low = ratioText(smallestOf(ratios));
  const high = ratioText(largestOf(ratios));
  return low === high ? low : `${low} to ${high}`;
}

/** One value over all levels in words, without the name of the run. */
function summary(values: readonly ComparedValue[], what: string, higherIsBetter: boolean): string {
  const known = values.filter((value) => value.ratio !== null);
  const of = (meaning: Meaning) => known.filter((value) => meaningOf(value, higherIsBetter) === meaning);
  if (known.length === 0) return `${what} has no common level`;
  if (of('unknown').length === known.length) return `${what} has no known noise`;
  const parts = (['better', 'worse'] as const).flatMap((meaning) => {
    const ratios = of(meaning).flatMap(({ ratio }) => ratio ?? []);
    return ratios.length === 0
      ? []
      : [`${meaning} at ${ratios.length} of ${known.length} levels (${rangeText(ratios)})`];
  });
  if (parts.length > 0) return `${what} is ${parts.join(' and ')}`;
  const unknown = of('unknown').length;
  const rest = unknown === 0 ? '' : `; the noise is unknown at ${unknown} of ${known.length} levels`;
  return `${what} does not differ beyond noise${rest}`;
}

/** How one side compares with the other over all levels, by the 95 % intervals of both. Pure. */
export function comparisonSentence(
  name: string,
  baseline: string,
  figures: readonly ComparedFigures[],
): string {
  const throughput = figures.map((one) => one.throughput);
  const p99 = figures.flatMap(({ p99Ms }) => p99Ms ?? []);
  const compared = [...throughput, ...p99].filter((value) => value.ratio !== null);
  if (compared.length > 0 && compared.every((value) => value.withinNoise === true)) {
    return `${name}: no difference from ${baseline} beyond noise.`;
  }
  return `${name}: ${summary(throughput, 'throughput', true)}; ${summary(p99, 'p99 latency', false)}.`;
}

/** A sentence per run. @param names of all runs, the baseline first */
export function comparisonSentences(
  levels: readonly AlignedLevel[],
  names: readonly string[],
): readonly string[] {
  const [baseline = ''] = names;
  return names.slice(1).map((name, index) =>
    comparisonSentence(
      name,
      baseline,
      levels.flatMap((level) => level.runs[index + 1] ?? []),
    ),
  );
}

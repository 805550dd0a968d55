import { WorkbenchError } from '../../contract/errors';
import { formatMeasured, missing } from '../../contract/numbers';
import type { Sweep } from '../../contract/run/sweep';
import { largestOf, smallestOf } from '../statistics';
import type {
  AlignedLevel,
  ComparedFigures,
  ComparedPair,
  ComparedSweep,
  ComparedValue,
} from './compare-levels';

const criterionPattern = /^\s*(throughput|p99)\s*([<>])\s*(\d+(?:\.\d+)?)\s*x\s*$/;

/** "p99>1.1x": fails where the second run's ratio to the first exceeds the factor. */
export interface Criterion {
  readonly text: string;
  readonly metric: 'throughput' | 'p99';
  readonly operator: '<' | '>';
  readonly factor: number;
}

export function parseCriterion(text: string): Criterion {
  const [, metric, operator, factor] = criterionPattern.exec(text) ?? [];
  if (metric === undefined || Number(factor) === 0) {
    throw new WorkbenchError('input-invalid', `"${text}" is not a criterion`, {
      where: '--fail-if',
      remedy:
        'Use for example "p99>1.1x" or "throughput<0.95x": metric, < or >, and a factor of the first run.',
    });
  }
  return {
    text: text.replaceAll(/\s/g, ''),
    metric: metric as Criterion['metric'],
    operator: operator as Criterion['operator'],
    factor: Number(factor),
  };
}

export type Outcome = 'within' | 'outside' | 'unclear';

/**
 * Why a level is not judged: failed requests or wrong responses; no interval; the factor lies within the ratio's
 * interval; or an unsteady level with windows on both sides of the factor.
 */
type UnclearReason =
  'first-faulty' | 'second-faulty' | 'noise-unknown' | 'noise-larger' | 'first-unsteady' | 'second-unsteady';

export interface JudgedLevel {
  readonly criterion: Criterion;
  readonly sweep: Sweep;
  readonly level: number;
  readonly batchSize: number;
  readonly ratio: number;
  /** Half-width of the ratio's 95 % interval; null where one run has no interval. */
  readonly interval: number | null;
  readonly steady: boolean;
  readonly outcome: Outcome;
  /** null where it is judged. */
  readonly unclear: UnclearReason | null;
}

/** Half-width of the 95 % interval of own / first: relative widths add as squares. */
function ratioInterval(own: ComparedValue, first: ComparedValue): number | null {
  if (own.ratio === null || own.interval === null || first.interval === null) return null;
  return own.ratio * Math.hypot(own.interval / own.value, first.interval / first.value);
}

/** All windows of both levels are on the ratio's side of the factor, so that a repetition would agree. */
function isBeyondAnyWindow(
  ratio: number,
  factor: number,
  { range: first }: ComparedValue,
  { range: own }: ComparedValue,
): boolean {
  if (first === null || first === undefined || own === null || own === undefined || first.low <= 0)
    return false;
  return ratio > factor ? own.low / first.high > factor : own.high / first.low < factor;
}

/** Steadiness matters only where the ratio is close to the factor. */
function judgedBy(
  { operator, factor }: Criterion,
  { ratio, interval, steady }: Pick<JudgedLevel, 'ratio' | 'interval' | 'steady'>,
  first: ComparedValue,
  own: ComparedValue,
): Pick<JudgedLevel, 'outcome' | 'unclear'> {
  const unclear = (why: UnclearReason) => ({ outcome: 'unclear', unclear: why }) as const;
  if (first.faulty) return unclear('first-faulty');
  if (own.faulty) return unclear('second-faulty');
  if (interval === null) return unclear('noise-unknown');
  if (Math.abs(ratio - factor) <= interval) return unclear('noise-larger');
  if (!steady && !isBeyondAnyWindow(ratio, factor, first, own)) {
    return unclear(first.steady ? 'second-unsteady' : 'first-unsteady');
  }
  const isOutside = operator === '>' ? ratio > factor : ratio < factor;
  return { outcome: isOutside ? 'outside' : 'within', unclear: null };
}

function judgeLevel(
  criterion: Criterion,
  sweep: Sweep,
  { level, batchSize, first, second }: ComparedPair,
): readonly JudgedLevel[] {
  const of = (figures: ComparedFigures | null) =>
    (criterion.metric === 'p99' ? figures?.p99Ms : figures?.throughput) ?? null;
  const [before, own] = [of(first), of(second)];
  if (before === null || own === null || own.ratio === null) return [];
  const facts = { ratio: own.ratio, interval: ratioInterval(own, before), steady: own.steady };
  return [{ criterion, sweep, level, batchSize, ...facts, ...judgedBy(criterion, facts, before, own) }];
}

export const judgeComparison = (
  sweeps: readonly ComparedSweep[],
  criteria: readonly Criterion[],
): readonly JudgedLevel[] =>
  sweeps.flatMap(({ sweep, pairs }) =>
    criteria.flatMap((criterion) => pairs.flatMap((pair) => judgeLevel(criterion, sweep, pair))),
  );

/** One level outside fails; without a common level the outcome is unclear. */
export function outcomeOfAll(judged: readonly JudgedLevel[]): Outcome {
  if (judged.some(({ outcome }) => outcome === 'outside')) return 'outside';
  const isClear = judged.length > 0 && judged.every(({ outcome }) => outcome === 'within');
  return isClear ? 'within' : 'unclear';
}

const unclearText: Readonly<Record<UnclearReason, string>> = {
  'first-faulty': 'the level has errors in A',
  'second-faulty': 'the level has errors in B',
  'noise-unknown': 'the noise of one of the runs is unknown',
  'noise-larger': 'the noise is larger than the distance to the limit',
  'first-unsteady': 'the level is not steady in A',
  'second-unsteady': 'the level is not steady in B',
};

export const outcomeText = ({ outcome, unclear }: Pick<JudgedLevel, 'outcome' | 'unclear'>): string =>
  unclear === null ? outcome : `cannot be judged: ${unclearText[unclear]}`;

/** "1.23 ± 0.04". */
export const ratioText = ({ ratio, interval }: Pick<JudgedLevel, 'ratio' | 'interval'>): string =>
  interval === null ? `×${formatMeasured(ratio)}` : `×${formatMeasured(ratio)} ± ${formatMeasured(interval)}`;

/**
 * Meaning of a ratio to the baseline. `unknown`: one has no interval; `unsteady`: a level is not steady; `faulty`: too many
 * failed requests or wrong responses.
 */
type Meaning = 'better' | 'worse' | 'same' | 'unknown' | 'unsteady' | 'faulty';

/** Higher is better for throughput, lower for latency. */
export function meaningOf(
  { ratio, withinNoise, steady, faulty }: ComparedValue,
  higherIsBetter: boolean,
): Meaning | null {
  if (ratio === null) return null;
  if (faulty) return 'faulty';
  if (!steady) return 'unsteady';
  if (withinNoise === null) return 'unknown';
  if (withinNoise) return 'same';
  return ratio > 1 === higherIsBetter ? 'better' : 'worse';
}

const timesText = (ratio: number): string => `×${formatMeasured(ratio)}`;

/** "×2.55 ↑ worse". */
export function ratioWords({ ratio }: ComparedValue, meaning: Meaning | null): string {
  if (ratio === null || meaning === null) return missing;
  const arrow = ratio > 1 ? '↑' : '↓';
  if (meaning === 'same') return `${timesText(ratio)} ≈ noise`;
  if (meaning === 'unsteady') return `${timesText(ratio)} ${arrow} not steady`;
  if (meaning === 'faulty') return `${timesText(ratio)} ${arrow} errors`;
  return meaning === 'unknown' ? `${timesText(ratio)} ${arrow}` : `${timesText(ratio)} ${arrow} ${meaning}`;
}

function rangeText(ratios: readonly number[]): string {
  const low = timesText(smallestOf(ratios));
  const high = timesText(largestOf(ratios));
  return low === high ? low : `${low} to ${high}`;
}

/** One value over all levels in words, without the run's name. */
function summary(values: readonly ComparedValue[], what: string, higherIsBetter: boolean): string {
  const known = values.filter((value) => value.ratio !== null);
  const of = (meaning: Meaning) => known.filter((value) => meaningOf(value, higherIsBetter) === meaning);
  const at = (count: number) =>
    known.length === 1 ? 'at the common level' : `at ${count} of ${known.length} levels`;
  if (known.length === 0) return `${what} has no common level`;
  if (of('unknown').length === known.length) return `${what} has no known noise`;
  if (of('faulty').length === known.length) return `${what} has no level without errors in both`;
  if (of('unsteady').length === known.length) return `${what} has no level that is steady in both`;
  const parts = (['better', 'worse'] as const).flatMap((meaning) => {
    const ratios = of(meaning).flatMap(({ ratio }) => ratio ?? []);
    return ratios.length === 0 ? [] : [`${meaning} ${at(ratios.length)} (${rangeText(ratios)})`];
  });
  const [unknown, unsteady, faulty] = [of('unknown').length, of('unsteady').length, of('faulty').length];
  const errors = faulty === 0 ? '' : `, and has errors ${at(faulty)}`;
  const open = `${unsteady === 0 ? '' : `, and is not steady ${at(unsteady)}`}${errors}`;
  if (parts.length > 0) return `${what} is ${parts.join(' and ')}${open}`;
  const rest = unknown === 0 ? '' : `, with unknown noise ${at(unknown)}`;
  return `${what} does not differ beyond noise${rest}${open}`;
}

export function comparisonSentence(
  name: string,
  baseline: string,
  figures: readonly ComparedFigures[],
): string {
  const throughput = figures.map((one) => one.throughput);
  const p99 = figures.flatMap(({ p99Ms }) => p99Ms ?? []);
  const compared = [...throughput, ...p99].filter((value) => value.ratio !== null);
  if (
    compared.length > 0 &&
    compared.every((value) => value.steady && !value.faulty && value.withinNoise === true)
  ) {
    return `${name}: no difference from ${baseline} beyond noise.`;
  }
  return `${name}: ${summary(throughput, 'throughput', true)}; ${summary(p99, 'p99 latency', false)}.`;
}

/** One sentence per run. @param names of all runs, the baseline first */
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

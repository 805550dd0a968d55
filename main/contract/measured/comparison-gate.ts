import { WorkbenchError } from '../errors';
import { formatMeasured } from '../numbers';
import { scenarios } from '../run/run-events';
import type { RunState } from '../run/run-state';
import { type Sweep, sweepOfLevel } from '../run/sweep';
import { type AlignedLevel, type ComparedValue, compareLevels } from './compare-levels';
import { shownScenario } from './repeats';

const criterionPattern = /^\s*(throughput|p99)\s*([<>])\s*(\d+(?:\.\d+)?)\s*x\s*$/;

/** "p99>1.1x": fails where the ratio of the second run to the first is beyond the factor. */
export interface Criterion {
  readonly text: string;
  readonly metric: 'throughput' | 'p99';
  readonly operator: '<' | '>';
  readonly factor: number;
}

/** Throws input-invalid. */
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

/** `unclear`: the noise of the two measurements is larger than the distance to the factor, or not known. */
export type Outcome = 'within' | 'outside' | 'unclear';

export interface JudgedLevel {
  readonly criterion: Criterion;
  readonly sweep: Sweep;
  readonly level: number;
  readonly batchSize: number;
  readonly ratio: number;
  /** Half width of the ratio's 95 % interval; null where one of the two has no interval. */
  readonly interval: number | null;
  readonly outcome: Outcome;
}

/** Half width of the 95 % interval of own / first, from those of both: relative widths add up as squares. */
function ratioInterval(own: ComparedValue, first: ComparedValue): number | null {
  if (own.ratio === null || own.interval === null || first.interval === null) return null;
  return own.ratio * Math.hypot(own.interval / own.value, first.interval / first.value);
}

function outcomeOf({ operator, factor }: Criterion, ratio: number, interval: number | null): Outcome {
  if (interval === null) return 'unclear';
  const beyond = operator === '>' ? ratio - factor : factor - ratio;
  if (Math.abs(beyond) <= interval) return 'unclear';
  return beyond > 0 ? 'outside' : 'within';
}

function judgeLevel(criterion: Criterion, sweep: Sweep, row: AlignedLevel): readonly JudgedLevel[] {
  const [first, own] = row.runs;
  if (first === undefined || own === undefined || first === null || own === null) return [];
  const of = (run: typeof own) => (criterion.metric === 'p99' ? run.p99Ms : run.throughput);
  const { ratio } = of(own);
  if (ratio === null) return [];
  const interval = ratioInterval(of(own), of(first));
  const { level, batchSize } = row;
  return [
    { criterion, sweep, level, batchSize, ratio, interval, outcome: outcomeOf(criterion, ratio, interval) },
  ];
}

/** The sweeps that a run has levels of. */
export const sweepsOf = (state: RunState): readonly Sweep[] => [
  ...new Set(
    scenarios.flatMap((scenario) =>
      shownScenario(state, scenario).points.map(({ point }) => sweepOfLevel(scenario, point)),
    ),
  ),
];

/** Each criterion at each level that both runs have measured. Pure. */
export function judgeComparison(
  first: RunState,
  second: RunState,
  criteria: readonly Criterion[],
): readonly JudgedLevel[] {
  return sweepsOf(first).flatMap((sweep) => {
    const levels = compareLevels([first, second], sweep);
    return criteria.flatMap((criterion) => levels.flatMap((row) => judgeLevel(criterion, sweep, row)));
  });
}

/** One level outside is enough; without a common level nothing can be told. Pure. */
export function outcomeOfAll(judged: readonly JudgedLevel[]): Outcome {
  if (judged.some(({ outcome }) => outcome === 'outside')) return 'outside';
  const isClear = judged.length > 0 && judged.every(({ outcome }) => outcome === 'within');
  return isClear ? 'within' : 'unclear';
}

/** "1.23 ± 0.04". */
export const ratioText = ({ ratio, interval }: Pick<JudgedLevel, 'ratio' | 'interval'>): string =>
  interval === null ? `×${formatMeasured(ratio)}` : `×${formatMeasured(ratio)} ± ${formatMeasured(interval)}`;

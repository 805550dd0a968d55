import type { DuelStrategy } from '../../../contract/study/duel';
import type { Look } from '../../../contract/study/search';
import { type Criterion, parseCriterion } from '../../measured/comparison-gate';
import { confidenceSequence, type RunningInterval } from './confidence-sequence';

/** Ratios of the second side to the first that are as far from 1 as this are no difference worth a name. */
export const sameWithin = 0.03;

interface Pair {
  readonly first: Look;
  readonly second: Look;
}

type Metric = Criterion['metric'];

/** `outside` and `within`: of a criterion. `higher`, `lower` and `same`: where there is none. */
export type DuelOutcome = 'outside' | 'within' | 'higher' | 'lower' | 'same' | 'unclear';

/** A question with what the pairs say of it. */
export interface JudgedQuestion {
  /** The criterion as typed; null: whether the sides differ. */
  readonly criterion: string | null;
  readonly metric: Metric;
  readonly outcome: DuelOutcome;
  /** Of the second side to the first, when it was told, else now; null: not known yet. */
  readonly ratio: number | null;
  /** 95 %, valid whenever one looks; null: too few pairs. */
  readonly low: number | null;
  readonly high: number | null;
  /** Pairs that it rests on. */
  readonly pairs: number;
}

/** What an interval of the logarithm of the ratio says; null: not told yet. */
type Tell = (low: number, high: number) => DuelOutcome | null;

const byCriterion =
  ({ operator, factor }: Criterion): Tell =>
  (low, high) => {
    const limit = Math.log(factor);
    if (low > limit) return operator === '>' ? 'outside' : 'within';
    if (high < limit) return operator === '<' ? 'outside' : 'within';
    return null;
  };

const byDifference: Tell = (low, high) => {
  if (low > 0) return 'higher';
  if (high < 0) return 'lower';
  return high - low <= 2 * Math.log(1 + sameWithin) ? 'same' : null;
};

/** What pairs of looks are to tell. */
export interface Question {
  readonly criterion: string | null;
  readonly metric: Metric;
  readonly tell: Tell;
}

/** Whether they differ at all. */
export const differenceOf = (metric: Metric): Question => ({ criterion: null, metric, tell: byDifference });

/** Throws input-invalid. */
export function criterionOf(text: string): Question {
  const criterion = parseCriterion(text);
  return { criterion: criterion.text, metric: criterion.metric, tell: byCriterion(criterion) };
}

/** Requests at a rate are answered at that rate: what differs is the latency. */
const usualMetric = ({ sides: [first] }: DuelStrategy): Metric =>
  'requestRate' in first.level ? 'p99' : 'throughput';

const questionsOf = (duel: DuelStrategy): readonly Question[] =>
  duel.criteria.length === 0 ? [differenceOf(usualMetric(duel))] : duel.criteria.map(criterionOf);

const least = 1e-9;
const valueOf = (metric: Metric, look: Look): number =>
  Math.log(Math.max(least, metric === 'p99' ? look.latencyUs : look.inferencesPerSecond));

function judged({ criterion, metric, tell }: Question, sequence: readonly RunningInterval[]): JudgedQuestion {
  const told = ({ mean, half }: RunningInterval) => (half === null ? null : tell(mean - half, mean + half));
  // What was told stays told: all intervals of the sequence hold at once.
  const at = sequence.find((one) => told(one) !== null) ?? sequence.at(-1);
  return {
    ...{ criterion, metric, pairs: at?.count ?? 0 },
    outcome: (at === undefined ? null : told(at)) ?? 'unclear',
    ratio: at === undefined ? null : Math.exp(at.mean),
    low: at === undefined || at.half === null ? null : Math.exp(at.mean - at.half),
    high: at === undefined || at.half === null ? null : Math.exp(at.mean + at.half),
  };
}

/** Each question by the pairs so far. Pure. */
export const judgedAll = (
  questions: readonly Question[],
  pairs: readonly Pair[],
): readonly JudgedQuestion[] =>
  questions.map((question) => {
    const { metric } = question;
    const logs = pairs.map(({ first, second }) => valueOf(metric, second) - valueOf(metric, first));
    return judged(question, confidenceSequence(logs));
  });

/** Each question by the pairs so far, in the order in which they were asked. Throws input-invalid. Pure. */
export const judgedOf = (duel: DuelStrategy, pairs: readonly Pair[]): readonly JudgedQuestion[] =>
  judgedAll(questionsOf(duel), pairs);

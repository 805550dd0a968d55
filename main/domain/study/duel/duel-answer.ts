import { formatFixed, formatRate } from '../../../contract/numbers';
import type { DuelLevel, DuelStrategy } from '../../../contract/study/duel';
import type { Searched, ServedPlace } from '../../../contract/study/search';
import { levelText } from '../../../contract/words';
import type { Outcome } from '../../measured/comparison-gate';
import { medianOf } from '../../statistics';
import { elsewhereText } from '../place-text';
import { faultySide, pairsOf, secondsOf } from './duel-rounds';
import { judgedOf, type JudgedQuestion, sameWithin } from './judge-duel';

/** A side with its medians. */
export interface DuelRow {
  /** A is what B is compared with. */
  readonly side: 'A' | 'B';
  readonly title: string;
  readonly level: string;
  readonly inferencesPerSecond: number | null;
  readonly p99Us: number | null;
  readonly looks: number;
  readonly errors: number;
  /** Why it cannot be measured. */
  readonly reason: string | null;
}

/** What a comparison in turns comes to. */
export interface DuelAnswer {
  readonly judged: readonly JudgedQuestion[];
  /** Of the criteria; null: there are none. */
  readonly outcome: Outcome | null;
  /** Each question is answered. */
  readonly isTold: boolean;
  readonly rows: readonly [DuelRow, DuelRow];
  readonly seconds: number;
  /** Where it was served last; null: not known. */
  readonly place: ServedPlace | null;
  readonly sentence: string;
}

export const duelLevelText = (level: DuelLevel): string =>
  'concurrency' in level
    ? levelText(level)
    : `batch size ${level.batchSize}, ${formatRate(level.requestRate)} requests/s with Poisson arrivals`;

const metricText = { throughput: 'throughput', p99: 'p99 latency' } as const;
const times = (value: number | null): string => (value === null ? '' : formatFixed(value, 2));

/** "×0.99 (0.97 to 1.02) after 12 pairs" */
export const ratioText = ({ ratio, low, high, pairs }: JudgedQuestion): string => {
  if (ratio === null) return 'not measured yet';
  const interval = low === null ? 'interval not known yet' : `${times(low)} to ${times(high)}`;
  return `×${times(ratio)} (${interval}) after ${pairs} ${pairs === 1 ? 'pair' : 'pairs'}`;
};

/** "throughput<0.93x: within, ×0.99 (0.97 to 1.02) after 12 pairs", without a full stop. */
function questionText(question: JudgedQuestion, [a, b]: readonly [DuelRow, DuelRow]): string {
  const { criterion, metric, outcome } = question;
  const ratio = ratioText(question);
  if (criterion !== null)
    return `${criterion}: ${outcome === 'unclear' ? 'inconclusive' : outcome}, ${ratio}`;
  const what = `${metricText[metric]} of ${b.title}`;
  if (outcome === 'same') {
    return `No difference: the ${what} is that of ${a.title} to within ${formatFixed(100 * sameWithin, 0)} %, ${ratio}`;
  }
  return outcome === 'unclear'
    ? `Within the noise: the ${what} does not differ measurably from that of ${a.title}, ${ratio}`
    : `The ${what} is ${outcome} than that of ${a.title}, ${ratio}`;
}

/** What the looks at a side came to. */
export function sideFigures(
  { looks, failed }: Searched,
  number: 1 | 2,
): Pick<DuelRow, 'side' | 'inferencesPerSecond' | 'p99Us' | 'looks' | 'errors' | 'reason'> {
  const own = looks.filter(({ candidate }) => candidate === number);
  const median = (values: readonly number[]) => (values.length === 0 ? null : medianOf(values));
  return {
    ...{ side: number === 1 ? 'A' : 'B', looks: own.length },
    inferencesPerSecond: median(own.map(({ inferencesPerSecond }) => inferencesPerSecond)),
    p99Us: median(own.map(({ latencyUs }) => latencyUs)),
    errors: own.reduce((sum, { errorCount }) => sum + errorCount, 0),
    reason: failed[number]?.message ?? null,
  };
}

function rowOf(duel: DuelStrategy, searched: Searched, number: 1 | 2): DuelRow {
  const { title, level } = duel.sides[number - 1] as DuelStrategy['sides'][number];
  return { title, level: duelLevelText(level), ...sideFigures(searched, number) };
}

function outcomeOf(duel: DuelStrategy, judged: readonly JudgedQuestion[], isSound: boolean): Outcome | null {
  if (duel.criteria.length === 0) return null;
  if (!isSound) return 'unclear';
  if (judged.some(({ outcome }) => outcome === 'outside')) return 'outside';
  return judged.every(({ outcome }) => outcome === 'within') ? 'within' : 'unclear';
}

function troubleText(rows: readonly [DuelRow, DuelRow], faulty: 1 | 2 | null): string | null {
  const failed = rows.find(({ reason }) => reason !== null);
  if (failed !== undefined) return `${failed.title} could not be measured: ${failed.reason ?? ''}`;
  const side = faulty === null ? undefined : rows[faulty - 1];
  return side === undefined
    ? null
    : `Cannot be judged: more requests of ${side.title} failed than permitted (${side.errors})`;
}

/** What is known so far, in words and figures. Pure. */
export function duelAnswer(duel: DuelStrategy, searched: Searched): DuelAnswer {
  const judged = judgedOf(duel, pairsOf(searched));
  const rows = [rowOf(duel, searched, 1), rowOf(duel, searched, 2)] as const;
  const trouble = troubleText(rows, faultySide(duel, searched));
  const isSound = trouble === null;
  const { place = null } = searched;
  const elsewhere = elsewhereText(place);
  const at = elsewhere === '' ? '' : `, measured${elsewhere}`;
  return {
    ...{ judged, rows, seconds: secondsOf(searched), place },
    outcome: outcomeOf(duel, judged, isSound),
    isTold: isSound && judged.every(({ outcome }) => outcome !== 'unclear'),
    sentence: trouble ?? `${judged.map((one) => questionText(one, rows)).join('; ')}${at}`,
  };
}

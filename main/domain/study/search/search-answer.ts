import { formatMs, formatRate, formatTyped } from '../../../contract/numbers';
import type { Look, Searched, SearchStrategy } from '../../../contract/study/search';
import { medianOf } from '../../statistics';
import { type Arm, batchSizeOf, rateOf, stepsOf } from './arms';
import { candidateText } from './candidates';
import { isCutShort, pairedRatio, type Ratio, secondsOf, type Standing, standingOf } from './next-looks';

/** What a candidate came to. */
export interface SearchRow {
  readonly candidate: number;
  /** "model instances 2": what it does otherwise than the present one. */
  readonly text: string;
  readonly state: 'best' | 'equal' | 'measured' | 'holds no load' | 'cannot win' | 'failed' | 'not measured';
  /** Why it failed. */
  readonly reason: string | null;
  /** Requests under way, or requests/s, that it holds within the target; null: none. */
  readonly load: number | null;
  /** At that load. */
  readonly inferencesPerSecond: number | null;
  /** Median of the looks at that load, microseconds. */
  readonly latencyUs: number | null;
  readonly looks: number;
}

/** What a search comes to. */
export interface SearchAnswer {
  /** null: no candidate holds any load within the target. */
  readonly winner: SearchRow | null;
  readonly present: SearchRow;
  /** What the winner gives of what the present one gives; null: not compared, or the winner is the present one. */
  readonly gain: Ratio | null;
  /** The interval of the gain has 1 in it. */
  readonly isWithinNoise: boolean;
  /** Others that cannot be told from the winner. */
  readonly equal: readonly SearchRow[];
  /** It ended by its budget before each candidate was judged. */
  readonly isCutShort: boolean;
  readonly isConfirmed: boolean;
  readonly seconds: number;
  /** The best first. */
  readonly rows: readonly SearchRow[];
  readonly sentence: string;
}

const looksAt = (search: SearchStrategy, { looks }: Searched, { candidate, best }: Arm): readonly Look[] =>
  stepsOf(search, looks, candidate).find(({ step }) => step === best)?.looks ?? [];

const loadOf = ({ load }: SearchStrategy, step: number): number =>
  load.kind === 'open' ? rateOf(step) : (load.concurrency[step] ?? 0);

function textOf(candidates: SearchStrategy['candidates'], number: number): string {
  const [present, own] = [candidates[0], candidates[number - 1]];
  return present === undefined || own === undefined ? '' : candidateText(present, own);
}

function rowOf(search: SearchStrategy, searched: Searched, standing: Standing, candidate: number): SearchRow {
  const { candidates } = search;
  const arm = standing.ranked.find((one) => one.candidate === candidate);
  const error = searched.failed[candidate];
  const own = searched.looks.filter((look) => look.candidate === candidate);
  const at = arm === undefined ? [] : looksAt(search, searched, arm);
  const state = (): SearchRow['state'] => {
    if (error !== undefined) return 'failed';
    if (own.length === 0) return 'not measured';
    if (standing.winner?.candidate === candidate) return 'best';
    if (standing.equal.some((one) => one.candidate === candidate)) return 'equal';
    if (arm === undefined) return own.some(({ phase }) => phase === 'edge') ? 'holds no load' : 'cannot win';
    return arm.isSettled ? 'measured' : 'cannot win';
  };
  return {
    candidate,
    text: textOf(candidates, candidate),
    state: state(),
    reason: error?.message ?? null,
    load: arm?.best === undefined || arm.best === null ? null : loadOf(search, arm.best),
    inferencesPerSecond: arm?.value ?? null,
    latencyUs: at.length === 0 ? null : medianOf(at.map(({ latencyUs }) => latencyUs)),
    looks: own.length,
  };
}

/** Of rates the interval is that of the steps: what each held, and what it did not. */
function rateGain(search: SearchStrategy, winner: Arm, present: Arm): Ratio {
  const at = ({ candidate }: Arm, step: number) => rateOf(step) * batchSizeOf(search, candidate);
  const next = (arm: Arm) => at(arm, arm.beyond ?? (arm.best ?? 0) + 1);
  const held = (arm: Arm) => at(arm, arm.best ?? 0);
  return {
    ratio: held(winner) / held(present),
    low: held(winner) / next(present),
    high: next(winner) / held(present),
  };
}

function gainOf(search: SearchStrategy, searched: Searched, { winner, ranked }: Standing): Ratio | null {
  const present = ranked.find(({ candidate }) => candidate === 1);
  if (winner === null || present === undefined || winner.candidate === 1) return null;
  return search.load.kind === 'open'
    ? rateGain(search, winner, present)
    : pairedRatio(searched, [winner, present], 'confirm');
}

const latencyName = ({ target }: SearchStrategy): string =>
  `p${target.percentile} ${formatMs(target.latencyUs)} ms`;

/** "2,400 requests/s", "2,400 inferences/s at concurrency 8". */
function amountText(search: SearchStrategy, row: SearchRow): string {
  if (search.load.kind === 'open') {
    const isVaried = search.candidates[row.candidate - 1]?.batchSize !== undefined;
    const inferences = isVaried ? ` (${formatRate(row.inferencesPerSecond)} inferences/s)` : '';
    return `${formatRate(row.load)} requests/s${inferences}`;
  }
  return `${formatRate(row.inferencesPerSecond)} inferences/s at concurrency ${formatTyped(row.load)}`;
}

const upperFirst = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
const times = (value: number): string => value.toFixed(2);

function gainText(gain: Ratio | null, isWithinNoise: boolean, isHeldByPresent: boolean): string {
  if (gain === null) {
    return isHeldByPresent ? '' : '. The present configuration holds no load within the target';
  }
  const interval = `${times(gain.ratio)} × the present configuration (${times(gain.low)} to ${times(gain.high)})`;
  return isWithinNoise ? `, ${interval}: within the noise` : `, ${interval}`;
}

function sentenceOf(search: SearchStrategy, answer: Omit<SearchAnswer, 'sentence'>): string {
  const { winner, present, gain, isWithinNoise, equal } = answer;
  const { candidates } = search;
  const failed = answer.rows.filter(({ state }) => state === 'failed');
  if (failed.length === candidates.length) {
    return `None of the ${candidates.length} configurations could be measured: ${failed[0]?.reason ?? ''}`;
  }
  if (winner === null) return `No configuration holds any load within ${latencyName(search)}`;
  const amount = `${amountText(search, winner)} within ${latencyName(search)}`;
  const others =
    equal.length === 0 ? '' : `. ${equal.length} more cannot be told from it; this is the simplest`;
  if (winner.candidate === 1) {
    return `The present configuration is the best of ${search.candidates.length}: ${amount}${others}`;
  }
  const isHeld = present.load !== null;
  return `${upperFirst(winner.text)}: ${amount}${gainText(gain, isWithinNoise, isHeld)}${others}`;
}

const order: readonly SearchRow['state'][] = [
  ...(['best', 'equal', 'measured', 'cannot win', 'holds no load', 'not measured', 'failed'] as const),
];

/** What is known so far, in words and figures. Pure. */
export function searchAnswer(search: SearchStrategy, searched: Searched): SearchAnswer {
  const standing = standingOf(search, searched);
  const all = search.candidates.map((_one, at) => rowOf(search, searched, standing, at + 1));
  const rows = all.toSorted(
    (one, other) =>
      order.indexOf(one.state) - order.indexOf(other.state) ||
      (other.inferencesPerSecond ?? 0) - (one.inferencesPerSecond ?? 0),
  );
  const winner = all.find(({ state }) => state === 'best') ?? null;
  const gain = gainOf(search, searched, standing);
  const answer = {
    winner,
    present: all[0] as SearchRow,
    gain,
    isWithinNoise: gain !== null && gain.low <= 1,
    equal: all.filter(({ state }) => state === 'equal'),
    isCutShort: isCutShort(search, searched),
    isConfirmed: searched.looks.some(
      ({ phase, candidate }) => phase === 'confirm' && candidate === winner?.candidate,
    ),
    seconds: secondsOf(searched),
    rows,
  };
  return { ...answer, sentence: sentenceOf(search, answer) };
}

import { formatMeasured, formatMs, formatRate, formatTyped } from '../../../contract/numbers';
import type { SearchStrategy, ServedPlace } from '../../../contract/study/search';
import { elsewhereText } from '../place-text';
import type { Ratio } from './next-looks';
import { isLatencySearch } from './objective';
import { speedText } from './replay-load';

/** What is said of a candidate. */
interface SaidRow {
  readonly candidate: number;
  readonly text: string;
  readonly state: string;
  readonly reason: string | null;
  readonly load: number | null;
  readonly inferencesPerSecond: number | null;
  readonly latencyUs: number | null;
  readonly costPerMillion: number | null;
}

/** A load, requests/s or under way, and the median of the looks at it. */
export interface LowestLatency {
  readonly load: number;
  /** The percentile of the target, microseconds. */
  readonly latencyUs: number;
}

interface SaidAnswer {
  readonly winner: SaidRow | null;
  readonly present: SaidRow;
  readonly gain: Ratio | null;
  readonly isWithinNoise: boolean;
  readonly equal: readonly unknown[];
  readonly lowest: LowestLatency | null;
  readonly rows: readonly SaidRow[];
  /** Absent or null: not known. */
  readonly place?: ServedPlace | null;
}

/** "p99 20.00 ms": the target; null: the latency is the objective, and none was given. */
const targetText = ({ target }: SearchStrategy): string | null =>
  target.latencyUs === null ? null : `p${target.percentile} ${formatMs(target.latencyUs)} ms`;

const withinText = (search: SearchStrategy): string => {
  const target = targetText(search);
  return target === null ? '' : ` within ${target}`;
};

/** "2,400 requests/s within p99 20.00 ms", "p99 8.20 ms at 500 requests/s". */
export function amountText(search: SearchStrategy, row: SaidRow): string {
  const { load, target, candidates } = search;
  const isVaried = candidates[row.candidate - 1]?.batchSize !== undefined;
  const inferences = isVaried ? ` (${formatRate(row.inferencesPerSecond)} inferences/s)` : '';
  const speed = speedText(search, row.load);
  const rate = `${formatRate(row.load)} requests/s${inferences}${speed === null ? '' : ` (${speed})`}`;
  if (isLatencySearch(search)) {
    return `p${target.percentile} ${formatMs(row.latencyUs)} ms at ${rate}${withinText(search)}`;
  }
  const held =
    load.kind === 'open'
      ? rate
      : `${formatRate(row.inferencesPerSecond)} inferences/s at concurrency ${formatTyped(row.load)}`;
  return `${held}${withinText(search)}`;
}

/** ", 0.29 per million inferences at full use (present configuration 0.43)". */
function costText({ costPerMillion }: SaidRow, present: SaidRow | null): string {
  if (costPerMillion === null) return '';
  const beside =
    present === null || present.costPerMillion === null
      ? ''
      : ` (present configuration ${formatMeasured(present.costPerMillion)})`;
  return `, ${formatMeasured(costPerMillion)} per million inferences at full use${beside}`;
}

const upperFirst = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
const times = (value: number): string => value.toFixed(2);

/** Why the present one is not compared. */
function unlikeText(search: SearchStrategy, { state, reason, load }: SaidRow): string {
  if (state === 'over memory') return `. The present configuration is over memory: ${reason ?? ''}`;
  if (load !== null) return '';
  if (state === 'failed') return `. The present configuration could not be measured: ${reason ?? ''}`;
  if (state !== 'holds no load') return '. The present configuration was not taken to its limit';
  return search.target.latencyUs === null
    ? '. The present configuration does not hold the rate'
    : '. The present configuration holds no load within the target';
}

function gainText(search: SearchStrategy, { gain, isWithinNoise, present }: SaidAnswer): string {
  if (gain === null) return unlikeText(search, present);
  const of = isLatencySearch(search) ? `that of the present configuration` : 'the present configuration';
  const interval = `, ${ratioText(gain, of)}`;
  return isWithinNoise ? `${interval}: within the noise` : interval;
}

const ratioText = ({ ratio, low, high }: Ratio, of: string): string =>
  `${times(ratio)} × ${of} (${times(low)} to ${times(high)})`;

/** How far the target is away. */
function lowestText({ load, target }: SearchStrategy, lowest: LowestLatency | null): string {
  const isMissed = lowest !== null && target.latencyUs !== null && lowest.latencyUs > target.latencyUs;
  if (!isMissed) return '';
  const at =
    load.kind === 'open'
      ? `${formatRate(lowest.load)} requests/s`
      : `concurrency ${formatTyped(lowest.load)}`;
  return `; the lowest p${target.percentile} that was measured is ${formatMs(lowest.latencyUs)} ms, at ${at}`;
}

function noneText(search: SearchStrategy, { rows, lowest }: SaidAnswer): string {
  const failed = rows.filter(({ state }) => state === 'failed');
  const over = rows.filter(({ state }) => state === 'over memory');
  const all = rows.length;
  if (failed.length === all) {
    return `None of the ${all} configurations could be measured: ${failed[0]?.reason ?? ''}`;
  }
  if (over.length > 0 && over.length + failed.length === all) {
    return `No configuration is within the memory: ${over[0]?.reason ?? ''} (${over[0]?.text ?? ''})`;
  }
  if (rows.every(({ state }) => state === 'not measured')) return 'No configuration was measured';
  const { load } = search;
  const what =
    load.kind === 'open' && load.rate !== undefined ? `${formatRate(load.rate)} requests/s` : 'any load';
  if (rows.some(({ state }) => state === 'not judged')) {
    return `No load${withinText(search)} was found; not every configuration was judged${lowestText(search, lowest)}`;
  }
  return `No configuration holds ${what}${withinText(search)}${lowestText(search, lowest)}`;
}

/** What is best so far: what was not found or not taken to its limit yet does not count. Pure. */
export function searchSentenceSoFar(search: SearchStrategy, answer: SaidAnswer): string {
  const { winner, rows, present } = answer;
  const isOpen = rows.some(({ state }) => state !== 'failed' && state !== 'over memory');
  if (winner === null && isOpen) {
    return `No configuration has held a load yet${elsewhereText(answer.place ?? null)}`;
  }
  const isUnlike = answer.gain === null && present.load === null;
  return isUnlike && winner !== null
    ? `${upperFirst(winner.text)}: ${amountText(search, winner)}${elsewhereText(answer.place ?? null)}`
    : searchSentence(search, answer);
}

/** The answer first: what is best, by how much, and how sure that is. Pure. */
export function searchSentence(search: SearchStrategy, answer: SaidAnswer): string {
  const { winner, present, equal } = answer;
  const at = elsewhereText(answer.place ?? null);
  if (winner === null) return `${noneText(search, answer)}${at}`;
  const others =
    equal.length === 0
      ? ''
      : `. ${equal.length} more ${equal.length === 1 ? 'is' : 'are'} equal within the noise; this is the simplest`;
  const amount = `${amountText(search, winner)}${at}`;
  if (winner.candidate === present.candidate) {
    const text = `The present configuration is the best of ${search.candidates.length}`;
    return `${text}: ${amount}${costText(winner, null)}${others}`;
  }
  const gain = `${costText(winner, present)}${gainText(search, answer)}`;
  return `${upperFirst(winner.text)}: ${amount}${gain}${others}`;
}

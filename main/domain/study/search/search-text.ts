import { formatMs, formatRate, formatTyped, missing } from '../../../contract/numbers';
import type { LookPhase, Searched, SearchStrategy } from '../../../contract/study/search';
import type { KeyFigure } from '../../measured/key-figures';
import { armOf, isPromise, rateOf } from './arms';
import { fixedTexts } from './candidates';
import { nextLooks, secondsOf } from './next-looks';
import { isLatencySearch } from './objective';
import type { SearchAnswer, SearchRow } from './search-answer';
import { amountText } from './search-sentence';

/** What is measured. */
export const phaseText: Readonly<Record<LookPhase, string>> = {
  screen: 'full load',
  edge: 'search for the limit',
  race: 'best ones',
  confirm: 'comparison',
  turn: 'in turns',
};

/** "Present configuration: 1,200 requests/s at p99 18.20 ms"; null: it is the best one, or holds no load. Pure. */
export function presentText(search: SearchStrategy, { winner, present }: SearchAnswer): string | null {
  if (winner === null || winner.candidate === present.candidate || present.load === null) return null;
  return `Present configuration: ${amountText(search, present)}`;
}

const ladderSteps = (count: number): string => (count === 1 ? 'one step of 5 %' : `${count} steps of 5 %`);

/**
 * Why the answer lies below the end of the front: what may be promised is less than what is held for a moment. null: it
 * does not, or no rate is promised. Pure.
 */
export function promisedBelowText(
  search: SearchStrategy,
  searched: Searched,
  { winner }: SearchAnswer,
): string | null {
  if (winner === null || !isPromise(search)) return null;
  const { best, highest } = armOf(search, searched, winner.candidate);
  if (best === null || highest === null || best >= highest) return null;
  return `The star is the rate that may be promised, ${formatRate(rateOf(best))} requests/s: ${ladderSteps(highest - best)} below ${formatRate(rateOf(highest))} requests/s, the highest that was held for a moment.`;
}

/** Those that failed, once per reason. */
function failedLines(rows: readonly SearchRow[]): readonly string[] {
  const byReason = new Map<string, SearchRow[]>();
  for (const row of rows) {
    const reason = row.reason ?? '';
    if (row.state === 'failed') byReason.set(reason, [...(byReason.get(reason) ?? []), row]);
  }
  return [...byReason].map(
    ([reason, of]) => `Could not be measured: ${of.map(({ text }) => text).join('; ')} (${reason})`,
  );
}

const overMemoryLines = (rows: readonly SearchRow[]): readonly string[] =>
  rows.flatMap(({ state, text, reason }) =>
    state === 'over memory' ? [`Not compared: ${text} (${reason ?? ''})`] : [],
  );

/** More names than that are in the table. */
const mostNamed = 4;

function unmeasuredLine(rows: readonly SearchRow[]): readonly string[] {
  const left = rows.filter(({ state }) => state === 'not measured');
  if (left.length === 0) return [];
  const named = left.slice(0, mostNamed).map(({ text }) => text);
  const more = left.length - named.length;
  return [`Not measured: ${named.join('; ')}${more === 0 ? '' : `; and ${more} more`}`];
}

/** What a longer search would judge, and how to start one; null: all was judged. Pure. */
export function unjudgedText({ budgetS }: SearchStrategy, { rows }: SearchAnswer): string | null {
  const unjudged = rows.filter(({ state }) => state === 'not judged').length;
  if (unjudged === 0) return null;
  return `Not judged within ${Math.round(budgetS)} s under load: ${unjudged} of ${rows.length} configurations. Search again with a longer maximum time under load to judge them`;
}

/** What a search did not try, and why, a sentence each without its full stop. Pure. */
export function untriedLines(search: SearchStrategy, answer: SearchAnswer): readonly string[] {
  const { rows } = answer;
  const fixed = fixedTexts(search.candidates);
  const short = rows.filter(({ state }) => state === 'cannot win').length;
  const unjudged = unjudgedText(search, answer);
  return [
    ...(fixed.length === 0 ? [] : [`Not varied: ${fixed.join(', ')}`]),
    ...unmeasuredLine(rows),
    ...(short === 0
      ? []
      : [
          `Not loaded to the limit, because they can no longer win: ${short} of ${rows.length} configurations`,
        ]),
    ...(unjudged === null ? [] : [unjudged]),
    ...overMemoryLines(rows),
    ...failedLines(rows),
  ];
}

/** "31 of 60 s of load, 12 of 19 configurations measured; now: best ones". Pure. */
export function progressText(search: SearchStrategy, searched: Searched): string {
  const { looks, failed } = searched;
  const seen = new Set([...looks.map(({ candidate }) => candidate), ...Object.keys(failed).map(Number)]);
  const spent = `${Math.round(secondsOf(searched))} of ${Math.round(search.budgetS)} s of load`;
  const now = nextLooks(search, searched)[0]?.phase;
  return `${spent}, ${seen.size} of ${search.candidates.length} configurations measured${now === undefined ? '' : `; now: ${phaseText[now]}`}`;
}

function noLoadText({ state }: SearchRow, isRunning: boolean): string {
  if (state === 'holds no load') return 'holds no load within the target';
  if (state === 'failed') return 'not measured';
  return `${state === 'not measured' ? state : 'not taken to its limit'}${isRunning ? ' yet' : ''}`;
}

function amountFigure(
  search: SearchStrategy,
  row: SearchRow,
  { label, isRunning }: { readonly label: string; readonly isRunning: boolean },
): KeyFigure {
  const isOpen = search.load.kind === 'open';
  if (isLatencySearch(search)) {
    const note = row.load === null ? 'does not hold the rate' : `at ${formatRate(row.load)} requests/s`;
    return { label, value: formatMs(row.latencyUs), unit: `ms p${search.target.percentile}`, note };
  }
  const value = formatRate(isOpen ? row.load : row.inferencesPerSecond);
  const latency = `p${search.target.percentile} ${formatMs(row.latencyUs)} ms`;
  const at = isOpen ? latency : `${latency} at concurrency ${formatTyped(row.load)}`;
  return {
    ...{ label, value, unit: isOpen ? 'requests/s' : 'inferences/s' },
    note: row.load === null ? noLoadText(row, isRunning) : at,
  };
}

const bestLabel = 'Best configuration';

const twoPlaces = (value: number): string => value.toFixed(2);

function gainFigure({ gain, isWithinNoise }: SearchAnswer, isRunning: boolean): KeyFigure {
  const label = 'Relative to the present one';
  if (gain === null) {
    return { label, value: missing, unit: '', note: isRunning ? 'not compared yet' : 'not compared' };
  }
  const interval = `${twoPlaces(gain.low)} to ${twoPlaces(gain.high)}`;
  const note = isWithinNoise ? `${interval}: within the noise` : interval;
  return { label, value: twoPlaces(gain.ratio), unit: '×', note };
}

/**
 * The best configuration, the present one beside it, and what it took. `isRunning`: what is not known yet has its place
 * already. Pure.
 */
export function searchFigures(
  search: SearchStrategy,
  answer: SearchAnswer,
  isRunning = false,
): readonly KeyFigure[] {
  const { winner, present, rows, seconds } = answer;
  const isPresent = winner?.candidate === present.candidate;
  const hasBest = winner === null ? isRunning : !isPresent;
  const measured = rows.filter(({ state }) => state !== 'not measured').length;
  const best =
    winner === null
      ? { label: bestLabel, value: missing, unit: '', note: 'none yet' }
      : amountFigure(search, winner, { label: bestLabel, isRunning });
  return [
    ...(hasBest ? [best] : []),
    amountFigure(search, present, {
      label: isPresent ? 'Best: the present configuration' : 'Present configuration',
      isRunning,
    }),
    ...(hasBest ? [gainFigure(answer, isRunning)] : []),
    {
      ...{ label: 'Load', value: String(Math.round(seconds)), unit: 's' },
      note: `of ${Math.round(search.budgetS)} s; ${measured} of ${rows.length} configurations measured`,
    },
  ];
}

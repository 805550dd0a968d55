import type { LookLoad, LookPhase, Searched, SearchStrategy } from '../../../contract/study/search';
import { meanInterval } from '../../statistics';
import {
  type Arm,
  armOf,
  batchSizeOf,
  doubtfulRate,
  isPromise,
  loadAt,
  nextStep,
  potentialOf,
  promisedCandidate,
  stepsOf,
} from './arms';
import { changedFields } from './candidates';
import { type Guesses, noGuesses } from './guess';
import { isAdmitted, isLatencySearch, speedOf } from './objective';

/** A measurement to make. */
export interface DueLook {
  readonly candidate: number;
  readonly phase: LookPhase;
  readonly load: LookLoad;
  readonly ms: number;
  /** Earlier looks of this candidate at this load: each has Poisson times of its own. Absent: none. */
  readonly repeat?: number;
  /** Of several models: the others, which are under load at the same time. */
  readonly beside?: readonly { readonly candidate: number; readonly load: LookLoad }[];
}

/** Candidates beside the best one in a round. */
const width = 3;
/** Rounds of a race: fewer tell no interval, more are not worth their time. */
const raceRounds = { fewest: 3, most: 8 } as const;
/** Within this share of the best one a candidate can still turn out to be as good. */
const nearShare = 0.9;
/** A percentile of a short look varies more than a throughput. */
const nearLatencyShare = 0.7;
const nearShareOf = (search: SearchStrategy): number =>
  isLatencySearch(search) ? nearLatencyShare : nearShare;
/** Below this share of the best one it is not called equal, however wide its interval. */
const equalShare = 0.97;
const equalLatencyShare = 0.9;
const equalShareOf = (search: SearchStrategy): number =>
  isLatencySearch(search) ? equalLatencyShare : equalShare;
/** A simpler one is the answer in place of the best one where it is known to give this share of it. */
const safeShare = 0.95;
/** The last comparison. */
export const confirmRounds = 5;
/** A best one that does not hold at full length what it held for a moment goes a step down, so often at most. */
export const mostConfirms = 4;

export const secondsOf = ({ looks }: Searched): number =>
  looks.reduce((sum, { seconds }) => sum + seconds, 0);

const presentCandidate = 1;

/** What the last comparison takes, seconds. */
export const confirmSeconds = ({ fullMs }: SearchStrategy): number => (2 * confirmRounds * fullMs) / 1000;

/** Of it for rates: one that is not held at full length is given up for a lower one. */
const openReserve = 1.4;
/** A small budget is not kept for the comparison of what was not found. */
const mostReserved = 1 / 2;
function reserve(search: SearchStrategy): number {
  const whole = confirmSeconds(search) * (isPromise(search) ? openReserve : 1);
  const screening = (search.candidates.length * search.lookMs) / 1000;
  return Math.min(whole, Math.max(0, mostReserved * (search.budgetS - screening)));
}

/** How far two candidates differ: logarithm of the ratio of their looks of a phase, round by round. */
function pairedRatios(
  search: SearchStrategy,
  { looks }: Searched,
  [one, other]: readonly [Arm, Arm],
  phase: LookPhase,
): readonly number[] {
  const valuesOf = (arm: Arm) =>
    looks
      .filter((look) => look.candidate === arm.candidate && look.phase === phase)
      .map(({ inferencesPerSecond, latencyUs }) =>
        isLatencySearch(search) ? speedOf(latencyUs) : inferencesPerSecond,
      );
  const [a, b] = [valuesOf(one), valuesOf(other)];
  return a
    .slice(0, b.length)
    .map((value, at) => Math.log(Math.max(value, 1e-9) / Math.max(b[at] ?? 0, 1e-9)));
}

/** A ratio with its 95 % interval; null for fewer than three pairs. */
export interface Ratio {
  readonly ratio: number;
  readonly low: number;
  readonly high: number;
}

export function ratioOf(logs: readonly number[]): Ratio | null {
  const half = meanInterval(logs);
  if (half === null) return null;
  const mean = logs.reduce((sum, one) => sum + one, 0) / logs.length;
  return { ratio: Math.exp(mean), low: Math.exp(mean - half), high: Math.exp(mean + half) };
}

/** How two candidates differ in the looks of a phase, round by round: in throughput, or in how fast they answer. */
export const pairedRatio = (
  search: SearchStrategy,
  searched: Searched,
  pair: readonly [Arm, Arm],
  phase: LookPhase,
): Ratio | null => ratioOf(pairedRatios(search, searched, pair, phase));

/** Close to the present one, fewer instances, no wait: what is easier to run, and to explain. */
function complexityOf({ candidates }: SearchStrategy, number: number): number {
  const [present, own] = [candidates[0], candidates[number - 1]];
  if (present === undefined || own === undefined) return 0;
  const changes = changedFields(present, own).length;
  return changes * 1e4 + own.instances * 100 + (own.maxQueueDelayUs > 0 ? 10 : 0) + own.maxBatchSize / 1e4;
}

/** Candidates by what they come to. */
export interface Standing {
  /** The best first; without those that failed or hold no load. */
  readonly ranked: readonly Arm[];
  /** The best, and those that cannot be told from it. */
  readonly equal: readonly Arm[];
  /** Of `equal` the simplest; null: none holds the target. */
  readonly winner: Arm | null;
  /** Those that may give more than the best one, and were not taken to their limit. */
  readonly unjudged: readonly Arm[];
}

const isIn = (arms: readonly Arm[], { candidate }: Arm): boolean =>
  arms.some((arm) => arm.candidate === candidate);

/** Those that race with the best one. */
function contendersOf(search: SearchStrategy, ranked: readonly Arm[]): readonly Arm[] {
  const [leader] = ranked;
  if (leader === undefined) return [];
  const share = nearShareOf(search);
  return ranked.filter(({ value }) => value >= share * leader.value).slice(0, width + 1);
}

/** As good as the best one as far as the looks tell. @param share of the best one that it gives at least */
function isEqual(
  search: SearchStrategy,
  searched: Searched,
  [arm, leader]: readonly [Arm, Arm],
  share: number,
): boolean {
  if (arm.candidate === leader.candidate) return true;
  // Rates are compared by the load that was held: a step is what can be told.
  if (search.load.kind === 'open' && !isLatencySearch(search)) return arm.value >= equalShare * leader.value;
  const ratio = pairedRatio(search, searched, [arm, leader], 'race');
  return ratio !== null && ratio.high >= 1 && ratio.ratio >= share;
}

/** That it gives nearly as much is known, not only not refuted. */
function isSafe(search: SearchStrategy, searched: Searched, [arm, leader]: readonly [Arm, Arm]): boolean {
  if (search.load.kind === 'open' || arm.candidate === leader.candidate) return true;
  return (pairedRatio(search, searched, [arm, leader], 'race')?.low ?? 0) >= safeShare;
}

const armsOf = (search: SearchStrategy, searched: Searched): readonly Arm[] =>
  search.candidates
    .map((_candidate, at) => at + 1)
    .filter((candidate) => isAdmitted(search, searched, candidate))
    .map((candidate) => armOf(search, searched, candidate));

/** The best one of those that were taken to their limit. */
const leaderOf = (arms: readonly Arm[]): Arm | null =>
  arms
    .filter(({ isSettled, best }) => isSettled && best !== null)
    .toSorted((one, other) => other.value - one.value)[0] ?? null;

function unjudgedOf(search: SearchStrategy, arms: readonly Arm[]): readonly Arm[] {
  const toBeat = leaderOf(arms)?.value ?? 0;
  return arms.filter((arm) => !arm.isSettled && potentialOf(search, arm) > toBeat);
}

/** What is known so far. Pure. */
export function standingOf(search: SearchStrategy, searched: Searched): Standing {
  const arms = armsOf(search, searched);
  const unjudged = unjudgedOf(search, arms);
  const ranked = arms.filter(({ best }) => best !== null).toSorted((one, other) => other.value - one.value);
  const [leader] = ranked;
  if (leader === undefined) return { ranked, equal: [], winner: null, unjudged };
  const equal = contendersOf(search, ranked).filter((arm) =>
    isEqual(search, searched, [arm, leader], equalShareOf(search)),
  );
  const complexity = ({ candidate }: Arm) => complexityOf(search, candidate);
  const [simplest = leader] = equal
    .filter((arm) => isSafe(search, searched, [arm, leader]))
    .toSorted((one, other) => complexity(one) - complexity(other) || one.candidate - other.candidate);
  // What is promised is held by long looks at one candidate: they are not begun again with another.
  const promised = isPromise(search) ? promisedCandidate(searched.looks) : null;
  const winner = ranked.find(({ candidate }) => candidate === promised) ?? simplest;
  return { ranked, equal, winner, unjudged };
}

/** A look at the best load of a candidate. */
function atBest(search: SearchStrategy, { candidate, best }: Arm, phase: LookPhase, ms: number): DueLook[] {
  const load = best === null ? null : loadAt(search, best);
  return load === null ? [] : [{ candidate, phase, load, ms }];
}

/** Enough under way that no instance waits for a request. */
function screenLoad(search: SearchStrategy, candidate: number): LookLoad {
  const { candidates, load } = search;
  if (load.kind === 'closed') return { concurrency: load.concurrency.at(-1) ?? 1 };
  if (load.rate !== undefined) return { requestRate: load.rate };
  const { instances = 1, maxBatchSize = 1 } = candidates[candidate - 1] ?? {};
  const requests = Math.ceil((2 * instances * Math.max(1, maxBatchSize)) / batchSizeOf(search, candidate));
  return { concurrency: Math.min(64, Math.max(4, requests)) };
}

function screen(search: SearchStrategy, arms: readonly Arm[]): readonly DueLook[] {
  return arms
    .filter(({ ceiling }) => ceiling === null)
    .map(({ candidate }) => ({
      ...{ candidate, phase: 'screen', load: screenLoad(search, candidate), ms: search.lookMs },
    }));
}

/** The next loads of those that may still be better than the best one, beside it. */
function edges(
  search: SearchStrategy,
  arms: readonly Arm[],
  guesses: Guesses = noGuesses,
): readonly DueLook[] {
  const { lookMs } = search;
  const leader = leaderOf(arms);
  const promiseOf = (arm: Arm): number =>
    Math.min(potentialOf(search, arm), guesses(arm.candidate)?.inferencesPerSecond ?? Infinity);
  const challengers = unjudgedOf(search, arms)
    .toSorted((one, other) => promiseOf(other) - promiseOf(one))
    // Until one is settled there is nothing that the others could be held against.
    .slice(0, leader === null ? 1 : width);
  const due = challengers.flatMap((arm): DueLook[] => {
    const next = loadAt(search, nextStep(search, arm, leader, guesses(arm.candidate)?.step ?? null));
    return next === null ? [] : [{ candidate: arm.candidate, phase: 'edge', load: next, ms: lookMs }];
  });
  return due.length === 0 || leader === null ? due : [...atBest(search, leader, 'edge', lookMs), ...due];
}

/** The rate that the best one did not hold: where it does after all, it is taken further. */
function doubtful(search: SearchStrategy, { looks }: Searched, arms: readonly Arm[]): readonly DueLook[] {
  const leader = leaderOf(arms);
  const load = leader === null ? null : doubtfulRate(search, looks, leader);
  if (leader === null || load === null) return [];
  return [{ candidate: leader.candidate, phase: 'edge', load, ms: search.lookMs }];
}

/** Where nothing is left to win: the present one is what the best one is compared with, whatever it gives. */
function present(search: SearchStrategy, arms: readonly Arm[]): readonly DueLook[] {
  return arms.flatMap((arm): DueLook[] => {
    if (arm.candidate !== presentCandidate || arm.isSettled) return [];
    const next = loadAt(search, nextStep(search, arm, null));
    return next === null ? [] : [{ candidate: arm.candidate, phase: 'edge', load: next, ms: search.lookMs }];
  });
}

/** One round more of those that are as good as the best one so far. */
function race(search: SearchStrategy, searched: Searched, ranked: readonly Arm[]): readonly DueLook[] {
  const contenders = contendersOf(search, ranked);
  const [leader] = contenders;
  if (leader === undefined || contenders.length < 2) return [];
  const roundsOf = ({ candidate }: Arm) =>
    searched.looks.filter((look) => look.candidate === candidate && look.phase === 'race').length;
  const left = contenders.filter((arm) => {
    if (roundsOf(arm) < raceRounds.fewest) return true;
    return roundsOf(arm) < raceRounds.most && isEqual(search, searched, [arm, leader], nearShareOf(search));
  });
  const isOver = left.every(({ candidate }) => candidate === leader.candidate);
  return isOver ? [] : left.flatMap((arm) => atBest(search, arm, 'race', search.lookMs));
}

/** The best one and the present configuration, in turns. */
function confirm(search: SearchStrategy, searched: Searched): readonly DueLook[] {
  const { winner, ranked } = standingOf(search, searched);
  if (winner === null) return [];
  const present = ranked.find(({ candidate }) => candidate === presentCandidate);
  const compared = present === undefined || isIn([winner], present) ? [winner] : [winner, present];
  const confirmsOf = ({ candidate, best }: Arm) =>
    stepsOf(search, searched.looks, candidate)
      .filter(({ step }) => step === best)
      .flatMap(({ looks }) => looks)
      .filter(({ phase }) => phase === 'confirm').length;
  const all = searched.looks.filter(({ phase }) => phase === 'confirm').length;
  if (all >= mostConfirms * compared.length * confirmRounds) return [];
  return compared
    .filter((arm) => confirmsOf(arm) < confirmRounds)
    .flatMap((arm) => atBest(search, arm, 'confirm', search.fullMs));
}

/**
 * What to measure next, one round, in this order; none: the search is at its end. Short looks for all at first, then only
 * for those that can still win, and in the end the best one and the present one at full length. Pure: a search that was
 * cut off goes on from its looks.
 * @param guesses order the candidates and say where to look first; what wins is measured
 */
export function nextLooks(
  search: SearchStrategy,
  searched: Searched,
  guesses: Guesses = noGuesses,
): readonly DueLook[] {
  const arms = armsOf(search, searched);
  const left = search.budgetS - secondsOf(searched);
  const fits = (looks: readonly DueLook[], reserve: number) =>
    looks.reduce((sum, { ms }) => sum + ms / 1000, 0) <= left - reserve;
  const rounds = [
    () => screen(search, arms),
    () => edges(search, arms, guesses),
    () => doubtful(search, searched, arms),
    () => present(search, arms),
    () => race(search, searched, standingOf(search, searched).ranked),
  ];
  for (const round of rounds) {
    const looks = round();
    if (looks.length === 0) continue;
    if (fits(looks, reserve(search))) return looks;
    // The rest of the budget is for the last comparison.
    break;
  }
  const last = confirm(search, searched);
  if (fits(last, 0)) return last;
  // What the best one holds matters more than the comparison.
  const own = last.slice(0, 1);
  return fits(own, 0) ? own : [];
}

/** Whether it ended before every candidate could be judged. */
export function isCutShort(search: SearchStrategy, searched: Searched): boolean {
  const arms = armsOf(search, searched);
  return screen(search, arms).length > 0 || edges(search, arms).length > 0;
}

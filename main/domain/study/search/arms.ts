import type { Look, LookLoad, Searched, SearchStrategy } from '../../../contract/study/search';
import { largestOf, medianOf } from '../../statistics';
import { isLatencySearch, speedOf } from './objective';
import { replayIn } from './replay-load';

/** What is known of one candidate. */
export interface Arm {
  readonly candidate: number;
  /** Throughput when it is never idle, inferences/s; null: not measured. */
  readonly ceiling: number | null;
  /** Ladder step of the load that it holds and gives the most at; of rates the one that may be promised. null: none so far. */
  readonly best: number | null;
  /** Highest step that it holds, below any that it does not; null: none so far. */
  readonly highest: number | null;
  /** Lowest step that it does not hold; null: none so far. */
  readonly beyond: number | null;
  /** Inferences/s at `best`, or how often its latency goes into a second where that is the objective; 0 without. */
  readonly value: number;
  /** No step is left that could raise `value`. */
  readonly isSettled: boolean;
}

/** Two rates of the ladder differ by 5 %. */
const rateStep = 1.05;

const threeDigits = (value: number): number => Number(value.toPrecision(3));

/** Inferences of a request; of a trace whose requests differ, in the mean. */
export const batchSizeOf = (search: SearchStrategy, candidate: number): number =>
  search.candidates[candidate - 1]?.batchSize ??
  replayIn(search)?.read.meanBatchSize ??
  search.load.batchSize;

export const rateOf = (step: number): number => threeDigits(rateStep ** step);
export const stepOfRate = (rate: number): number => Math.floor(Math.log(rate) / Math.log(rateStep) + 1e-9);

/** The rate of a step; where only one is asked for, that one. */
export const rateAt = ({ load }: SearchStrategy, step: number): number =>
  load.kind === 'open' ? (load.rate ?? rateOf(step)) : 0;

/** The loads that a candidate is tried at, by steps: the list of concurrencies, or rates without an end. */
export function loadAt(search: SearchStrategy, step: number): LookLoad | null {
  const { load } = search;
  if (load.kind === 'open') return { requestRate: rateAt(search, step) };
  const concurrency = load.concurrency[step];
  return concurrency === undefined ? null : { concurrency };
}

/** null: not on the ladder, as the closed load that precedes a search over rates. */
export function stepOf({ load }: Pick<SearchStrategy, 'load'>, look: Look): number | null {
  if (load.kind === 'open' && load.rate !== undefined) return 'requestRate' in look.load ? 0 : null;
  if ('requestRate' in look.load) return Math.round(Math.log(look.load.requestRate) / Math.log(rateStep));
  if (load.kind === 'open') return null;
  const at = load.concurrency.indexOf(look.load.concurrency);
  return at < 0 ? null : at;
}

/** Of requests that were due, the share that has to be answered for a rate to be held. */
const heldShare = 0.97;

/** Several looks at one load. */
export interface Step {
  readonly step: number;
  readonly looks: readonly Look[];
  readonly held: boolean;
  /** Mean of the looks, inferences/s. */
  readonly inferencesPerSecond: number;
}

/** Whether so much of a rate was answered, beyond the chance of a Poisson process. */
export function keepsRate(looks: readonly Look[], requestRate: number, batchSize: number): boolean {
  const answered = looks.filter(({ inferencesPerSecond }) => inferencesPerSecond > 0);
  const windowS = answered.reduce(
    (sum, { requestCount, inferencesPerSecond }) => sum + (requestCount * batchSize) / inferencesPerSecond,
    0,
  );
  const wanted = requestRate * windowS;
  const requests = answered.reduce((sum, { requestCount }) => sum + requestCount, 0);
  return requests > 0 && requests >= heldShare * wanted - 2 * Math.sqrt(wanted);
}

function isHeld(search: SearchStrategy, candidate: number, step: number, looks: readonly Look[]): boolean {
  const { load, target } = search;
  const requests = looks.reduce((sum, { requestCount }) => sum + requestCount, 0);
  const errors = looks.reduce((sum, { errorCount }) => sum + errorCount, 0);
  const isKept =
    load.kind === 'closed' ||
    // All requests of a trace are sent, and one that waited for others counts from when it was due.
    load.replay !== undefined ||
    keepsRate(looks, rateAt(search, step), batchSizeOf(search, candidate));
  const failedPercent = (100 * errors) / Math.max(1, requests + errors);
  return (
    requests > 0 &&
    isKept &&
    !looks.some(({ overSaturated }) => overSaturated === true) &&
    failedPercent <= target.errorPercentage &&
    medianOf(looks.map(({ latencyUs }) => latencyUs)) <= (target.latencyUs ?? Infinity)
  );
}

const meanRate = (looks: readonly Look[]): number =>
  looks.reduce((sum, { inferencesPerSecond }) => sum + inferencesPerSecond, 0) / Math.max(1, looks.length);

/** The loads of the ladder that a candidate was measured at, ascending. */
export function stepsOf(search: SearchStrategy, looks: readonly Look[], candidate: number): readonly Step[] {
  const found = new Map<number, Look[]>();
  for (const look of looks) {
    const step = look.candidate === candidate ? stepOf(search, look) : null;
    if (step !== null) found.set(step, [...(found.get(step) ?? []), look]);
  }
  return [...found]
    .toSorted(([one], [other]) => one - other)
    .map(([step, own]) => ({
      ...{ step, looks: own, held: isHeld(search, candidate, step, own) },
      inferencesPerSecond: meanRate(own),
    }));
}

/** Below this share of what it gives at most, a rate is no answer. */
const lowestShare = 0.02;

const lowestStep = (search: SearchStrategy, candidate: number, ceiling: number): number =>
  stepCount(search) < Infinity ? 0 : stepOfRate((lowestShare * ceiling) / batchSizeOf(search, candidate));

/** Loads of the ladder; rates have no end. */
function stepCount({ load }: SearchStrategy): number {
  if (load.kind === 'closed') return load.concurrency.length;
  return load.rate === undefined ? Infinity : 1;
}

/** A step that missed the target by so little is looked at again, so often in all. */
const doubtful = { share: 1.5, looks: 3 } as const;

/** One look tells little where the latency is near the target: a moment in which the machine was held up is not an edge. */
const isDoubtful = ({ target }: SearchStrategy, { looks, held }: Step): boolean =>
  !held &&
  looks.length < doubtful.looks &&
  medianOf(looks.map(({ latencyUs }) => latencyUs)) <= doubtful.share * (target.latencyUs ?? Infinity);

interface Edge extends Pick<Arm, 'highest' | 'beyond'> {
  readonly holding: readonly Step[];
  readonly failing: Step | null;
}

/** Of rates the looks at full length say whether they may be promised, not where the edge is. */
function edgeOf(search: SearchStrategy, looks: readonly Look[], candidate: number): Edge {
  const steps = stepsOf(
    search,
    isPromise(search) ? looks.filter(({ phase }) => phase !== 'confirm') : looks,
    candidate,
  );
  const failing = steps.find(({ held }) => !held) ?? null;
  const holding = steps.filter(({ step, held }) => held && (failing === null || step < failing.step));
  return { holding, failing, highest: holding.at(-1)?.step ?? null, beyond: failing?.step ?? null };
}

/**
 * The rate that a candidate was found not to hold, where that is to be looked at again; null: it is not. Of the best one only: of
 * the others it is enough that they do not beat it.
 */
export function doubtfulRate(search: SearchStrategy, looks: readonly Look[], arm: Arm): LookLoad | null {
  const { failing } = edgeOf(search, looks, arm.candidate);
  return isPromise(search) && failing !== null && isDoubtful(search, failing)
    ? loadAt(search, failing.step)
    : null;
}

/** What is held for a moment is too much for minutes: the rate that may be promised is a step lower. */
export const safetySteps = 2;
/** Looks at full length that miss the target before a rate is given up. */
const mostMisses = 0;

/** Steps below the one that may be promised at first, because looks at full length missed the target there. */
function stepsLost(search: SearchStrategy, looks: readonly Look[], candidate: number, first: number): number {
  const isGivenUp = (step: number) =>
    looks.filter(
      (look) =>
        look.candidate === candidate &&
        look.phase === 'confirm' &&
        stepOf(search, look) === step &&
        !isHeld(search, candidate, step, [look]),
    ).length > mostMisses;
  let lost = 0;
  while (isGivenUp(first - lost)) lost += 1;
  return lost;
}

/** The candidate whose rate is compared at full length; null: none so far. */
export const promisedCandidate = (looks: readonly Look[]): number | null =>
  looks.find(({ phase }) => phase === 'confirm')?.candidate ?? null;

/** What the best one lost at full length is taken off the others as well, of which there are only short looks. */
function promisedStep(
  search: SearchStrategy,
  looks: readonly Look[],
  candidate: number,
  highest: number,
): number {
  const first = highest - safetySteps;
  const isConfirmed = looks.some((look) => look.phase === 'confirm' && look.candidate === candidate);
  const promised = promisedCandidate(looks);
  if (isConfirmed || promised === null) return first - stepsLost(search, looks, candidate, first);
  const other = edgeOf(search, looks, promised).highest;
  return other === null ? first : first - stepsLost(search, looks, promised, other - safetySteps);
}

/** What is held is a rate that may be promised. */
export const isPromise = ({ load }: SearchStrategy): boolean =>
  load.kind === 'open' && load.rate === undefined;

export function armOf(search: SearchStrategy, { looks }: Searched, candidate: number): Arm {
  const own = looks.filter((look) => look.candidate === candidate);
  const { holding, failing, highest, beyond } = edgeOf(search, own, candidate);
  const ceiling =
    own.length === 0 ? null : largestOf(own.map(({ inferencesPerSecond }) => inferencesPerSecond));
  const next = (highest ?? lowestStep(search, candidate, ceiling ?? 0) - 1) + 1;
  const last = stepCount(search);
  const reach = {
    ...{ candidate, ceiling, highest, beyond },
    isSettled:
      next >= Math.min(beyond ?? Infinity, last) &&
      (search.load.kind === 'open' || failing === null || !isDoubtful(search, failing)),
  };
  if (isPromise(search)) {
    const best = highest === null ? null : promisedStep(search, looks, candidate, highest);
    return { ...reach, best, value: best === null ? 0 : rateOf(best) * batchSizeOf(search, candidate) };
  }
  const valueOf = ({ inferencesPerSecond, looks: at }: Step): number =>
    isLatencySearch(search) ? speedOf(medianOf(at.map(({ latencyUs }) => latencyUs))) : inferencesPerSecond;
  const top = holding.toSorted((one, other) => valueOf(other) - valueOf(one))[0];
  return { ...reach, best: top?.step ?? null, value: top === undefined ? 0 : valueOf(top) };
}

/** A short look at a machine that others use is off by so much. */
const margin = 1.1;

/** The most that it can still come to, inferences/s: what it gives at most, and the load below the one that it does not hold. */
export function potentialOf(search: SearchStrategy, { candidate, ceiling, beyond }: Arm): number {
  const bound = ceiling === null ? Infinity : margin * ceiling;
  return search.load.kind === 'closed' || beyond === null
    ? bound
    : Math.min(bound, rateOf(beyond - 1 - safetySteps) * batchSizeOf(search, candidate));
}

/** First guess of a rate, of what it gives when it is never idle. */
const firstShare = 0.75;
/** Without a rate that holds: how many steps down at least. */
const stride = 6;

/** The step at which requests of this candidate's size are no more inferences than those of the other one at its highest. */
function stepLike(search: SearchStrategy, { candidate }: Arm, other: Arm | null): number | null {
  if (other === null || other.highest === null) return null;
  const size = batchSizeOf(search, other.candidate) / batchSizeOf(search, candidate);
  return other.highest + stepOfRate(size);
}

/** Between the last step that is held and the first that is not; where nothing is left between them, that is doubtful. */
function middleOf(highest: number, beyond: number | null, count: number): number {
  const middle = Math.floor((highest + (beyond ?? count)) / 2);
  return middle === highest && beyond !== null ? beyond : middle;
}

function nextRate(search: SearchStrategy, arm: Arm, beaten: Arm | null, guess: number | null): number {
  const { candidate, highest, beyond } = arm;
  const ceiling = arm.ceiling ?? 0;
  const batchSize = batchSizeOf(search, candidate);
  if (highest === null && beyond === null) {
    const beat = stepLike(search, arm, beaten);
    return beat === null ? (guess ?? stepOfRate((firstShare * ceiling) / batchSize)) : beat + 1;
  }
  const top = stepOfRate((margin * ceiling) / batchSize) + 1;
  if (highest === null) {
    // Twice as far down each time: a target that no rate holds is not worth the budget.
    const missed = beyond ?? top;
    return Math.max(lowestStep(search, candidate, ceiling), missed - Math.max(stride, top - missed));
  }
  // What the ceiling says is a guess, too: it is passed by where a rate above it holds.
  const end = beyond ?? Math.max(top, highest + 2);
  return Math.max(highest + 1, Math.floor((highest + end) / 2));
}

/**
 * Where to look next whether an unsettled candidate holds the load. @param beaten what it has to give more than
 * @param guess a step that it is predicted to hold; null: none is
 */
export function nextStep(
  search: SearchStrategy,
  arm: Arm,
  beaten: Arm | null,
  guess: number | null = null,
): number {
  const { load } = search;
  const { highest, beyond } = arm;
  if (load.kind === 'open') return nextRate(search, arm, beaten, guess);
  const isFirst = highest === null && beyond === null;
  return isFirst && guess !== null ? guess : middleOf(highest ?? -1, beyond, load.concurrency.length);
}

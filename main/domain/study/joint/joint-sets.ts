import type { JointModel, JointStrategy } from '../../../contract/study/joint';
import type { Candidate, Look, Searched, SearchStrategy } from '../../../contract/study/search';
import { largestOf, medianOf, smallestOf } from '../../statistics';
import { type Arm, armOf, promisedCandidate, rateOf, type Step, stepOf, stepsOf } from '../search/arms';
import { changedFields } from '../search/candidates';
import type { DueLook } from '../search/next-looks';

/** The configuration of each model, by its number among all candidates; in the order of the models. */
export type Picks = readonly number[];

/** A set of configurations that serve side by side, as one candidate whose rate is the load factor. */
export interface JointSet {
  readonly picks: Picks;
  readonly arm: Arm;
  /** Number of model instances of all. */
  readonly instances: number;
  /** Models that are configured otherwise than at present. */
  readonly changes: number;
}

/** Number of its first candidate, the present one. */
export const firstOf = ({ models }: JointStrategy, model: number): number =>
  models.slice(0, model).reduce((sum, { candidates }) => sum + candidates.length, 1);

export const presentPicks = (joint: JointStrategy): Picks =>
  joint.models.map((_model, at) => firstOf(joint, at));

/** Throws for a number that there is not. */
export function candidateIn(
  joint: JointStrategy,
  number: number,
): { readonly at: number; readonly model: JointModel; readonly present: Candidate; readonly own: Candidate } {
  let first = 1;
  for (const [at, model] of joint.models.entries()) {
    const [present, own] = [model.candidates[0], model.candidates[number - first]];
    if (present !== undefined && own !== undefined) return { at, model, present, own };
    first += model.candidates.length;
  }
  throw new Error(`No candidate ${number}`);
}

/** Its measurements, one per model. */
export const partsOf = (look: Look): readonly Look[] =>
  [look, ...(look.beside ?? [])].toSorted((one, other) => one.candidate - other.candidate);

export const picksOf = (look: Look): Picks => partsOf(look).map(({ candidate }) => candidate);

/** The load factor that was sent. */
export function factorOf(joint: JointStrategy, { candidate, load }: Look): number {
  const { batchSize, rate } = candidateIn(joint, candidate).model;
  return 'requestRate' in load ? (load.requestRate * batchSize) / rate : 0;
}

/** What a model made of its part of the load. */
export interface Part {
  /** Share of its rate that it answered, at most 1. */
  readonly share: number;
  /** Of its latency limit; above 1 it is missed. */
  readonly latency: number;
  readonly isFaulty: boolean;
}

/** Poisson times vary by the root of their number; twice of that does not show that a rate is not held. */
const doubt = 2;

export function partOf(joint: JointStrategy, look: Look): Part {
  const { model } = candidateIn(joint, look.candidate);
  const { requestCount, errorCount, inferencesPerSecond, latencyUs, load, overSaturated = false } = look;
  const asked = 'requestRate' in load ? load.requestRate * model.batchSize : 1;
  const percent = (100 * errorCount) / Math.max(1, requestCount + errorCount);
  return {
    share: Math.min(1, inferencesPerSecond / asked + doubt / Math.sqrt(Math.max(1, requestCount))),
    latency: latencyUs / model.latencyUs,
    isFaulty: requestCount === 0 || overSaturated || percent > model.errorPercentage,
  };
}

/** A latency at its limit, in the look of a set. */
const limitUs = 1e6;

/** As the look of one candidate: it is as good as its worst model. */
function asOneLook(joint: JointStrategy, look: Look, number: number): Look {
  const parts = partsOf(look).map((part) => partOf(joint, part));
  const factor = factorOf(joint, look);
  return {
    ...look,
    ...{ candidate: number, load: { requestRate: factor } },
    inferencesPerSecond: factor * smallestOf(parts.map(({ share }) => share)),
    latencyUs: limitUs * largestOf(parts.map(({ latency }) => latency)),
    ...{ requestCount: 1, errorCount: parts.some(({ isFaulty }) => isFaulty) ? 1 : 0 },
  };
}

const oneLoad = { load: { kind: 'open', batchSize: 1 } } as const;

const asOneSearch = ({ budgetS, lookMs, fullMs }: JointStrategy): SearchStrategy => ({
  ...{ kind: 'search', runId: null, candidates: [], ...oneLoad },
  target: { percentile: 99, latencyUs: limitUs, errorPercentage: 0 },
  ...{ budgetS, lookMs, fullMs },
});

export const isServable = ({ failed }: Searched, number: number): boolean => failed[number] === undefined;

/** The models with their present configurations, or the first of each that can be served; null: of one none can. */
export function firstPicks(joint: JointStrategy, searched: Searched): Picks | null {
  const picks = joint.models.map(({ candidates }, at) =>
    candidates
      .map((_one, place) => firstOf(joint, at) + place)
      .find((number) => isServable(searched, number)),
  );
  return picks.every((pick) => pick !== undefined) ? picks : null;
}

/** It takes more than the limit, as far as it was measured. */
export function isOverMemory({ memory: limits }: JointStrategy, { memory = {} }: Searched, picks: Picks) {
  return (['hostBytes', 'gpuBytes'] as const).some((kind) => {
    const taken = picks.reduce((sum, pick) => sum + Math.max(0, memory[pick]?.[kind] ?? 0), 0);
    return taken > (limits?.[kind] ?? Infinity);
  });
}

export interface JointView {
  /** Of those that were measured and can be served, with their looks. The first is the one that it began with. */
  readonly sets: readonly JointSet[];
  /** As of one candidate, by place in {@link sets} from 1. */
  readonly looks: readonly Look[];
}

const keyOf = (picks: Picks): string => picks.join();

export function setOf(joint: JointStrategy, picks: Picks): Omit<JointSet, 'arm'> {
  const all = picks.map((pick) => candidateIn(joint, pick));
  return {
    picks,
    instances: all.reduce((sum, { own }) => sum + own.instances, 0),
    changes: all.filter(({ present, own }) => changedFields(present, own).length > 0).length,
  };
}

/** The sets that were measured, each as one candidate of a search for the highest rate. Pure. */
export function viewOf(joint: JointStrategy, searched: Searched): JointView {
  const found = new Map<string, Picks>();
  for (const look of searched.looks) found.set(keyOf(picksOf(look)), picksOf(look));
  const all = [...found.values()];
  const numbers = new Map(all.map((picks, at) => [keyOf(picks), at + 1]));
  const looks = searched.looks.map((look) =>
    asOneLook(joint, look, numbers.get(keyOf(picksOf(look))) as number),
  );
  const search = asOneSearch(joint);
  const sets = all
    .map((picks, at): JointSet => ({
      ...setOf(joint, picks),
      arm: armOf(search, { looks, failed: {} }, at + 1),
    }))
    .filter(
      ({ picks }) =>
        picks.every((pick) => isServable(searched, pick)) && !isOverMemory(joint, searched, picks),
    );
  return { sets, looks };
}

/** Sets are equal within a step of 5 %. */
const equalShare = 0.97;

export const bySimplicity = (one: JointSet, other: JointSet): number =>
  one.changes - other.changes || one.instances - other.instances || one.arm.candidate - other.arm.candidate;

/** The step at which the rates themselves are promised. */
export const goalStep = (joint: JointStrategy): number | null =>
  joint.objective === 'instances' && !joint.isMix ? 0 : null;

const byInstances = (one: JointSet, other: JointSet): number =>
  one.instances - other.instances || bySimplicity(one, other);

/** The best so far; null: none holds any load. Pure. */
export function winnerOf(joint: JointStrategy, { sets, looks }: JointView): JointSet | null {
  const ranked = sets
    .filter(({ arm }) => arm.best !== null)
    .toSorted((one, other) => other.arm.value - one.arm.value);
  const [top] = ranked;
  const step = goalStep(joint);
  const holding = ranked.filter(({ arm }) => step !== null && (arm.best ?? -Infinity) >= step);
  if (holding.length > 0) return holding.toSorted(byInstances)[0] ?? null;
  if (top === undefined) return null;
  const promised = promisedCandidate(looks);
  return (
    ranked.find(({ arm }) => step === null && arm.candidate === promised) ??
    ranked.filter(({ arm }) => arm.value >= equalShare * top.arm.value).toSorted(bySimplicity)[0] ??
    null
  );
}

/** The loads that a set was measured at, ascending. */
export const loadsOf = (joint: JointStrategy, { looks }: JointView, { arm }: JointSet): readonly Step[] =>
  stepsOf(asOneSearch(joint), looks, arm.candidate);

/** The looks at a set at a step. */
export const looksAt = (view: JointView, { looks }: Searched, set: JointSet, step: number): readonly Look[] =>
  looks.filter((_look, at) => {
    const one = view.looks[at];
    return one?.candidate === set.arm.candidate && stepOf(oneLoad, one) === step;
  });

/** The models by how near they are to their limit, the nearest first, by place. @param looks at one load */
export function byNearness(joint: JointStrategy, looks: readonly Look[]): readonly number[] {
  const places = joint.models.map((_model, place) => place);
  if (looks.length === 0) return places;
  const scores = places.map((place) =>
    medianOf(
      looks.map((look) => {
        const { share, latency, isFaulty } = partOf(joint, partsOf(look)[place] as Look);
        return isFaulty || share === 0 ? Infinity : latency / share;
      }),
    ),
  );
  const scoreOf = (place: number): number => scores[place] as number;
  return places.toSorted((one, other) =>
    scoreOf(one) === scoreOf(other) ? one - other : scoreOf(other) - scoreOf(one),
  );
}

/** A measurement without a request of one of the models is none: so many are expected, in the two thirds that count. */
const fewestExpected = 5;
const longestMs = 10_000;
const expectedMs = (requestRate: number): number =>
  Math.min(longestMs, Math.ceil((1500 * fewestExpected) / requestRate));

/** The measurement of a set at a step. @param first the pick that is to blame where it cannot be served */
export function dueSet(
  joint: JointStrategy,
  picks: Picks,
  { step, phase, first }: Pick<DueLook, 'phase'> & { readonly step: number; readonly first?: number },
): DueLook {
  const requestRateOf = (candidate: number): number => {
    const { rate, batchSize } = candidateIn(joint, candidate).model;
    return (rateOf(step) * rate) / batchSize;
  };
  const loadOf = (candidate: number) => ({ candidate, load: { requestRate: requestRateOf(candidate) } });
  const main = first ?? picks[0] ?? 1;
  const usualMs = phase === 'confirm' ? joint.fullMs : joint.lookMs;
  const ms = Math.max(usualMs, expectedMs(smallestOf(picks.map(requestRateOf))));
  return {
    ...loadOf(main),
    ...{ phase, ms, beside: picks.filter((pick) => pick !== main).map(loadOf) },
  };
}

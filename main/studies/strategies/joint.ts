import type { JointStrategy } from '../../contract/study/joint';
import type { Look, Searched } from '../../contract/study/search';
import {
  byNearness,
  candidateIn,
  dueSet,
  firstOf,
  firstPicks,
  goalStep,
  isOverMemory,
  isServable,
  type JointSet,
  type JointView,
  looksAt,
  type Picks,
  setOf,
  viewOf,
  winnerOf,
} from '../../domain/study/joint/joint-sets';
import { safetySteps, stepOfRate } from '../../domain/study/search/arms';
import { changedFields } from '../../domain/study/search/candidates';
import { confirmRounds, type DueLook, mostConfirms, secondsOf } from '../../domain/study/search/next-looks';

/** Sets beside the best one in a round. */
const width = 3;
/** One good look is luck as often as not. */
const surely = 2;
/** Steps to the second load of a set, and the most of one climb: twice the load. */
const stride = { first: 4, most: 14 } as const;
/** Then other configurations are tried before lower loads. */
const missedLoads = 2;
/** Where nothing is known, inferences/s of a mix. */
const firstMix = 50;
/** Less does not count as an answer: a tenth of the rates, or one inference/s of a mix. */
const lowest = { rates: stepOfRate(0.1), mix: 0 } as const;
/** Of the budget, what the last comparison keeps at most, and what it takes where a promise is lowered. */
const reserved = { most: 1 / 2, times: 1.4 } as const;

interface Known {
  readonly joint: JointStrategy;
  readonly searched: Searched;
  readonly view: JointView;
  /** What a set has to hold for a moment to hold the rates; null: as much as it can. */
  readonly goal: number | null;
}

const factorIn = ({ load }: Look): number => ('requestRate' in load ? load.requestRate : 0);

const lowestOf = ({ isMix }: JointStrategy): number => (isMix ? lowest.mix : lowest.rates);

/** Nothing is left to learn about its load. */
function isSettled({ joint, goal }: Known, { arm: { highest, beyond } }: JointSet): boolean {
  if (goal !== null && highest !== null && highest >= goal) return true;
  if (highest === null) return beyond !== null && beyond <= lowestOf(joint);
  return beyond === highest + 1;
}

/** Further away with each load that was sent, then half way between what is held and what is not. */
function nextStep(known: Known, set: JointSet): number {
  const { joint, goal } = known;
  const { highest, beyond } = set.arm;
  const away = Math.min(stride.most, stride.first * 2 ** (sentTo(known, set) - 1));
  if (highest === null) return Math.max(lowestOf(joint), (beyond ?? 0) - away);
  return beyond === null ? Math.min(highest + away, goal ?? Infinity) : Math.floor((highest + beyond) / 2);
}

const firstStep = ({ isMix }: JointStrategy, goal: number | null): number =>
  goal ?? (isMix ? stepOfRate(firstMix) : 0);

/** The most that any settled set holds; of those that hold as much the simplest. */
const leaderOf = (known: Known): JointSet | null =>
  known.view.sets
    .filter((set) => isSettled(known, set) && set.arm.highest !== null)
    .toSorted(
      (one, other) => (other.arm.highest ?? 0) - (one.arm.highest ?? 0) || one.changes - other.changes,
    )[0] ?? null;

const highestOf = ({ arm: { highest } }: JointSet): number => highest ?? -Infinity;

/** What may hold more than the best one; before there is one, what holds most, or the set that it began with. */
function risingOf(known: Known, leader: JointSet | null): JointSet | undefined {
  const left = known.view.sets.filter((set) => !isSettled(known, set));
  const [most] = left.toSorted((one, other) => highestOf(other) - highestOf(one) || 0);
  if (leader === null) return most;
  return most !== undefined && highestOf(most) > highestOf(leader) ? most : undefined;
}

/** Loads of a set that were sent. */
const sentTo = ({ view }: Known, { arm }: JointSet): number =>
  new Set(view.looks.filter(({ candidate }) => candidate === arm.candidate).map(factorIn)).size;

/** It holds more than others by one look. */
function isLucky(known: Known, set: JointSet): boolean {
  const { candidate, highest, beyond } = set.arm;
  const { searched, view } = known;
  return (
    candidate !== 1 &&
    highest !== null &&
    (sentTo(known, set) === 1 || beyond === highest + 1) &&
    looksAt(view, searched, set, highest).length < surely
  );
}

/** The set with another configuration of one model, each that can still win. */
function changesOf({ joint, searched, view }: Known, from: Picks, step: number) {
  const missed = new Set(
    view.sets.filter(({ arm }) => (arm.beyond ?? Infinity) <= step).map(({ picks }) => picks.join()),
  );
  const tries = (pick: number): number =>
    searched.looks.filter((look) => [look, ...(look.beside ?? [])].some((one) => one.candidate === pick))
      .length;
  return joint.models.flatMap(({ candidates }, place) =>
    candidates
      .map((_one, at) => firstOf(joint, place) + at)
      .filter((pick) => pick !== from[place] && isServable(searched, pick))
      .map((pick) => ({ place, pick, picks: from.map((one, at) => (at === place ? pick : one)) }))
      .filter(({ picks }) => !missed.has(picks.join()) && !isOverMemory(joint, searched, picks))
      .map((change) => ({ ...change, tries: tries(change.pick) })),
  );
}

/**
 * Whether another configuration of a model holds the step that the best set does not, that of the limiting model first.
 * @param isEarly only those of that model
 */
function challenge(known: Known, leader: JointSet, isEarly = false): readonly DueLook[] {
  const { joint, searched, view } = known;
  const step = leader.arm.beyond;
  if (step === null) return [];
  const near = byNearness(joint, looksAt(view, searched, leader, step));
  const found = changesOf(known, leader.picks, step)
    .filter(({ place }) => !isEarly || place === near[0])
    .toSorted(
      (one, other) =>
        one.tries - other.tries ||
        near.indexOf(one.place) - near.indexOf(other.place) ||
        one.pick - other.pick,
    )
    .slice(0, width)
    .map(({ picks, pick }) => dueSet(joint, picks, { step, phase: 'edge', first: pick }));
  return found.length === 0 ? [] : [dueSet(joint, leader.picks, { step, phase: 'edge' }), ...found];
}

/** Whether the rates are also held with fewer instances; the configurations that differ least first. */
function cheaper(known: Known, goal: number): readonly DueLook[] {
  const { joint, view } = known;
  const [cheapest] = view.sets
    .filter(({ arm }) => (arm.highest ?? -Infinity) >= goal)
    .toSorted((one, other) => one.instances - other.instances);
  if (cheapest === undefined) return [];
  if (isLucky(known, cheapest)) {
    return [dueSet(joint, cheapest.picks, { step: cheapest.arm.highest ?? goal, phase: 'race' })];
  }
  const differs = (pick: number, place: number): number =>
    changedFields(candidateIn(joint, cheapest.picks[place] as number).own, candidateIn(joint, pick).own)
      .length;
  return changesOf(known, cheapest.picks, goal)
    .map((change) => ({ ...change, instances: setOf(joint, change.picks).instances }))
    .filter(({ instances }) => instances < cheapest.instances)
    .toSorted(
      (one, other) =>
        differs(one.pick, one.place) - differs(other.pick, other.place) || one.instances - other.instances,
    )
    .slice(0, 1)
    .map(({ picks, pick }) => dueSet(joint, picks, { step: goal, phase: 'edge', first: pick }));
}

/** The best and the present set, in turns at full length, each at what it is said to hold. */
function confirm({ joint, searched, view }: Known): readonly DueLook[] {
  const winner = winnerOf(joint, view);
  if (winner === null) return [];
  const present = view.sets.find(({ changes, arm }) => changes === 0 && arm.best !== null);
  const compared = present === undefined || present === winner ? [winner] : [winner, present];
  const all = view.looks.filter(({ phase }) => phase === 'confirm').length;
  if (all >= mostConfirms * compared.length * confirmRounds) return [];
  return compared.flatMap((set) => {
    const step = set.arm.best as number;
    const own = looksAt(view, searched, set, step).filter(({ phase }) => phase === 'confirm');
    return own.length < confirmRounds ? [dueSet(joint, set.picks, { step, phase: 'confirm' })] : [];
  });
}

function reserveOf({ budgetS, fullMs }: JointStrategy): number {
  return Math.min(reserved.most * budgetS, (reserved.times * 2 * confirmRounds * fullMs) / 1000);
}

const climb = (known: Known, set: JointSet): readonly DueLook[] => [
  dueSet(known.joint, set.picks, { step: nextStep(known, set), phase: 'edge' }),
];

/** The first two loads were too much. */
const hasMissed = (known: Known, set: JointSet): boolean =>
  set.arm.highest === null && sentTo(known, set) === missedLoads;

/** One round of what may still be better than the best set. */
function round(known: Known): readonly DueLook[] {
  const { joint, searched, goal, view } = known;
  const isHeld = goal !== null && view.sets.some(({ arm }) => (arm.highest ?? -Infinity) >= goal);
  if (isHeld) return cheaper(known, goal);
  const [first] = view.sets;
  if (first === undefined) {
    const picks = firstPicks(joint, searched);
    return picks === null ? [] : [dueSet(joint, picks, { step: firstStep(joint, goal), phase: 'edge' })];
  }
  const leader = leaderOf(known);
  const rising = risingOf(known, leader);
  // Its latency may be too long at any load.
  const early = rising === first && hasMissed(known, first) ? challenge(known, first, true) : [];
  if (early.length > 0) return early;
  const best = rising ?? leader ?? first;
  if (isLucky(known, best)) {
    return [dueSet(joint, best.picks, { step: best.arm.highest ?? 0, phase: 'race' })];
  }
  if (rising !== undefined) return climb(known, rising);
  const others = challenge(known, best);
  return others.length > 0 || isSettled(known, first) ? others : climb(known, first);
}

/**
 * What to measure next, one round; none: it is at its end. The present set is taken to the load that it does not hold; there
 * each other configuration of one model is tried, that of the model which limits first, and what holds it is the next set to
 * be improved. In the end the best and the present set are compared at full length. Pure.
 */
export function nextJointLooks(joint: JointStrategy, searched: Searched): readonly DueLook[] {
  const step = goalStep(joint);
  const goal = step === null ? null : step + safetySteps;
  const known: Known = { joint, searched, view: viewOf(joint, searched), goal };
  const left = joint.budgetS - secondsOf(searched);
  const fits = (looks: readonly DueLook[], reserve: number): boolean =>
    looks.reduce((sum, { ms }) => sum + ms / 1000, 0) <= left - reserve;
  const isConfirming = known.view.looks.some(({ phase }) => phase === 'confirm');
  const due = isConfirming ? [] : round(known);
  if (due.length > 0 && fits(due, reserveOf(joint))) return due;
  const last = confirm(known);
  if (fits(last, 0)) return last;
  const own = last.slice(0, 1);
  return fits(own, 0) ? own : [];
}

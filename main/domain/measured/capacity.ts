import { faultText, isFaulty, isSound, isSteady } from '../../contract/flag-text';
import { type CapacityAsk, capacityAskSchema, capacityFields } from '../../contract/measured/capacity-ask';
import type { ModelMemory } from '../../contract/measured/model-memory';
import type { LoadPoint } from '../../contract/measured/results';
import { formatRate, formatTyped } from '../../contract/numbers';
import { visibleGpus } from '../../contract/run/engine-kinds';
import { engineOf } from '../../contract/run/run-source';
import type { RunState } from '../../contract/run/run-state';
import { achievedRate, budgetLatencyUs } from '../../contract/run/sweep';
import { smallestOf } from '../statistics';
import { answerOf, bestLevelText, p99Text } from './answer';
import { serversThatFit } from './memory-fit';
import { type BestPoint, budgetMsOf, isWithin, measuredPoints } from './points';

/** As typed: null what is empty. A price may be. */
export type CapacityDraft = { readonly [Name in keyof CapacityAsk]: number | null };

const hoursOfMonth = 730;

/** The usual plan: 30 % beyond the rate, and one replica that may fail. */
export const usualHeadroom = 0.3;
export const usualSpare = 1;

export interface CapacityProblem {
  readonly field: keyof CapacityAsk;
  /** Without a full stop. */
  readonly message: string;
  readonly remedy: string;
}

const problems: Readonly<Record<keyof CapacityAsk, Omit<CapacityProblem, 'field'>>> = {
  rate: {
    message: 'The rate must be above 0 and at most 1,000,000,000',
    remedy: 'Give the inferences per second of all replicas together, for example 5000.',
  },
  p99Ms: {
    message: 'The p99 target is missing, or not above 0',
    remedy: 'Give the highest acceptable p99 latency, for example 20 ms.',
  },
  headroom: {
    message: 'The headroom is not between 0 % and 10,000 %',
    remedy: 'Give the spare capacity above the rate, for example 30 %.',
  },
  spare: {
    message: 'The spare replicas are not a whole number from 0 to 10,000',
    remedy: 'Give the number of replicas that may fail, for example 1.',
  },
  pricePerHour: {
    message: 'The price per hour is not above 0',
    remedy: 'Give the price of one replica with its GPUs per hour, or leave it out.',
  },
};

/** What the fields ask, or the first of them that nothing can be planned with. Pure. */
export function askOf(draft: CapacityDraft): CapacityAsk | CapacityProblem {
  const { data, error } = capacityAskSchema.safeParse(draft);
  if (data !== undefined) return data;
  const [first = ''] = error.issues.flatMap(({ path }) => path.slice(0, 1).map(String));
  const field = capacityFields.find((name) => name === first) ?? 'rate';
  return { field, ...problems[field] };
}

export const isProblem = (asked: CapacityAsk | CapacityProblem): asked is CapacityProblem => 'field' in asked;

/** Memory of one of the server's GPUs at a level, bytes: the most that was in use, by whatever. */
interface GpuMemory {
  readonly uuid: string;
  readonly usedBytes: number | null;
  readonly totalBytes: number | null;
}

/** A level that does not hold, and why: "p99 31.00 ms", "not steady". */
export interface NotHeld extends BestPoint {
  readonly reason: string;
}

export interface Capacity {
  readonly ask: CapacityAsk;
  /** The highest measured level that holds the target. */
  readonly held: BestPoint;
  /** What one replica holds, inferences/s: of an open loop at most what was sent. */
  readonly heldRate: number;
  /** Requests came on schedule, whether the last was answered or not. */
  readonly isOpen: boolean;
  /** The next higher load, which misses the target; null: none was measured. */
  readonly next: NotHeld | null;
  /** Lower loads of the same sweep that are steady and beyond the target: the level above them may be luck. */
  readonly lower: readonly NotHeld[];
  readonly replicas: number;
  /** Of one replica, 0 on a CPU; null: not known. */
  readonly gpusPerReplica: number | null;
  readonly gpus: number | null;
  /** In the currency of the price; null without one. */
  readonly cost: {
    readonly perMonth: number;
    readonly perMillionAtRate: number;
    readonly perMillionAtFullUse: number;
  } | null;
  /** Joules of the GPUs per inference at the level; null: their power was not read. */
  readonly energyJ: number | null;
  /** Empty: not read. */
  readonly memory: readonly GpuMemory[];
  /** So many servers like this one fit on a GPU by memory; null: used or total memory is not known. */
  readonly serversPerGpu: number | null;
  /** By a measurement of its own; null: not made. */
  readonly modelMemory: ModelMemory | null;
}

/** Why nothing can be planned with a run. `unmeasured`: with no rate at all; `not-held`: no level holds the target. */
export interface NoCapacity {
  readonly kind: 'unmeasured' | 'not-held';
  /** Whole sentences. */
  readonly text: string;
  /** What comes nearest to the target; null: `unmeasured`. */
  readonly best: BestPoint | null;
}

/** The levels that decide: of an open loop where any is, else of a closed one. With the highest throughput last. */
export function decisiveLevels(state: RunState): readonly BestPoint[] {
  const all = measuredPoints(state).filter(({ point }) => point.inferencesPerSecond > 0);
  const open = all.filter(({ point }) => point.requestRate !== undefined);
  return (open.length > 0 ? open : all).toSorted(
    (a, b) => a.point.inferencesPerSecond - b.point.inferencesPerSecond,
  );
}

/** Why a level answers nothing, whatever its p99; null: it does. */
function unfitText(point: LoadPoint): string | null {
  if (isFaulty(point)) return faultText(point);
  if (!isSteady(point)) return 'not steady';
  return point.flags.includes('rate-not-reached') ? 'rate not reached' : null;
}

/** Why a level does not hold the target: "p99 31.00 ms", "not steady"; null: it does. */
export const whyNotHeld = (point: LoadPoint, p99Ms: number): string | null =>
  unfitText(point) ?? (isWithin(point, p99Ms) ? null : `p99 ${p99Text(point)}`);

/** The same beside the p99 itself: "holds", "above the target", "not steady". */
export const targetText = (point: LoadPoint, p99Ms: number): string =>
  unfitText(point) ?? (isWithin(point, p99Ms) ? 'holds' : 'above the target');

/** Inferences/s that a level shows a server to hold. */
const heldRateOf = ({ inferencesPerSecond, requestRate, batchSize }: LoadPoint): number =>
  requestRate === undefined ? inferencesPerSecond : Math.min(inferencesPerSecond, requestRate * batchSize);

const loadOf = ({ scenario, point }: BestPoint): number =>
  scenario === 'offline' ? point.batchSize : (point.requestRate ?? point.concurrency);

/** Levels of one sweep: only their loads differ. */
const isSameSweep = (a: BestPoint, b: BestPoint): boolean =>
  a.scenario === b.scenario && (a.scenario === 'offline' || a.point.batchSize === b.point.batchSize);

function gpusOf(state: RunState, point: LoadPoint): number | null {
  const engine = engineOf(state);
  const visible = engine === null ? null : visibleGpus(engine);
  return visible?.length ?? point.gpus?.length ?? null;
}

/** Of a replica that is used in full. */
export const pricePerMillion = (inferencesPerSecond: number, pricePerHour: number): number =>
  (1e6 * pricePerHour) / (3600 * inferencesPerSecond);

function costOf({ pricePerHour, rate }: CapacityAsk, replicas: number, heldRate: number): Capacity['cost'] {
  if (pricePerHour === null) return null;
  return {
    perMonth: replicas * pricePerHour * hoursOfMonth,
    perMillionAtRate: pricePerMillion(rate, replicas * pricePerHour),
    perMillionAtFullUse: pricePerMillion(heldRate, pricePerHour),
  };
}

function energyOf({ gpus = [], inferencesPerSecond }: LoadPoint): number | null {
  const watts = gpus.map(({ powerW }) => powerW).filter((power) => power !== null);
  const isKnown = watts.length > 0 && watts.length === gpus.length;
  return isKnown ? watts.reduce((sum, power) => sum + power, 0) / inferencesPerSecond : null;
}

function serversOf(memory: readonly GpuMemory[]): number | null {
  const counts = memory.map(({ usedBytes, totalBytes }) =>
    usedBytes === null || usedBytes === 0 || totalBytes === null ? null : Math.floor(totalBytes / usedBytes),
  );
  const known = counts.filter((count) => count !== null);
  return known.length === 0 || known.length < counts.length ? null : smallestOf(known);
}

/** The level that comes nearest to the target: the lowest p99 of the steady ones, else of all. */
function nearest(levels: readonly BestPoint[]): BestPoint | null {
  const sound = levels.filter(({ point }) => isSound(point));
  return (
    (sound.length > 0 ? sound : levels).toSorted(
      (a, b) => budgetLatencyUs(a.point) - budgetLatencyUs(b.point),
    )[0] ?? null
  );
}

function notHeld(levels: readonly BestPoint[], p99Ms: number): NoCapacity {
  const best = nearest(levels);
  if (best === null) {
    const text = 'The run has no measured rate, so nothing can be planned with it.';
    return { kind: 'unmeasured', text, best };
  }
  const unfit = unfitText(best.point);
  const why = unfit === null ? '' : `, ${unfit}`;
  return {
    kind: 'not-held',
    text: `No steady level meets a p99 of ${formatTyped(p99Ms)} ms. The best has p99 ${p99Text(best.point)} at ${formatRate(best.point.inferencesPerSecond)} inferences/s (${bestLevelText(best)}${why}).`,
    best,
  };
}

/**
 * How many servers like the one of a run a rate takes. Only measured levels count: the highest that is steady and within
 * the target is what one replica holds. Pure.
 */
export function capacityOf(state: RunState, ask: CapacityAsk): Capacity | NoCapacity {
  const { memory: modelMemory } = state;
  const { p99Ms, rate, headroom, spare } = ask;
  const levels = decisiveLevels(state);
  if (levels.some(({ point }) => point.model !== undefined)) {
    const text = 'The run measures several models at the same time. Measure the model by itself to plan it.';
    return { kind: 'unmeasured', text, best: null };
  }
  const failed = levels.flatMap((level): readonly NotHeld[] => {
    const reason = whyNotHeld(level.point, p99Ms);
    return reason === null ? [] : [{ ...level, reason }];
  });
  const held = levels.filter(({ point }) => whyNotHeld(point, p99Ms) === null).at(-1);
  if (held === undefined) return notHeld(levels, p99Ms);
  const heldRate = heldRateOf(held.point);
  // 1,300 over 650 is 2, and not a little more by the floating point.
  const replicas = Math.ceil((rate * (1 + headroom)) / heldRate - 1e-9) + spare;
  const gpusPerReplica = gpusOf(state, held.point);
  const near = failed.filter((level) => isSameSweep(level, held)).toSorted((a, b) => loadOf(a) - loadOf(b));
  const memory = (held.point.gpus ?? []).map(({ uuid, maxMemoryBytes, totalMemoryBytes }) => ({
    ...{ uuid, usedBytes: maxMemoryBytes, totalBytes: totalMemoryBytes },
  }));
  return {
    ...{ ask, held, heldRate, replicas, gpusPerReplica, memory },
    isOpen: held.point.requestRate !== undefined,
    next: near.find((level) => loadOf(level) > loadOf(held)) ?? null,
    lower: near.filter((level) => isSound(level.point) && loadOf(level) < loadOf(held)),
    gpus: gpusPerReplica === null ? null : gpusPerReplica * replicas,
    cost: costOf(ask, replicas, heldRate),
    energyJ: energyOf(held.point),
    serversPerGpu:
      (modelMemory === null ? null : serversThatFit(modelMemory, 'gpuBytes')) ?? serversOf(memory),
    modelMemory,
  };
}

export const isCapacity = (found: Capacity | NoCapacity): found is Capacity => !('kind' in found);

/** Requests that are under way at the level of a replica: those of an open loop by Little's law; null: not known. */
export function requestsUnderWay({ held: { point } }: Pick<Capacity, 'held'>): number | null {
  if (point.requestRate === undefined) return point.concurrency;
  const meanUs = point.scheduled?.avgUs ?? point.avgUs;
  return meanUs === null ? null : Math.max(1, Math.ceil((achievedRate(point) * meanUs) / 1e6));
}

/** Two significant digits, for a value that a person is to change. */
const rounded = (value: number, up: boolean): number => {
  const unit = 10 ** (Math.floor(Math.log10(value)) - 1);
  return Number(((up ? Math.ceil : Math.floor)(value / unit - (up ? 1e-9 : -1e-9)) * unit).toPrecision(2));
};

/** What a form begins with: the run's p99 budget, and the rate that one replica holds within it. null: nothing was measured. */
export function usualDraft(state: RunState): CapacityDraft | null {
  const best = answerOf(state, null)?.level?.point ?? decisiveLevels(state).at(-1)?.point;
  if (best === undefined || best.inferencesPerSecond === 0) return null;
  const p99Ms = budgetMsOf(state) ?? rounded(budgetLatencyUs(best) / 1000, true);
  const ask = { rate: 1, p99Ms, headroom: usualHeadroom, spare: usualSpare, pricePerHour: null };
  const found = capacityOf(state, ask);
  const rate = isCapacity(found) ? found.heldRate : best.inferencesPerSecond;
  return { ...ask, rate: rounded(rate, false) };
}

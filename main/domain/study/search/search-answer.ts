import type { TakenMemory } from '../../../contract/measured/model-memory';
import type { Look, Searched, SearchStrategy, ServedPlace } from '../../../contract/study/search';
import { medianOf } from '../../statistics';
import { type Arm, armOf, batchSizeOf, isPromise, rateAt, rateOf, type Step, stepsOf } from './arms';
import { candidateText } from './candidates';
import { isCutShort, pairedRatio, type Ratio, secondsOf, type Standing, standingOf } from './next-looks';
import { costOf, isLatencySearch, overMemoryText } from './objective';
import { type LowestLatency, searchSentence } from './search-sentence';
import { contextOf } from './searched-memory';

/** What a candidate came to. */
export interface SearchRow {
  readonly candidate: number;
  /** "model instances 2": what it does otherwise than the present one. */
  readonly text: string;
  readonly state:
    | 'best'
    | 'equal'
    | 'measured'
    | 'holds no load'
    | 'cannot win'
    | 'not judged'
    | 'over memory'
    | 'failed'
    | 'not measured';
  /** Why it failed, or what it takes. */
  readonly reason: string | null;
  /** Requests under way, or requests/s, that it holds within the target; null: none. */
  readonly load: number | null;
  /** At that load. */
  readonly inferencesPerSecond: number | null;
  /** Median of the looks at that load, microseconds. */
  readonly latencyUs: number | null;
  /** Of a million inferences at that load, in the currency of the price; null: no load, or not the objective. */
  readonly costPerMillion: number | null;
  /** Taken by it beside the others, bytes; null: not measured. */
  readonly hostBytes: number | null;
  readonly gpuBytes: number | null;
  readonly looks: number;
}

/** What a search comes to. */
export interface SearchAnswer {
  /** null: no candidate holds any load within the target. */
  readonly winner: SearchRow | null;
  readonly present: SearchRow;
  /**
   * What the winner gives of what the present one gives, or its latency of that one's where the latency is the objective;
   * null: not compared, or the winner is the present one.
   */
  readonly gain: Ratio | null;
  /** The interval of the gain has 1 in it. */
  readonly isWithinNoise: boolean;
  /** Others that cannot be told from the winner. */
  readonly equal: readonly SearchRow[];
  /** It ended by its budget before each candidate was judged. */
  readonly isCutShort: boolean;
  /** What the backend takes once, whatever the candidate; null: not measured. */
  readonly context: TakenMemory | null;
  /** The best one was measured at full length, at what it is said to hold. */
  readonly isConfirmed: boolean;
  readonly seconds: number;
  /** The lowest latency at any load that a candidate was asked to hold; null: none was. */
  readonly lowest: LowestLatency | null;
  /** The best first. */
  readonly rows: readonly SearchRow[];
  /** Where it was served last; null: not known. */
  readonly place: ServedPlace | null;
  readonly sentence: string;
}

/** At its best load; of a rate that was only inferred, at the one above it. */
function stepAt(search: SearchStrategy, { looks }: Searched, { candidate, best, highest }: Arm): Step | null {
  const steps = stepsOf(search, looks, candidate);
  const at = (wanted: number | null) => steps.find(({ step }) => step === wanted);
  return at(best) ?? at(highest) ?? null;
}

/** Inferences/s at the best load of a candidate. */
const heldRateOf = (search: SearchStrategy, { value }: Arm, step: Step | null): number | null =>
  isLatencySearch(search) ? (step?.inferencesPerSecond ?? null) : value;

/** A difference below 0 is noise. */
function takenBytes({ memory }: Searched, candidate: number, of: keyof TakenMemory): number | null {
  const bytes = memory?.[candidate]?.[of] ?? null;
  return bytes === null ? null : Math.max(0, bytes);
}

/** It was asked to hold a load, and not only screened. */
const isTried = ({ load }: SearchStrategy, looks: readonly Look[]): boolean =>
  (load.kind === 'open' && load.rate !== undefined) || looks.some(({ phase }) => phase === 'edge');

const loadOf = (search: SearchStrategy, step: number): number =>
  search.load.kind === 'open' ? rateAt(search, step) : (search.load.concurrency[step] ?? 0);

/** Of every candidate, at the load where it is the lowest. */
function lowestOf(search: SearchStrategy, searched: Searched): LowestLatency | null {
  const all = search.candidates.flatMap((_candidate, at) =>
    stepsOf(search, searched.looks, at + 1).flatMap(({ step, looks }) => {
      const answered = looks.filter(({ requestCount }) => requestCount > 0);
      const latencies = answered.map(({ latencyUs }) => latencyUs);
      return latencies.length === 0 ? [] : [{ load: loadOf(search, step), latencyUs: medianOf(latencies) }];
    }),
  );
  return all.toSorted((one, other) => one.latencyUs - other.latencyUs)[0] ?? null;
}

function textOf(candidates: SearchStrategy['candidates'], number: number): string {
  const [present, own] = [candidates[0], candidates[number - 1]];
  return present === undefined || own === undefined ? '' : candidateText(present, own);
}

function rowOf(search: SearchStrategy, searched: Searched, standing: Standing, candidate: number): SearchRow {
  const { candidates } = search;
  const arm = standing.ranked.find((one) => one.candidate === candidate);
  const error = searched.failed[candidate];
  const memory = overMemoryText(search, searched, candidate);
  const own = searched.looks.filter((look) => look.candidate === candidate);
  const step = arm === undefined ? null : stepAt(search, searched, arm);
  const at = step?.looks ?? [];
  const inferencesPerSecond = arm === undefined ? null : heldRateOf(search, arm, step);
  const state = (): SearchRow['state'] => {
    if (error !== undefined) return 'failed';
    if (memory !== null) return 'over memory';
    if (own.length === 0) return 'not measured';
    if (standing.winner?.candidate === candidate) return 'best';
    if (standing.equal.some((one) => one.candidate === candidate)) return 'equal';
    if (standing.unjudged.some((one) => one.candidate === candidate)) return 'not judged';
    if (arm === undefined) {
      // One that misses where another holds is left before a load that it holds is found.
      const { isSettled } = armOf(search, searched, candidate);
      return isTried(search, own) && isSettled ? 'holds no load' : 'cannot win';
    }
    return arm.isSettled ? 'measured' : 'cannot win';
  };
  return {
    candidate,
    text: textOf(candidates, candidate),
    state: state(),
    reason: error?.message ?? memory,
    load: arm?.best === undefined || arm.best === null ? null : loadOf(search, arm.best),
    inferencesPerSecond,
    latencyUs: at.length === 0 ? null : medianOf(at.map(({ latencyUs }) => latencyUs)),
    costPerMillion: costOf(search, inferencesPerSecond),
    hostBytes: takenBytes(searched, candidate, 'hostBytes'),
    gpuBytes: takenBytes(searched, candidate, 'gpuBytes'),
    looks: own.length,
  };
}

/** Of rates the interval is that of the steps: what each held, and what it did not. */
function rateGain(search: SearchStrategy, winner: Arm, present: Arm): Ratio {
  const at = ({ candidate }: Arm, step: number) => rateOf(step) * batchSizeOf(search, candidate);
  // The step that may be promised lies below the highest that held, as far for both.
  const gap = ({ beyond, highest }: Arm) => (beyond === null || highest === null ? 1 : beyond - highest);
  const next = (arm: Arm) => at(arm, (arm.best ?? 0) + gap(arm));
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
  if (isLatencySearch(search)) {
    const ratio = pairedRatio(search, searched, [winner, present], 'confirm');
    return ratio === null ? null : { ratio: 1 / ratio.ratio, low: 1 / ratio.high, high: 1 / ratio.low };
  }
  return search.load.kind === 'open'
    ? rateGain(search, winner, present)
    : pairedRatio(search, searched, [winner, present], 'confirm');
}

/** The gain does not tell the winner from the present one. */
const isNoise = (search: SearchStrategy, { low, high }: Ratio): boolean =>
  isLatencySearch(search) ? high >= 1 : low <= 1;

const order: readonly SearchRow['state'][] = [
  ...([
    'best',
    'equal',
    'measured',
    'cannot win',
    'not judged',
    'holds no load',
    'over memory',
    'not measured',
    'failed',
  ] as const),
];

/** The best one was measured at full length; of a rate that may be promised, at that rate. */
function isConfirmed(search: SearchStrategy, searched: Searched, { winner }: Standing): boolean {
  if (winner === null) return false;
  const looks = searched.looks.filter(({ phase }) => phase === 'confirm');
  const steps = stepsOf(search, looks, winner.candidate);
  return isPromise(search) ? steps.some(({ step }) => step === winner.best) : steps.length > 0;
}

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
    isWithinNoise: gain !== null && isNoise(search, gain),
    equal: all.filter(({ state }) => state === 'equal'),
    isCutShort: isCutShort(search, searched),
    context: contextOf(searched),
    isConfirmed: isConfirmed(search, searched, standing),
    seconds: secondsOf(searched),
    lowest: lowestOf(search, searched),
    rows,
    place: searched.place ?? null,
  };
  return { ...answer, sentence: searchSentence(search, answer) };
}

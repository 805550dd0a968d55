import { peakRateOf, type Stage } from '../../../contract/load/stages';
import type { Overload, Slice, Timeline } from '../../../contract/measured/timeline';
import { roundUs } from '../../../contract/numbers';
import { spanAbove } from '../../arrivals/staged-times';
import { isOverSaturated, type LoadSample } from './over-saturation';

export const outcome = { answered: 0, refused: 1, error: 2 } as const;

/** Requests of a level one by one, in any order; plain values that cross threads. */
export interface Outcomes {
  /** When each was due, microseconds from the start of the first window. */
  readonly dueUs: Float64Array;
  /** From then until its end. */
  readonly latencyUs: Float64Array;
  /** A value of {@link outcome}. */
  readonly kinds: Uint8Array;
}

/** perf_analyzer's nearest rank; null of none. */
function percentile(values: readonly number[], percent: number): number | null {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.floor((percent / 100) * (sorted.length - 1) + 0.5)] ?? null;
}

const rounded = (value: number | null): number | null => (value === null ? null : roundUs(value));

interface Sliced {
  readonly sliceUs: number;
  readonly spanUs: number;
  /** Of a request, in the mean. */
  readonly items: number;
  readonly budgetUs?: number | undefined;
}

class OpenSlice {
  readonly latencies: number[] = [];
  refused = 0;
  errors = 0;
  completed = 0;
  waitedUs = 0;
  good = 0;

  close(startUs: number, durationUs: number, { items, budgetUs }: Sliced): Slice {
    const { latencies, refused, errors } = this;
    const answered = latencies.length;
    const sum = latencies.reduce((total, one) => total + one, 0);
    return {
      ...{ startUs, durationUs },
      due: answered + refused + errors,
      ...{ answered, refused, errors },
      inferencesPerSecond: (1e6 * items * this.completed) / durationUs,
      avgUs: answered === 0 ? null : roundUs(sum / answered),
      p50Us: rounded(percentile(latencies, 50)),
      p99Us: rounded(percentile(latencies, 99)),
      inFlight: this.waitedUs / durationUs,
      ...(budgetUs === undefined ? {} : { good: this.good }),
    };
  }
}

/** Where slices begin and end. */
interface Bounds {
  readonly number: number;
  readonly indexAt: (timeUs: number) => number;
  /** The last ends with the measurement. */
  readonly endUs: (index: number) => number;
}

/** A rest shorter than half of a slice belongs to the one before: a rate needs some time. */
function boundsOf({ sliceUs, spanUs }: Sliced): Bounds {
  const number = Math.max(1, Math.round(spanUs / sliceUs));
  return {
    number,
    indexAt: (timeUs) => Math.min(number - 1, Math.max(0, Math.floor(timeUs / sliceUs))),
    endUs: (index) => (index === number - 1 ? spanUs : (index + 1) * sliceUs),
  };
}

/** Adds the time between due and end to each slice that it overlaps. */
function addWaiting(
  slices: readonly OpenSlice[],
  { sliceUs, indexAt, endUs }: Bounds & Pick<Sliced, 'sliceUs'>,
  fromUs: number,
  toUs: number,
): void {
  for (let index = indexAt(fromUs); index <= indexAt(toUs); index += 1) {
    const slice = slices[index];
    if (slice === undefined) continue;
    const overlapUs = Math.min(toUs, endUs(index)) - Math.max(fromUs, index * sliceUs);
    slice.waitedUs += Math.max(0, overlapUs);
  }
}

/** Results by time slice. Pure. */
export function timelineOf({ dueUs, latencyUs, kinds }: Outcomes, how: Sliced): Timeline {
  const { sliceUs, spanUs, budgetUs } = how;
  const bounds = boundsOf(how);
  const slices = Array.from({ length: bounds.number }, () => new OpenSlice());
  const at = (timeUs: number) => slices[bounds.indexAt(timeUs)];
  let good = 0;
  for (const [index, due] of dueUs.entries()) {
    const latency = latencyUs[index] ?? 0;
    const slice = at(due);
    if (slice === undefined) continue;
    if (kinds[index] === outcome.answered) {
      slice.latencies.push(latency);
      const end = at(due + latency);
      if (end !== undefined) end.completed += 1;
      if (budgetUs !== undefined && latency <= budgetUs) {
        slice.good += 1;
        good += 1;
      }
    } else if (kinds[index] === outcome.refused) slice.refused += 1;
    else slice.errors += 1;
    addWaiting(slices, { ...bounds, sliceUs }, due, due + latency);
  }
  return {
    sliceUs,
    ...(budgetUs === undefined ? {} : { budgetUs, goodPerSecond: (1e6 * good) / spanUs }),
    slices: slices.map((slice, index) =>
      slice.close(roundUs(index * sliceUs), Math.max(1, bounds.endUs(index) - index * sliceUs), how),
    ),
  };
}

interface OneRequest {
  readonly dueUs: number;
  readonly latencyUs: number;
  readonly kind: number | undefined;
}

const inOrder = ({ dueUs, latencyUs, kinds }: Outcomes): OneRequest[] =>
  Array.from(dueUs, (due, index) => ({
    dueUs: due,
    latencyUs: latencyUs[index] ?? 0,
    kind: kinds[index],
  })).sort((a, b) => a.dueUs - b.dueUs);

const shareOf = (requests: readonly OneRequest[], kind: number): number =>
  requests.length === 0 ? 0 : requests.filter((one) => one.kind === kind).length / requests.length;

const answeredIn = (requests: readonly OneRequest[]): readonly number[] =>
  requests.filter(({ kind }) => kind === outcome.answered).map(({ latencyUs }) => latencyUs);

/** With fewer requests before the overload nobody knows what well is. */
const fewestBefore = 20;
/** p99 of the time before, times this. */
const wellFactor = 2;

/** In so many requests one after the other, one may be late. */
const group = 20;

/** Due time of the last request of a group in which more than one was late, refused or failed; null: no group has. */
function lastUnwell(requests: readonly OneRequest[], wellUs: number): number | null {
  const isBad = ({ kind, latencyUs }: OneRequest) => kind !== outcome.answered || latencyUs > wellUs;
  let [bad, last]: [number, number | null] = [0, null];
  for (const [index, request] of requests.entries()) {
    if (isBad(request)) bad += 1;
    const left = requests[index - group];
    if (left !== undefined && isBad(left)) bad -= 1;
    if (isBad(request) && bad > 1) last = request.dueUs;
  }
  return last;
}

const samplesOfOverload = 20;

/** Whether the overload by itself, seen in even parts, queues to its end. */
function isEndless(requests: readonly OneRequest[], fromUs: number, toUs: number, scatter: number): boolean {
  const partUs = (toUs - fromUs) / samplesOfOverload;
  const samples = Array.from({ length: samplesOfOverload }, (_unused, index): LoadSample => {
    const atUs = fromUs + (index + 1) * partUs;
    const own = requests.filter(({ dueUs }) => dueUs > atUs - partUs && dueUs <= atUs);
    const answered = answeredIn(own);
    const sum = answered.reduce((total, one) => total + one, 0);
    return {
      inFlight: requests.filter(({ dueUs, latencyUs }) => dueUs <= atUs && dueUs + latencyUs > atUs).length,
      latencyUs: answered.length === 0 ? null : sum / answered.length,
    };
  });
  const due = requests.filter(({ dueUs }) => dueUs >= fromUs && dueUs < toUs).length;
  return isOverSaturated(samples, { requests: due, scatter });
}

/** Share of refusals up to which a server queues rather than refuses. */
const fewRefused = 0.01;

/**
 * What the stages above the promised rate came to; null where none is. Pure.
 * @param how.scatter squared coefficient of variation of the intervals
 */
export function overloadOf(
  outcomes: Outcomes,
  stages: readonly Stage[],
  how: { readonly promisedRate: number; readonly scatter: number; readonly budgetUs?: number | undefined },
): Overload | null {
  const { promisedRate, scatter, budgetUs } = how;
  const span = spanAbove(stages, promisedRate);
  if (span === null) return null;
  const { fromUs, toUs } = span;
  const requests = inOrder(outcomes);
  const before = answeredIn(requests.filter(({ dueUs }) => dueUs < fromUs));
  const within = requests.filter(({ dueUs }) => dueUs >= fromUs && dueUs < toUs);
  const after = requests.filter(({ dueUs }) => dueUs >= toUs);
  const usual = before.length < fewestBefore ? null : percentile(before, 99);
  const wellUs = budgetUs ?? (usual === null ? null : wellFactor * usual);
  const unwell = wellUs === null ? null : lastUnwell(after, wellUs);
  const isWellAtEnd = unwell === null || after.filter(({ dueUs }) => dueUs > unwell).length >= group;
  const refusedShare = shareOf(within, outcome.refused);
  return {
    factor: peakRateOf(stages) / promisedRate,
    ...{ fromUs, toUs, due: within.length, refusedShare },
    errorShare: shareOf(within, outcome.error),
    p99Us: rounded(percentile(answeredIn(within), 99)),
    wellUs: rounded(wellUs),
    endless: refusedShare <= fewRefused && isEndless(requests, fromUs, toUs, scatter),
    recoveryUs:
      wellUs === null || !isWellAtEnd || after.length < group
        ? null
        : roundUs(Math.max(0, (unwell ?? toUs) - toUs)),
  };
}

/** Of the windows of a level. */
export function joinedOutcomes(parts: readonly Outcomes[]): Outcomes {
  const length = parts.reduce((sum, { kinds }) => sum + kinds.length, 0);
  const all = {
    dueUs: new Float64Array(length),
    latencyUs: new Float64Array(length),
    kinds: new Uint8Array(length),
  };
  let at = 0;
  for (const { dueUs, latencyUs, kinds } of parts) {
    all.dueUs.set(dueUs, at);
    all.latencyUs.set(latencyUs, at);
    all.kinds.set(kinds, at);
    at += kinds.length;
  }
  return all;
}

/** Slices of a level with stages. */
const usualSlices = 40;

/** Length of the slices; null: results have none. @param spanUs of the level */
export function sliceUsOf(
  { sliceDurationS, stages }: { readonly sliceDurationS?: number | undefined; readonly stages?: unknown },
  spanUs: number,
): number | null {
  if (sliceDurationS !== undefined) return 1e6 * sliceDurationS;
  return stages === undefined ? null : 1e5 * Math.max(1, Math.round(spanUs / usualSlices / 1e5));
}

import type { EnsembleStep } from '../triton/model-traits';

/** Mean times per request, in microseconds. */
export interface StepTimes {
  readonly queueUs: number;
  readonly computeInputUs: number;
  readonly computeInferUs: number;
  readonly computeOutputUs: number;
  /** Sum of the four and the cache time. */
  readonly knownUs: number;
}

export interface PathTimes extends StepTimes {
  /** Models in order of execution. */
  readonly path: readonly string[];
}

const nothing: PathTimes = {
  queueUs: 0,
  computeInputUs: 0,
  computeInferUs: 0,
  computeOutputUs: 0,
  knownUs: 0,
  path: [],
};

const added = (before: PathTimes, next: PathTimes): PathTimes => ({
  queueUs: before.queueUs + next.queueUs,
  computeInputUs: before.computeInputUs + next.computeInputUs,
  computeInferUs: before.computeInferUs + next.computeInferUs,
  computeOutputUs: before.computeOutputUs + next.computeOutputUs,
  knownUs: before.knownUs + next.knownUs,
  path: [...before.path, ...next.path],
});

/** Sum over all steps, even parallel ones. */
export const sumOfSteps = (times: readonly PathTimes[]): PathTimes => times.reduce(added, nothing);

/**
 * The longest chain of steps, each starting when its inputs are written. It uses mean times, so a request's own mean
 * may be longer.
 * @param times per step
 * @returns null for cyclic steps
 */
export function criticalPath(
  steps: readonly Pick<EnsembleStep, 'reads' | 'writes'>[],
  times: readonly PathTimes[],
): PathTimes | null {
  const writers = new Map(steps.flatMap(({ writes }, index) => writes.map((tensor) => [tensor, index])));
  const ends = new Map<number, PathTimes | null>();
  const endOf = (index: number): PathTimes | null => {
    const known = ends.get(index);
    if (known !== undefined) return known;
    // Marks a step in progress: reaching it again is a cycle.
    ends.set(index, null);
    let latest = nothing;
    for (const tensor of steps[index]?.reads ?? []) {
      const writer = writers.get(tensor);
      if (writer === undefined) continue;
      const end = endOf(writer);
      if (end === null) return null;
      if (end.knownUs > latest.knownUs) latest = end;
    }
    const end = added(latest, times[index] ?? nothing);
    ends.set(index, end);
    return end;
  };
  let longest: PathTimes | null = nothing;
  for (const index of steps.keys()) {
    const end = endOf(index);
    if (end === null) return null;
    if (end.knownUs > longest.knownUs) longest = end;
  }
  return longest;
}

import type { EnsembleStep } from '../triton/model-traits';

/** Mean times of one request in a step, microseconds. */
export interface StepTimes {
  readonly queueUs: number;
  readonly computeInputUs: number;
  readonly computeInferUs: number;
  readonly computeOutputUs: number;
  /** The four and, where a cache answers, its time. */
  readonly knownUs: number;
}

export interface PathTimes extends StepTimes {
  /** Names of the models, one after the other. */
  readonly path: readonly string[];
}

const nothing: PathTimes = {
  ...{ queueUs: 0, computeInputUs: 0, computeInferUs: 0, computeOutputUs: 0, knownUs: 0 },
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

/** All steps one after the other, whether they run side by side or not. */
export const sumOfSteps = (times: readonly PathTimes[]): PathTimes => times.reduce(added, nothing);

/**
 * The steps of an ensemble that take longest one after the other: each begins when all that it reads is written. By the mean
 * times of the steps; a request waits for whichever of two is later, so its own mean may be longer.
 * @param times of each step.
 * @returns null where steps wait for one another in a circle.
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
    // Found again before its own end: a circle.
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

import type { Searched, SearchStrategy } from '../../../contract/study/search';
import { medianOf } from '../../statistics';
import { stepsOf } from './arms';
import { candidateText } from './candidates';

/** A load that a candidate was measured at. */
export interface SearchPoint {
  readonly candidate: number;
  /** "model instances 2". */
  readonly text: string;
  /** Mean of the looks. */
  readonly inferencesPerSecond: number;
  /** Median of the looks, of the percentile of the target, microseconds. */
  readonly latencyUs: number;
  /** Within the target. */
  readonly held: boolean;
}

/** Every load of every candidate; not what it gives when it is never idle, which is no load to promise. Pure. */
export function searchPoints(search: SearchStrategy, { looks }: Searched): readonly SearchPoint[] {
  const [present] = search.candidates;
  return search.candidates.flatMap((candidate, at) =>
    stepsOf(search, looks, at + 1).map((step) => ({
      candidate: at + 1,
      text: candidateText(present ?? candidate, candidate),
      inferencesPerSecond: step.inferencesPerSecond,
      latencyUs: medianOf(step.looks.map(({ latencyUs }) => latencyUs)),
      held: step.held,
    })),
  );
}

/** Those that no other beats in both throughput and latency, ascending. Pure. */
export function searchFront(points: readonly SearchPoint[]): readonly SearchPoint[] {
  const fastest = points.toSorted(
    (one, other) => other.inferencesPerSecond - one.inferencesPerSecond || one.latencyUs - other.latencyUs,
  );
  const front: SearchPoint[] = [];
  for (const point of fastest) {
    if (point.latencyUs < (front.at(-1)?.latencyUs ?? Infinity)) front.push(point);
  }
  return front.reverse();
}

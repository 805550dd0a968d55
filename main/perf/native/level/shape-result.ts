import { stagesOf } from '../../../contract/load/stages';
import type { LoadPoint } from '../../../contract/measured/results';
import type { Refused } from '../../../contract/measured/timeline';
import type { PerformanceSpec } from '../../../contract/run/run-spec';
import { present } from '../../../contract/trees';
import { type RefusalKind, refusalKinds } from '../../../domain/measured/overload/refusals';
import {
  joinedOutcomes,
  overloadOf,
  sliceUsOf,
  timelineOf,
} from '../../../domain/measured/overload/timeline';
import type { RecordedWindow } from '../seam/load-job';
import type { FailureCount } from '../seam/transport';

export interface ShapeSettings extends Pick<
  Partial<PerformanceSpec>,
  'stages' | 'sliceDurationS' | 'latencyThresholdMs'
> {
  /** Squared coefficient of variation of the intervals between requests. */
  readonly scatter: number;
}

const isRefused = ({ kind }: FailureCount): boolean => refusalKinds.some((known) => known === kind);

/** Failures that are no refusals; undefined: none. */
export function errorsIn(failures: readonly FailureCount[]): FailureCount[] | undefined {
  const errors = failures.filter((failure) => !isRefused(failure));
  return errors.length === 0 ? undefined : errors;
}

/** undefined: none was refused. */
export function refusedIn(failures: readonly FailureCount[]): Refused | undefined {
  if (!failures.some(isRefused)) return undefined;
  const countOf = (wanted: RefusalKind): number =>
    failures.reduce((sum, { kind, count }) => sum + (kind === wanted ? count : 0), 0);
  return {
    queueFull: countOf('queue full'),
    timeout: countOf('timeout'),
    cancelled: countOf('cancelled'),
  };
}

/** Results by time slice, and of stages what their overload came to; nothing of other levels. */
export function shapeColumns(
  windows: readonly RecordedWindow[],
  { requestRate }: { readonly requestRate?: number | undefined },
  items: number,
  shape: ShapeSettings | undefined,
): Pick<LoadPoint, 'stages' | 'timeline' | 'overload'> {
  const last = windows.at(-1);
  const outcomes = windows.flatMap((window) => window.outcomes ?? []);
  if (shape === undefined || last === undefined || outcomes.length < windows.length) return {};
  const { stages: texts, sliceDurationS, latencyThresholdMs = 0, scatter } = shape;
  const all = joinedOutcomes(outcomes);
  const spanUs = last.startUs + last.durationUs;
  const stages = texts === undefined || requestRate === undefined ? undefined : stagesOf(texts, requestRate);
  const sliceUs = sliceUsOf({ ...present({ sliceDurationS }), stages }, spanUs);
  if (sliceUs === null) return {};
  const budget = latencyThresholdMs > 0 ? { budgetUs: 1000 * latencyThresholdMs } : {};
  const overload =
    stages === undefined || requestRate === undefined
      ? null
      : overloadOf(all, stages, { promisedRate: requestRate, scatter, ...budget });
  return {
    timeline: timelineOf(all, { sliceUs, spanUs, items, ...budget }),
    ...present({ stages: stages && [...stages], overload }),
  };
}

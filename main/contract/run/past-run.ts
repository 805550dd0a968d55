import type { StepId } from './run-events';

/** What an earlier run has in common with another: the whole choice, or model and engine. */
export type Alike = 'choice' | 'model';

/** What a complete run of this machine took, in seconds. */
export interface PastRun {
  readonly alike: Alike;
  /** By step; 0 where it reused files or was not needed. Of a sweep the time outside of its levels. */
  readonly stepS: Readonly<Partial<Record<StepId, number>>>;
  /** Mean of its levels; null: no level has a time. */
  readonly levelS: number | null;
  /** A level by its settings; null where windows end by count. */
  readonly plannedLevelS: number | null;
}

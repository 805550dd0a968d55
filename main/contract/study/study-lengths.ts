import type { LoadPoint } from '../measured/results';
import type { Scenario } from '../run/run-events';

/** A level of a run whose texts have these lengths. */
export interface StudyLengthRow {
  /** Of the run. */
  readonly number: number;
  readonly lengths: string;
  readonly choice: string;
  readonly scenario: Scenario;
  readonly point: LoadPoint;
}

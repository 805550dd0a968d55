import type { WireError } from '../errors';
import type { RunSpec } from '../run/run-spec';
import type { RunState } from '../run/run-state';
import type { MatrixAxis } from '../run/spec-tools';

/** One run of a matrix: planned, left out, or with what it came to. */
export interface MatrixResult {
  /** Place in the matrix, from 1 on. */
  readonly number: number;
  readonly axes: readonly MatrixAxis[];
  /** null where the choice is no specification. */
  readonly spec: RunSpec | null;
  /** null where no run was created. */
  readonly state: RunState | null;
  /** Why it cannot be run at all; null where it can. */
  readonly leftOut: string | null;
  /** What kept it from being started or taken up. */
  readonly error: WireError | null;
  /** Hosts that it may be measured on, "local" for this machine; absent: it is not spread over hosts. */
  readonly hosts?: readonly string[];
}

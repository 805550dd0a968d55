import type { StudyTrial } from '../contract/study/study';
import type { MatrixResult } from '../domain/measured/matrix-result';

/** Says what to try next from what is known, and nothing else. Pure. */
export interface Strategy {
  /** @param known every trial so far, with what it came to. None proposed: the study is at its end. */
  propose(known: readonly MatrixResult[]): readonly StudyTrial[];
}

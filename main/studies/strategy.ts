import { z } from 'zod';
import { invalidInput } from '../contract/errors';
import type { StudySpec, StudyTrial } from '../contract/study/study';
import type { MatrixResult } from '../domain/measured/matrix-result';

/** Says what to try next from what is known, and nothing else. Pure. */
export interface Strategy {
  /** @param known every trial so far, with what it came to. None proposed: the study is at its end. */
  propose(known: readonly MatrixResult[]): readonly StudyTrial[];
}

/** A strategy by what is asked of it. Throws input-invalid for what it does not take. */
export type StrategyOf = (asked: StudySpec['strategy']) => Strategy;

/** @param schema what it takes, its kind and trials included */
export const strategyBy =
  <Asked>(schema: z.ZodType<Asked>, create: (asked: Asked) => Strategy): StrategyOf =>
  (asked) => {
    const read = schema.safeParse(asked);
    if (!read.success) throw invalidInput('strategy', z.prettifyError(read.error));
    return create(read.data);
  };

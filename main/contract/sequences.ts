import { z } from 'zod';

const positive = z.int().min(1);

/** Requests of stateful models, by perf_analyzer's terms. */
export const sequenceSchema = z.strictObject({
  /** Requests of a sequence, give or take the variation. */
  length: positive.default(20),
  /** Percent of the length by which sequences are shorter or longer. */
  lengthVariation: z.number().min(0).max(100).default(20),
  /** Sequences at once of request-rate levels; of concurrency levels as many as the concurrency. */
  concurrent: positive.default(4),
  /** Correlation ids go from the first to before the end, and then begin anew; without an end they go on. */
  firstId: positive.default(1),
  endId: positive.optional(),
});
export type SequenceSettings = z.infer<typeof sequenceSchema>;

import { z } from 'zod';

const us = z.number().min(0);
const count = z.int().min(0).nullable();

/** The server's part in one model of an ensemble, per request of that model; null: not reported. */
export const composingModelSchema = z.object({
  modelName: z.string(),
  /** '' where the server chose and the tool does not say. */
  modelVersion: z.string(),
  /** Requests answered in the merged windows, also those outside the ensemble. */
  requestCount: count,
  inferenceCount: count,
  executionCount: count,
  queueUs: us.nullable(),
  computeInputUs: us.nullable(),
  computeInferUs: us.nullable(),
  computeOutputUs: us.nullable(),
  cacheHitCount: count,
  cacheMissCount: count,
});
export type ComposingModelColumns = z.infer<typeof composingModelSchema>;

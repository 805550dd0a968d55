import { z } from 'zod';

const us = z.number().min(0);
const count = z.int().min(0).nullable();

/** What the server did for one model of an ensemble, a request of that model; null what the tool did not give. */
export const composingModelSchema = z.object({
  modelName: z.string(),
  /** '' where the server chose and the tool does not say. */
  modelVersion: z.string(),
  /** Requests that the model answered in the merged windows, also those of others than the ensemble. */
  requestCount: count,
  /** Batch items, and executed batches. */
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

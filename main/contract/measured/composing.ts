import { z } from 'zod';
import { later } from '../later';

const us = z.number().min(0);
const count = z.int().min(0).nullable();

/** The server's part in one model of an ensemble, or that is called by BLS, per request of that model; null: not reported. */
export const composingModelSchema = later(() =>
  z.object({
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
    /** Of its configuration; null: an ensemble, or as many as the server chose. */
    instances: z.int().min(1).nullable().optional(),
    /** 0: no batch dimension. */
    maxBatchSize: z.int().min(0).optional(),
    /** True for one that the measured model calls by BLS, within its own compute. */
    bls: z.boolean().optional(),
  }),
);
export type ComposingModelColumns = z.infer<typeof composingModelSchema>;

import { z } from 'zod';
import { later } from '../../later';
import { spreadSchema } from '../spread';

const us = z.number().min(0);

/** Latency from the time a request was due, including its wait for a slow server. */
export const scheduledSchema = later(() =>
  z.object({
    avgUs: us,
    p50Us: us,
    p90Us: us,
    p95Us: us,
    p99Us: us,
    maxUs: us,
    /** Requests sent more than a millisecond after they were due. */
    delayedCount: z.int().min(0),
  }),
);

/** Requests over a stream (ModelStreamInfer), with any number of answers each. null: not reported. */
export const streamingSchema = later(() =>
  z.object({
    /** The model's configuration allows any number of answers per request. */
    decoupled: z.boolean(),
    /** Answers with content; per request and per second. */
    responsesPerRequest: z.number().min(0).nullable(),
    responsesPerSecond: z.number().min(0),
    fewestResponses: z.int().min(0).nullable(),
    mostResponses: z.int().min(0).nullable(),
    /** From the send to the first answer with content; null where no request had one. */
    firstResponse: spreadSchema.nullable(),
    interResponse: spreadSchema.nullable(),
    /** From the send to the final answer, which may only mark the end. */
    finalResponse: spreadSchema.nullable(),
  }),
);

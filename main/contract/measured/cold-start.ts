import { z } from 'zod';
import { later } from '../later';

const us = z.number().min(0);

/** `own`: each first request had a load of its own. `shared`: all came after one load. `running`: nothing was loaded. */
export const coldLoads = ['own', 'shared', 'running'] as const;

const firstRequestSchema = later(() =>
  z.object({
    batchSize: z.int().min(1),
    /** "ids [128]", of one sample; absent: the model was asked in one shape. */
    shape: z.string().optional(),
    /** null: it got no response, and `error` says why. */
    firstUs: us.nullable(),
    error: z.string().optional(),
  }),
);
export type FirstRequest = Readonly<z.infer<typeof firstRequestSchema>>;

const steadySchema = later(() => z.object({ batchSize: z.int().min(1), p50Us: us, p99Us: us }));
/** A level of steady load that a first request is compared with. */
export type SteadyLatency = Readonly<z.infer<typeof steadySchema>>;

/** What it takes until a model serves, and its first request at each batch size after a load. */
export const coldStartSchema = later(() =>
  z.object({
    /** Of the model, its configuration and the requests: what has the same key is not measured again. */
    key: z.string(),
    loads: z.enum(coldLoads),
    /** From the start of Triton until it is ready without models; null: not known. */
    startUs: us.nullable(),
    /** Load of the model with its warm-up, the median where it was loaded several times; null: not known. */
    loadUs: us.nullable(),
    /** From the start of Triton until it serves the model; null: not known. */
    readyUs: us.nullable(),
    requests: z.array(firstRequestSchema),
    /** Batch sizes of `model_warmup`; empty: none. */
    warmUp: z.array(z.int().min(1)),
    /** Why first requests are missing; absent where none is. */
    reason: z.string().optional(),
    /** Of the run whose model is deployed; absent: of the levels of the run itself. */
    steady: z.array(steadySchema).optional(),
  }),
);
export type ColdStart = Readonly<z.infer<typeof coldStartSchema>>;

/** What makes a warm-up beside the model's batch sizes. */
export const warmUpKinds = ['zero', 'random', 'samples'] as const;
export type WarmUpKind = (typeof warmUpKinds)[number];

const trialSideSchema = later(() =>
  z.object({
    /** Of each load. */
    loadUs: z.array(us),
    requests: z.array(
      z.object({
        batchSize: z.int().min(1),
        /** By round. */
        firstUs: z.array(us),
        /** Of the requests that followed it on the same load. */
        nextUs: z.array(us),
      }),
    ),
  }),
);
export type TrialSide = Readonly<z.infer<typeof trialSideSchema>>;

/** First requests without and with a warm-up, in turns on fresh loads. */
export const warmUpTrialSchema = later(() =>
  z.object({
    kind: z.enum(warmUpKinds),
    /** Batch sizes of the warm-up that was tried. */
    warmUp: z.array(z.int().min(1)),
    rounds: z.int().min(1),
    before: trialSideSchema,
    after: trialSideSchema,
  }),
);
export type WarmUpTrial = Readonly<z.infer<typeof warmUpTrialSchema>>;

export const leastTrialRounds = 3;
export const mostTrialRounds = 50;
/** The fewest for which the order of the values gives an interval of 95 %. */
export const usualTrialRounds = 6;

export const warmUpAskSchema = z.strictObject({
  kind: z.enum(warmUpKinds).optional(),
  /** Of the warm-up; absent: those of the run, else the usual ones. */
  batchSizes: z.array(z.int().min(1)).min(1).max(64).optional(),
  rounds: z.int().min(leastTrialRounds).max(mostTrialRounds).optional(),
});
export type WarmUpAsk = Readonly<z.infer<typeof warmUpAskSchema>>;

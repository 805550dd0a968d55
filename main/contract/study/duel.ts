import { z } from 'zod';
import { later } from '../later';
import { runIdPattern } from '../opened';
import { loadTools, protocols, sharedMemories } from '../run/run-spec';
import { configuredSchema, runningSchema, serverSchema } from './search';

const positive = z.int().min(1);
const runId = z.string().regex(runIdPattern);

export const duelLevelSchema = later(() =>
  z.union([
    z.strictObject({ batchSize: positive, concurrency: positive }),
    z.strictObject({ batchSize: positive, requestRate: z.number().positive() }),
  ]),
);
export type DuelLevel = Readonly<z.infer<typeof duelLevelSchema>>;

const sideSchema = later(() =>
  z.strictObject({
    runId,
    /** "accepted", "present configuration", "model instances 2". */
    title: z.string(),
    level: duelLevelSchema,
    /** Fields that differ from those of the run; absent: the configuration as it was verified. */
    configure: configuredSchema.partial().optional(),
    /** How requests are sent, where it is not as in the run. */
    sending: z
      .strictObject({
        protocol: z.enum(protocols),
        sharedMemory: z.enum(sharedMemories),
        loadTool: z.enum(loadTools),
      })
      .partial()
      .optional(),
  }),
);
export type DuelSide = Readonly<z.infer<typeof sideSchema>>;

/** Measures two verified models in turns until the difference is clear. */
export const duelStrategySchema = later(() =>
  z.object({
    kind: z.literal('duel'),
    /** The first is what the second is compared with. */
    sides: z.tuple([sideSchema, sideSchema]),
    /** "throughput<0.93x"; none: whether they differ at all. */
    criteria: z.array(z.string()).max(16),
    /** Largest share of failed requests with which a side is judged. */
    errorPercentage: z.number().min(0).max(100),
    /** Absent: the engine of the runs starts one. */
    server: runningSchema.optional(),
    /** Seconds of load. */
    budgetS: z.number().positive(),
    /** Of one measurement with its warm-up, milliseconds. */
    lookMs: positive,
  }),
);
export type DuelStrategy = Readonly<z.infer<typeof duelStrategySchema>>;

/** What a person asks for; what is left out is taken from the runs. */
export const duelRequestSchema = later(() =>
  z.strictObject({
    /** Two runs, or a run with and without a suggestion (from 1) of what limits it. */
    between: z.union([
      z.strictObject({ first: runId, second: runId }),
      z.strictObject({ runId, suggestion: positive }),
    ]),
    /** Absent: by date and time. */
    name: z.string().optional(),
    criteria: z.array(z.string().max(64)).max(16).optional(),
    batchSize: positive.optional(),
    concurrency: positive.optional(),
    requestRate: z.number().positive().optional(),
    /** A Triton that runs already; absent: the engine of the runs starts one. */
    server: serverSchema.optional(),
    budgetS: z.number().positive().optional(),
  }),
);
export type DuelRequest = Readonly<z.infer<typeof duelRequestSchema>>;

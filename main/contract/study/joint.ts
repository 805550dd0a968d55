import { z } from 'zod';
import { later } from '../later';
import { runIdPattern, studyNamePattern } from '../opened';
import { choiceSchema } from '../run/spec-tools';
import { candidateSchema, memoryLimitsSchema, searchSpaceSchema } from './search';

const positive = z.int().min(1);
const rate = z.number().positive().max(1e6);

/** What is best: the most load in the proportion of the rates, or the fewest instances that hold the rates. */
export const jointObjectives = ['load', 'instances'] as const;

const goal = {
  objective: z.enum(jointObjectives),
  /** Most of all models together. */
  memory: memoryLimitsSchema.optional(),
  /** Seconds of load, the last comparison among them. */
  budgetS: z.number().positive(),
};

const jointModelSchema = later(() =>
  z.strictObject({
    title: z.string(),
    /** The finished run whose model it is; null: a trial makes it. */
    runId: z.string().regex(runIdPattern).nullable(),
    /** The first is the run as it is. Numbers of candidates count through all models. */
    candidates: z.array(candidateSchema).min(1).max(200),
    /** Of each request. */
    batchSize: positive,
    /** Inferences/s at a load factor of 1; of a mix its share of all. */
    rate,
    percentile: z.int().min(50).max(99),
    latencyUs: positive,
    /** Largest share of failed requests. */
    errorPercentage: z.number().min(0).max(100),
  }),
);
export type JointModel = Readonly<z.infer<typeof jointModelSchema>>;

/** Finds configurations of several models that serve side by side, each within a target of its own. */
export const jointStrategySchema = later(() =>
  z.object({
    kind: z.literal('joint'),
    models: z.array(jointModelSchema).min(2).max(16),
    /** The rates are shares of a mix: a load factor is the inferences/s of all together. */
    isMix: z.boolean(),
    ...goal,
    /** Of a short measurement of all models, and of one of the last comparison, milliseconds. */
    lookMs: positive,
    fullMs: positive,
  }),
);
export type JointStrategy = Readonly<z.infer<typeof jointStrategySchema>>;

/** A model of the file of several; what is left out is taken from its run. */
const fileModelSchema = z.strictObject({
  /** Run, preset, own model or file with a specification. */
  model: z.string().min(1).max(4096),
  /** How it is called in the answer; absent: by its served name. */
  title: z.string().min(1).max(40).optional(),
  rate: rate.optional(),
  share: rate.optional(),
  p99Ms: z.number().positive().max(3.6e6).optional(),
  batchSize: positive.optional(),
  space: later(() =>
    searchSpaceSchema
      .unwrap()
      .omit({ format: true, precision: true, backendAccelerator: true, batchSize: true }),
  ),
});

/** Several models that are searched together, as a file asks for it. */
export const jointFileSchema = z.strictObject({
  models: z
    .array(fileModelSchema.partial({ space: true }))
    .min(2)
    .max(16),
  name: z.string().regex(studyNamePattern, 'must have up to 40 letters, digits, ".", "_" and "-"').optional(),
  objective: goal.objective.optional(),
  budgetS: goal.budgetS.optional(),
  gpuMemoryMiB: positive.optional(),
  hostMemoryMiB: positive.optional(),
});
export type JointFile = Readonly<z.infer<typeof jointFileSchema>>;

/** With the line of each model, from 1. */
export interface PlacedJointFile {
  readonly file: JointFile;
  readonly lines: readonly number[];
}

/** What is asked for, with the run of each model, or what makes it. */
export const jointRequestSchema = jointFileSchema.extend({
  models: z
    .array(
      fileModelSchema
        .omit({ model: true })
        .partial({ space: true })
        .extend({
          of: z.strictObject({ runId: z.string().regex(runIdPattern), choice: choiceSchema }).partial(),
        }),
    )
    .min(2)
    .max(16),
});
export type JointRequest = Readonly<z.infer<typeof jointRequestSchema>>;

import { z } from 'zod';

/** What can limit a measured level. */
export const limitKinds = [
  'client',
  'cold-requests',
  'batch-formation',
  'queue',
  'queue-stall',
  'composing-model',
  'compute',
  'transfer',
  'gpu-idle',
  'gpu-throttled',
  'too-little-load',
] as const;

const evidenceSchema = z.object({
  title: z.string(),
  value: z.number().describe('Microseconds, 0 to 1, or a number, by its kind.'),
  kind: z.enum(['duration', 'rate', 'count', 'share']),
});
/** A number that a limit rests on. */
export type LimitEvidence = Readonly<z.infer<typeof evidenceSchema>>;

const limitSchema = z.object({
  kind: z.enum(limitKinds),
  weight: z
    .number()
    .describe('0 to 1: how much of the mean latency, or of what the model could do, it takes.'),
  sentence: z.string(),
  evidence: z.array(evidenceSchema).readonly(),
});
export type Limit = Readonly<z.infer<typeof limitSchema>>;

const predictedSchema = z.object({
  predictedThroughputRatio: z.number(),
  predictedP99Ratio: z.number().nullable().describe('null: the queue grows with or without the change.'),
});
/** By how much a change is predicted to help: ratios to the prediction for what is, at the same load. */
export type PredictedEffect = Readonly<z.infer<typeof predictedSchema>>;

const fieldsSchema = z.record(z.string(), z.unknown());

const suggestionSchema = z.object({
  text: z.string(),
  change: z
    .object({ configure: fieldsSchema.optional(), performance: fieldsSchema.optional() })
    .describe('Fields of the specification, with their values; empty: of another model.'),
  predicted: predictedSchema
    .nullable()
    .describe('Predicted, not measured; null: there is nothing to predict it from.'),
  predictedText: z.string().nullable(),
});

/** What limits the level of a run's answer, in its report and in `show --json`. */
export const limitsDocumentSchema = z.object({
  scenario: z.enum(['offline', 'online']),
  batchSize: z.int(),
  concurrency: z.int(),
  requestRate: z.number().optional(),
  limits: z.array(limitSchema).describe('The heaviest first.'),
  suggestions: z.array(suggestionSchema).describe('At most three, the most promising first.'),
});

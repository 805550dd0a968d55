import { z } from 'zod';
import { comparedOutputSchema, outputRulesSchema } from './measured/output-rules';
import { taskFigureSchema, truthSchema } from './measured/task-figures';

export const goldenKind = 'triton-workbench-golden';
/** The entry of an npz archive beside its arrays. */
export const goldenHeaderEntry = 'golden.json';

/** What a golden file says beside its samples. A file of another tool has none of it. */
export const goldenHeaderSchema = z.object({
  kind: z.literal(goldenKind),
  version: z.literal(1),
  model: z.string().min(1),
  modelVersion: z.string().optional(),
  /** Address, run or deployment. */
  recordedFrom: z.string().optional(),
  recordedAt: z.string().optional(),
  tritonVersion: z.string().optional(),
  /** How each output is compared; absent: as usual for its type. `*` is every output without an own rule. */
  outputs: outputRulesSchema.default({}),
});
export type GoldenHeader = z.infer<typeof goldenHeaderSchema>;

/** A tensor in Triton's JSON form; `b64`: its raw bytes, where JSON has no exact values. */
export const goldenTensorSchema = z.object({
  name: z.string().min(1),
  datatype: z.string().min(1),
  shape: z.array(z.int().min(0)).max(64),
  data: z.array(z.unknown()).optional(),
  b64: z.string().optional(),
});
export type GoldenTensor = z.infer<typeof goldenTensorSchema>;

/** A request and what came of it, as Triton's `infer` takes and gives them. */
export const goldenSampleSchema = z.object({
  id: z.string().optional(),
  inputs: z.array(goldenTensorSchema).min(1),
  outputs: z.array(goldenTensorSchema).default([]),
  /** Further outputs of the reference, for figures only: another answer is as good within the tolerance. */
  notCompared: z.array(goldenTensorSchema).optional(),
  /** Of a labeled data set. */
  truth: truthSchema.optional(),
});

export const goldenFileSchema = goldenHeaderSchema.extend({ samples: z.array(goldenSampleSchema) });
export type GoldenFile = z.infer<typeof goldenFileSchema>;

/** What comparing a model with a golden file came to. */
export const goldenCheckSchema = z.object({
  model: z.string(),
  samples: z.int().min(0),
  outputs: z.array(comparedOutputSchema),
  /** Outputs of the model that the file has no values of. */
  notChecked: z.array(z.string()),
  /** Samples whose true answers the file has, and the figures of these; absent: it has none. */
  labeled: z.int().min(1).optional(),
  figures: z.array(taskFigureSchema).optional(),
  passed: z.boolean(),
});
export type GoldenCheck = z.infer<typeof goldenCheckSchema>;

import { z } from 'zod';
import type { Preset } from './preset';
import type { ModelSource } from './run-spec';
import type { Choice } from './spec-tools';

/** A path of the engineer's and, by input, shapes and datatypes where the file does not say them. */
export const openModelSchema = z.strictObject({
  path: z.string().min(1).max(4096),
  shapes: z.record(z.string(), z.array(z.int().min(1))).default({}),
  datatypes: z.record(z.string(), z.string()).default({}),
});
/** `sha256`: of the content that the person agreed to; another content is not trusted. */
export const trustModelSchema = openModelSchema.extend({
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional(),
});
export type OpenModelInput = z.input<typeof openModelSchema>;

/** A model as far as it can be told without executing anything of it. */
export interface OpenedModel {
  readonly kind: ModelSource['kind'];
  /** Of the file or folder that a run would use, absolute. */
  readonly path: string;
  readonly title: string;
  /** Files that a run executes; empty where the model is data alone. */
  readonly code: readonly { readonly path: string; readonly bytes: number }[];
  readonly trusted: boolean;
  /** What a run is made from; null while something has to be trusted or told first. */
  readonly choice: Choice | null;
  /** null together with the choice. */
  readonly preset: Preset | null;
  /** Inputs that a shape must be given for, with the shape given so far. */
  readonly asked: readonly { readonly name: string; readonly shape: readonly number[] | null }[];
  /** What was taken for granted, one sentence each. */
  readonly notes: readonly string[];
}

import { z } from 'zod';

/** Of a model, a preset and a version's folder. */
export const modelNameSchema = z
  .string()
  .regex(
    /^[A-Za-z0-9][\w.-]{0,127}$/,
    'must have letters, digits, ".", "_" and "-" only, and not begin with "." or "-"',
  );
/** What is served of a repository, and the configuration that the form changes. */
export const repositorySchema = z.strictObject({
  /** The model first, then those that it is made of, and those of `with` with theirs; each with its backend. */
  models: z
    .array(z.strictObject({ name: modelNameSchema, backend: z.string().max(256) }))
    .min(1)
    .max(512),
  /** Further models to load, such as those that a BLS model calls. */
  with: z.array(modelNameSchema).max(64).default([]),
  /** Of the model: the newest that is served. */
  version: z.int().min(1),
  /** config.pbtxt of the model when it was opened; null without one. */
  config: z.string().max(1_048_576).nullable(),
});
export type ServedRepository = z.infer<typeof repositorySchema>;

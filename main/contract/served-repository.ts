import { z } from 'zod';
import { later } from './later';

/** Of a model, a preset and a version's folder. */
export const modelNameSchema = z
  .string()
  .regex(
    /^[A-Za-z0-9][\w.-]{0,127}$/,
    'must have letters, digits, ".", "_" and "-" only, and not begin with "." or "-"',
  );

/** What of a configuration only an image of NVIDIA’s executes as it is written. */
export const imageNeedSchema = later(() =>
  z.strictObject({
    /** "m/config.pbtxt, line 7". */
    where: z.string().max(1024),
    message: z.string().max(1024),
    /** What Triton says without it; null: it does not refuse it. */
    triton: z.string().max(1024).nullable(),
    /** It takes GPUs too. */
    gpus: z.boolean(),
  }),
);
export type ImageNeed = z.infer<typeof imageNeedSchema>;

/** What is served of a repository, and the configuration that the form changes. */
export const repositorySchema = later(() =>
  z.strictObject({
    /** The model first, then those that it is made of, and those of `with` with theirs; each with its backend. */
    models: z
      .array(
        z.strictObject({
          name: modelNameSchema,
          backend: z.string().max(256),
          /** Absent: none. Of the first they are those of its configuration, as the form leaves it. */
          needs: z.array(imageNeedSchema).min(1).max(256).optional(),
        }),
      )
      .min(1)
      .max(512),
    /** Further models to load, such as those that a BLS model calls. */
    with: z.array(modelNameSchema).max(64).default([]),
    /** Of the model: the newest that is served. */
    version: z.int().min(1),
    /** config.pbtxt of the model when it was opened; null without one. */
    config: z.string().max(1_048_576).nullable(),
  }),
);
export type ServedRepository = z.infer<typeof repositorySchema>;

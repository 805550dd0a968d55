import { z } from 'zod';
import { accelerators, formats, precisions, profiles } from './run-spec';

const scalar = z.union([z.string(), z.number(), z.boolean()]);

/** Partial run specification: any field of `RunSpec` may be given, deeply. */
const defaults = z.record(z.string(), z.unknown());

/** `preset.yaml` of a model folder under `resources/models`. */
export const presetSchema = z.strictObject({
  id: z.string().regex(/^[a-z0-9][a-z0-9-]*$/),
  title: z.string(),
  summary: z.string(),
  /** Formats, precisions and accelerators that the published deployment offers. */
  formats: z.array(z.enum(formats)).min(1),
  precisions: z.array(z.enum(precisions)).min(1),
  accelerators: z.array(z.enum(accelerators)).min(1),
  metrics: z.array(z.strictObject({ name: z.string(), title: z.string() })),
  /** Where the seed's data set and checkpoint come from, for people. */
  origin: z.strictObject({ dataset: z.string(), checkpoint: z.string(), paper: z.string() }),
  /** NGC release of the images that run it on GPUs, as "26.07"; the workbench's own default when absent. */
  ngcRelease: z
    .string()
    .regex(/^\d\d\.\d\d$/)
    .optional(),
  /** The seed's published defaults, as a partial run specification. */
  defaults,
  profiles: z.partialRecord(
    z.enum(profiles),
    z.strictObject({
      summary: z.string(),
      /** Arguments of model.py, dataloader.py and train.py, by their own names. */
      args: z.record(z.string(), scalar),
      /** Laid over the preset's defaults. */
      defaults,
      /** Laid over `defaults` when the chosen precision is the key: wider tolerances of fp16, for one. */
      byPrecision: z.partialRecord(z.enum(precisions), defaults).optional(),
    }),
  ),
});
export type Preset = z.infer<typeof presetSchema>;

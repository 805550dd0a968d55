import { z } from 'zod';
import { dataSourceSchema } from '../data-source';
import { accelerators, engines, formats, frameworks, precisions, profiles, publishedGpus } from './run-spec';

const scalar = z.union([z.string(), z.number(), z.boolean()]);

const tensor = z.strictObject({
  name: z.string(),
  datatype: z.string(),
  shape: z.array(z.union([z.int(), z.string()])),
  /** Of a tensor without a batch axis: its shape in the file, without the leading 1 that it is served with. */
  reshape: z.array(z.int()).optional(),
});

/** Partial run specification: any field of `RunSpec` may be given, deeply. */
const defaults = z.record(z.string(), z.unknown());

const gpuDefaults = z.strictObject({
  defaults,
  /** Laid over them when the chosen format is the key. */
  byFormat: z.partialRecord(z.enum(formats), defaults).optional(),
  /** Laid over them when the chosen engine is the key. */
  byEngine: z.partialRecord(z.enum(engines), defaults).optional(),
});

/** `preset.yaml` of a model folder under `resources/models`. */
export const presetSchema = z.strictObject({
  id: z.string().regex(/^[a-z0-9][a-z0-9-]*$/),
  title: z.string(),
  summary: z.string(),
  /** `tf` has a Python environment of its own, which its first run installs; `pyt` when absent. */
  framework: z.enum(frameworks).optional(),
  /** Formats, precisions and accelerators that the published deployment offers. */
  formats: z.array(z.enum(formats)).min(1),
  precisions: z.array(z.enum(precisions)).min(1),
  accelerators: z.array(z.enum(accelerators)).min(1),
  /** Formats in the document's tables that the preset does not offer, by the name that its scripts use, and why. */
  notOffered: z
    .array(z.strictObject({ format: z.string(), title: z.string(), reason: z.string() }))
    .optional(),
  metrics: z.array(
    z.strictObject({
      name: z.string(),
      title: z.string(),
      /** A threshold is the lowest allowed value, of a metric where lower is better the highest. */
      better: z.enum(['higher', 'lower']).optional(),
    }),
  ),
  /** What the seed's data set and checkpoint are, for people, and where they come from. */
  origin: z.strictObject({
    dataset: z.string(),
    checkpoint: z.string(),
    paper: z.string(),
    datasets: z.array(dataSourceSchema).optional(),
    checkpoints: z.array(dataSourceSchema).optional(),
    /** The document that `defaults` and `byGpu` are taken from. */
    deployment: z.string().optional(),
  }),
  /** What the published procedure does wrong and what is done here instead; for people. */
  notes: z
    .array(
      z.strictObject({
        /** Of the findings H1 to H10 of docs/guide/presets.md. */
        finding: z
          .string()
          .regex(/^H\d{1,2}$/)
          .optional(),
        published: z.string(),
        here: z.string(),
      }),
    )
    .optional(),
  /**
   * Tensors of the exported model, batch dimension (-1) first; a name in a shape is an argument of the profile. The
   * export is checked against it.
   */
  signature: z.strictObject({ inputs: z.array(tensor).min(1), outputs: z.array(tensor).min(1) }),
  /** NGC release of the images that run it on GPUs, as "26.07"; the workbench's own default when absent. */
  ngcRelease: z
    .string()
    .regex(/^\d\d\.\d\d$/)
    .optional(),
  /** Least memory of a GPU that serves it, MiB; absent: not known. */
  gpuMemoryMiB: z.int().positive().optional(),
  /** The seed's published defaults, as a partial run specification. */
  defaults,
  /** Laid over `defaults` when the chosen format is the key. */
  byFormat: z.partialRecord(z.enum(formats), defaults).optional(),
  /**
   * What the document says of each GPU that it has figures of, over `defaults`. In force with the profile `full` where a
   * GPU serves: it wins over the profile, whose own values are for a CPU.
   */
  byGpu: z.partialRecord(z.enum(publishedGpus), gpuDefaults).optional(),
  profiles: z.partialRecord(
    z.enum(profiles),
    z.strictObject({
      summary: z.string(),
      /** Arguments of model.py, dataloader.py and train.py, by their own names. */
      args: z.record(z.string(), scalar),
      /** Laid over the preset's defaults. */
      defaults,
      /** Laid over `defaults` when the chosen format is the key. */
      byFormat: z.partialRecord(z.enum(formats), defaults).optional(),
      /** Laid over them when the chosen engine is the key. */
      byEngine: z.partialRecord(z.enum(engines), defaults).optional(),
      /** Laid over all before it when the chosen precision is the key: wider tolerances of fp16, for one. */
      byPrecision: z.partialRecord(z.enum(precisions), defaults).optional(),
    }),
  ),
});
export type Preset = z.infer<typeof presetSchema>;

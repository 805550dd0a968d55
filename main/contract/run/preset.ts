import { z } from 'zod';
import { dataSourceSchema } from '../data-source';
import { later } from '../later';
import {
  accelerators,
  argumentsSchema,
  engines,
  exportFormats,
  exportPrecisions,
  frameworks,
  type Precision,
  profiles,
  publishedGpus,
} from './run-spec';

/** Texts of a key: guide, JSON Schema and messages. */
interface KeyText {
  /** Without a final full stop. */
  readonly description: string;
  readonly example?: unknown;
  /** Meaning of an absent key. */
  readonly absent?: string;
}

const key = <Schema extends z.ZodType>(schema: Schema, text: KeyText): Schema => schema.meta({ ...text });

const datatypes = [
  ...['BOOL', 'UINT8', 'UINT16', 'UINT32', 'UINT64', 'INT8', 'INT16', 'INT32', 'INT64'],
  ...['FP16', 'FP32', 'FP64'],
];

const tensor = later(() =>
  z.strictObject({
    name: key(z.string().min(1), { description: 'Name, as in get_model of model.py', example: 'INPUT__0' }),
    datatype: key(
      z.string().refine((name) => datatypes.includes(name), `must be one of ${datatypes.join(', ')}`),
      { description: `Triton’s name of the datatype: ${datatypes.join(', ')}`, example: 'FP32' },
    ),
    shape: key(z.array(z.union([z.int(), z.string()])), {
      description: 'Axes, the batch (-1) first; -1 varies, a name is an argument of the profile',
      example: [-1, 3],
    }),
    /** Shape in the file of a tensor without a batch axis, without the leading 1 it is served with. */
    reshape: key(z.array(z.int()).optional(), {
      description: 'Shape in the model file of a tensor that has no batch axis there',
      example: [16],
      absent: 'the tensor has a batch axis',
    }),
  }),
);

const layer = z.record(z.string(), z.unknown());
const defaultsOf = (description: string) =>
  key(layer, { description, example: { configure: { maxBatchSize: 8 } } });
const layersBy = <Name extends string>(names: readonly [Name, ...Name[]], what: string) =>
  key(z.partialRecord(z.enum(names), layer).optional(), {
    description: `Fields of run.yaml for one ${what}, by its name: ${names.join(', ')}; they replace those of defaults`,
    example: { [names[names.length - 1] ?? '']: { accuracy: { atol: { '*': 0.05 } } } },
    absent: `defaults apply to every ${what}`,
  });

const gpuDefaults = later(() =>
  z.strictObject({
    defaults: defaultsOf('Fields of run.yaml for this GPU'),
    byFormat: layersBy(exportFormats, 'format'),
    byEngine: layersBy(engines, 'engine'),
  }),
);

export const presetSchema = z.strictObject({
  id: key(
    z.string().regex(/^[a-z0-9][a-z0-9-]*$/, {
      error: 'must have lower-case letters, digits and "-" only, and not begin with "-"',
    }),
    { description: 'Name of the preset, and of the model on Triton', example: 'my-model' },
  ),
  title: key(z.string().min(1), { description: 'Display name', example: 'My model' }),
  summary: key(z.string(), { description: 'One sentence: what the model does', example: 'Sorts mail.' }),
  /** `tf` has its own Python environment, installed by its first run. */
  framework: key(z.enum(frameworks).optional(), {
    description: 'What model.py is written in: pyt for PyTorch, tf for TensorFlow with Keras',
    example: 'tf',
    absent: 'pyt',
  }),
  formats: key(z.array(z.enum(exportFormats)).min(1), {
    description:
      'Formats to offer; trt is built from onnx on a GPU. Without --format a run takes defaults.format, else onnx',
    example: ['onnx', 'ts-trace'],
  }),
  precisions: key(z.array(z.enum(exportPrecisions)).min(1), {
    description: 'Precisions to offer',
    example: ['fp32', 'fp16'],
  }),
  accelerators: key(z.array(z.enum(accelerators)).min(1), {
    description: 'Backend accelerators to offer; all but none need a GPU',
    example: ['none', 'cuda'],
  }),
  notOffered: key(
    z
      .array(
        z.strictObject({
          format: key(z.string(), { description: 'Name of the format', example: 'tf-trt' }),
          title: key(z.string(), { description: 'Display name', example: 'TF-TRT' }),
          reason: key(z.string(), {
            description: 'Why it is not offered; a sentence',
            example: 'It is not…',
          }),
        }),
      )
      .optional(),
    {
      description: 'Formats that users may expect but that the preset does not offer, each with the reason',
      absent: 'no other formats are listed',
    },
  ),
  metrics: key(
    z.array(
      z.strictObject({
        name: key(z.string(), { description: 'Name that metrics.py gives', example: 'accuracy' }),
        title: key(z.string(), { description: 'Display name', example: 'Accuracy' }),
        better: key(z.enum(['higher', 'lower']).optional(), {
          description: 'Which values are better; a threshold is the lowest allowed one, or the highest',
          example: 'lower',
          absent: 'higher',
        }),
      }),
    ),
    {
      description: 'Metrics of metrics.py; [] to compare only outputs',
      example: [{ name: 'accuracy', title: 'Accuracy' }],
    },
  ),
  origin: key(
    z.strictObject({
      dataset: key(z.string(), { description: 'Origin of the data', example: 'made by make_dataset.py' }),
      checkpoint: key(z.string(), { description: 'Origin of the weights', example: 'trained here' }),
      paper: key(z.string(), { description: 'Paper or page that describes the model', example: 'none' }),
      datasets: key(z.array(dataSourceSchema).optional(), {
        description: 'Published data sets, for data fetch; presets of the workbench only',
        absent: 'none',
      }),
      checkpoints: key(z.array(dataSourceSchema).optional(), {
        description: 'Published weights, for data fetch; presets of the workbench only',
        absent: 'none',
      }),
      deployment: key(z.string().optional(), {
        description: 'Document that defaults and byGpu are taken from',
        example: 'https://example.org/deployment',
        absent: 'none',
      }),
    }),
    {
      description: 'Origin of data, weights and model; free texts',
      example: { dataset: 'own', checkpoint: 'own', paper: 'none' },
    },
  ),
  notes: key(
    z
      .array(
        z.strictObject({
          finding: key(
            z
              .string()
              .regex(/^H\d{1,2}$/)
              .optional(),
            {
              description: 'Number in the list of findings of the guide',
              example: 'H1',
              absent: 'not in the list',
            },
          ),
          published: key(z.string(), { description: 'What the published procedure does wrong' }),
          here: key(z.string(), { description: 'What the workbench does instead' }),
        }),
      )
      .optional(),
    { description: 'Faults of a published procedure and their fixes', absent: 'none' },
  ),
  signature: key(
    z.strictObject({
      inputs: key(z.array(tensor).min(1), {
        description: 'Inputs of the exported model, by the names in get_model',
        example: [{ name: 'INPUT__0', datatype: 'FP32', shape: [-1, 3] }],
      }),
      outputs: key(z.array(tensor).min(1), {
        description: 'Outputs of the exported model, by the names in get_model',
        example: [{ name: 'OUTPUT__0', datatype: 'FP32', shape: [-1, 2] }],
      }),
    }),
    {
      description: 'Tensors of the exported model; the export is checked against them',
      example: {
        inputs: [{ name: 'INPUT__0', datatype: 'FP32', shape: [-1, 3] }],
        outputs: [{ name: 'OUTPUT__0', datatype: 'FP32', shape: [-1, 2] }],
      },
    },
  ),
  ngcRelease: key(
    z
      .string()
      .regex(/^\d\d\.\d\d$/, { error: 'must be year and month, in quotes: "26.07"' })
      .optional(),
    {
      description: 'Release of NVIDIA’s images that run it on GPUs, in quotes',
      example: '26.07',
      absent: 'the newest that fits the machine',
    },
  ),
  gpuMemoryMiB: key(z.int().positive().optional(), {
    description: 'Minimum memory of a GPU that serves it, in MiB',
    example: 4096,
    absent: 'every GPU is tried',
  }),
  defaults: key(layer, {
    description: 'Any fields of run.yaml; {} for the workbench’s own defaults',
    example: { configure: { maxBatchSize: 8, batching: 'dynamic' } },
  }),
  byFormat: layersBy(exportFormats, 'format'),
  /** Published values per GPU, over `defaults` and profile; they apply to `full` where a GPU serves. */
  byGpu: key(z.partialRecord(z.enum(publishedGpus), gpuDefaults).optional(), {
    description: `Fields of run.yaml for one GPU, with the profile full: ${publishedGpus.join(', ')}`,
    absent: 'none',
  }),
  profiles: key(
    z
      .partialRecord(
        z.enum(profiles),
        z.strictObject({
          summary: key(z.string(), { description: 'What the profile is for', example: 'A short look.' }),
          args: key(argumentsSchema, {
            description:
              'Arguments of the functions in model.py, dataloader.py, make_dataset.py and train.py, by name',
            example: { hidden: 32 },
          }),
          defaults: defaultsOf('Fields of run.yaml for this profile; {} if it has none of its own'),
          byFormat: layersBy(exportFormats, 'format'),
          byEngine: layersBy(engines, 'engine'),
          /** Applied last: wider tolerances of fp16, for example. */
          byPrecision: layersBy(exportPrecisions, 'precision'),
        }),
      )
      .refine((found) => Object.keys(found).length > 0, 'must have a profile quick or full'),
    {
      description: 'How long a run is: quick, full or both; the default is quick',
      example: { quick: { summary: 'A short look.', args: {}, defaults: {} } },
    },
  ),
});
/** Also of models that have no preset.yaml. */
export type Preset = Omit<z.infer<typeof presetSchema>, 'precisions'> & {
  readonly precisions: readonly Precision[];
};

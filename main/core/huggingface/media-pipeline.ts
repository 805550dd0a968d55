import { z } from 'zod';
import { formatCount } from '../../contract/numbers';
import type { ModelSource, RunSpec } from '../../contract/run/run-spec';
import type { PipelineModel } from '../../own/huggingface/pipeline-configs';
import type { PipelinePlan } from '../../own/huggingface/pipeline-plan';
import { labelNotes } from '../../own/huggingface/write-generation';
import { mediaCommand } from '../../toolkit/media-command';
import type { Toolkit, ToolkitListener } from '../../toolkit/toolkit';

const referenceSchema = z.object({
  items: z.int(),
  samples: z.int(),
  ties: z.int(),
  /** That the items come to in front of the model: those of one share a batch. */
  shapes: z.int(),
  /** In the first step; null: it needs none. */
  library: z.string().nullable(),
  labeled: z.int().default(0),
  left_out: z.int().default(0),
});
type Reference = z.infer<typeof referenceSchema>;

/** The model of a pipeline of images takes the size that the first step makes of them, or any where they keep their shape. */
export function exportedAs({ media, imageSides, task }: PipelinePlan, spec: RunSpec): RunSpec {
  const { source } = spec.model;
  if (media !== 'images' || source === undefined) return spec;
  const inputs = source.inputs.map((input) => {
    const [batch = -1, channels = 3] = input.shape;
    const sides = imageSides ?? [-1, -1];
    const sample = imageSides === undefined || imageSides === null ? input.sample : [1, channels, ...sides];
    return { ...input, shape: [batch, channels, ...sides], sample };
  });
  // Where the image varies, the file says of no output how many objects it has, and of a map of classes never its size.
  const outputs = source.outputs.map((output) => {
    const [batch = -1, ...rest] = output.shape;
    if (task === 'image-segmentation') return { ...output, shape: [batch, rest[0] ?? -1, -1, -1] };
    return imageSides === null ? { ...output, shape: [batch, -1, ...rest.slice(1)] } : output;
  });
  // The preset states the shapes of the samples, too.
  const shapes = {
    ...spec.model.shapes,
    ...Object.fromEntries(inputs.map(({ name, sample }) => [name, sample])),
  };
  return { ...spec, model: { ...spec.model, shapes, source: { ...source, inputs, outputs } } };
}

const titles = {
  images: { input: 'IMAGE', ofOne: 'an image in PNG or JPEG', one: 'image', many: 'images', shape: 'size' },
  audio: {
    input: 'AUDIO',
    ofOne: 'a recording as WAV',
    one: 'recording',
    many: 'recordings',
    shape: 'length',
  },
} as const;

function notesOf(
  { name, media = 'images' }: PipelinePlan,
  models: readonly PipelineModel[],
  isOwn: boolean,
  { items, samples, ties, shapes, library, labeled, left_out: leftOut }: Reference,
): readonly string[] {
  const { input, ofOne, one, many, shape } = titles[media];
  const steps = models.map((model) => model.name).filter((model) => model !== name);
  const carried = library === null ? '' : `; ${library} is part of its first step`;
  const sizes = shapes === 1 ? '' : ` of one ${shape}; they come to ${formatCount(shapes)} ${shape}s`;
  return [
    `The pipeline ${name} is an ensemble of ${steps.join(', ')}${carried}.`,
    `Input: ${input}, ${ofOne} in each row.${shapes === 1 ? '' : ` The ${many} of a request have to come to one ${shape}.`}`,
    `The reference is transformers in fp32 on ${items === 1 ? `1 ${one}` : `${formatCount(items)} ${many}`}${isOwn ? '' : ' that the workbench made'}: ${formatCount(samples)} requests, one by one and in batches${sizes}.`,
    ...(ties === 0
      ? []
      : [`Ties within the tolerance, which are not compared: ${formatCount(ties)} ${many}.`]),
    ...labelNotes({ labeled, leftOut }, one),
  ];
}

interface Writing {
  readonly plan: PipelinePlan;
  readonly models: readonly PipelineModel[];
  readonly source: ModelSource;
  readonly maxBatchSize: number;
  /** Folder of images or recordings; absent: those of the workbench. */
  readonly samples?: string | undefined;
  /** Folder whose `models` has the steps. */
  readonly place: string;
}

/** Completes the steps of images or audio, with the answers of transformers. @returns notes, one sentence each */
export async function writeMediaPipeline(
  toolkit: Toolkit,
  { plan, models, source, maxBatchSize, samples, place }: Writing,
  listener: ToolkitListener,
): Promise<readonly string[]> {
  // The model is between them.
  const [first = '', , last = ''] = models.map((model) => model.name);
  const { task, name } = plan;
  const command = mediaCommand({
    ...{ source, task, name, steps: { first, last }, mostSamples: maxBatchSize, samples, place },
  });
  const reference = await toolkit.call(command, referenceSchema, listener);
  return notesOf(plan, models, samples !== undefined, reference);
}

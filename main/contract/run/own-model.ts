import { z } from 'zod';
import type { Preset } from './preset';
import type { Framework, ModelSource, RunSpec } from './run-spec';
import type { Choice } from './spec-tools';

/** A path and, by input, shapes and datatypes that the file lacks. */
export const openModelSchema = z.strictObject({
  path: z.string().min(1).max(4096),
  shapes: z.record(z.string(), z.array(z.int().min(1))).default({}),
  datatypes: z.record(z.string(), z.string()).default({}),
  /** Of a repository: further models to load, such as those that a BLS model calls. */
  with: z.array(z.string().min(1).max(128)).max(64).default([]),
  /** Of a repository: a configuration of its own for the model's file, in place of the repository's. */
  rewrite: z.boolean().default(false),
});
/** Absent: the samples of the workbench. */
export const ownSamplesSchema = z.strictObject({
  /** Of a pipeline that takes texts: a file with one per line, or a table with their labels. */
  texts: z.string().min(1).max(4096).optional(),
  /** Of one that takes images or recordings: a folder of them, and of their labels. */
  samples: z.string().min(1).max(4096).optional(),
});
export type OwnSamples = Readonly<z.infer<typeof ownSamplesSchema>>;
/** A Hugging Face folder that is to be served as a pipeline. */
export const pipelineRequestSchema = openModelSchema
  .pick({ path: true, shapes: true })
  .extend(ownSamplesSchema.shape);
/** `sha256`: of the content the person agreed to; other content is not trusted. */
export const trustModelSchema = openModelSchema.extend({
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional(),
});
export type OpenModelInput = z.input<typeof openModelSchema>;

export interface OpenedModel {
  readonly kind: ModelSource['kind'];
  readonly path: string;
  readonly title: string;
  /** Files that a run executes; empty where the model is data only. */
  readonly code: readonly { readonly path: string; readonly bytes: number }[];
  readonly trusted: boolean;
  /** null until everything needed is trusted and given. */
  readonly choice: Choice | null;
  /** null with the choice. */
  readonly preset: Preset | null;
  /** Inputs without a known shape, with the shape given so far. */
  readonly asked: readonly { readonly name: string; readonly shape: readonly number[] | null }[];
  /** Assumptions, one sentence each. */
  readonly notes: readonly string[];
}

type FileTensor = ModelSource['outputs'][number];

/** Without batching the tensor is served with a leading axis of 1, which Triton removes. */
const isLifted = ({ shape }: FileTensor, batched: boolean): boolean => !batched && shape[0] !== 1;

function served(
  { name, datatype, shape }: FileTensor,
  batched: boolean,
): Preset['signature']['inputs'][number] {
  const lifted = isLifted({ name, datatype, shape }, batched);
  return lifted ? { name, datatype, shape: [1, ...shape], reshape: shape } : { name, datatype, shape };
}

/** Tensors as in requests: the first axis counts samples, and is 1 without batching. */
export function servedTensors(source: ModelSource): Preset['signature'] {
  const { inputs, outputs, batched } = source;
  return {
    inputs: inputs.map((tensor) => served(tensor, batched)),
    outputs: outputs.map((tensor) => served(tensor, batched)),
  };
}

type OwnSource = Pick<RunSpec['model'], 'source'>;

/** Its tensors are read from its files, and its samples are made for them; else code has both. */
export function hasReadTensors({ source }: OwnSource): boolean {
  return source !== undefined && source.kind !== 'folder';
}

/** A file that is passed on as the export of the run. */
export function isFileSource(model: OwnSource): boolean {
  return hasReadTensors(model) && model.source?.kind !== 'huggingface' && model.source?.kind !== 'trees';
}

/** Environment of the set-up in which the code of a model runs, by its place in the home. */
export function pythonOf(
  framework: Framework,
  { source }: OwnSource,
): 'python' | 'tensorflow' | 'transformers' | 'trees' {
  if (framework === 'tf') return 'tensorflow';
  if (source?.kind === 'trees') return 'trees';
  return source?.kind === 'huggingface' ? 'transformers' : 'python';
}

/** Shape of a generated sample per input, without the first axis of requests. */
export function sampleTensors({ source, shapes }: RunSpec['model']) {
  if (source === undefined) return [];
  return source.inputs.map((tensor) => {
    const whole = shapes?.[tensor.name] ?? tensor.sample;
    const shape = isLifted(tensor, source.batched) ? whole : whole.slice(1);
    return { name: tensor.name, datatype: tensor.datatype, shape };
  });
}

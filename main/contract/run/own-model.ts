import { z } from 'zod';
import type { Preset } from './preset';
import type { ModelSource, RunSpec } from './run-spec';
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

type PresetTensor = Preset['signature']['inputs'][number];
type FileTensor = ModelSource['outputs'][number];

/** Of a model without batches: its tensor is served with a leading axis of 1 that Triton takes off again. */
const isLifted = ({ shape }: FileTensor, batched: boolean): boolean => !batched && shape[0] !== 1;

function served({ name, datatype, shape }: FileTensor, batched: boolean): PresetTensor {
  const lifted = isLifted({ name, datatype, shape }, batched);
  return lifted ? { name, datatype, shape: [1, ...shape], reshape: shape } : { name, datatype, shape };
}

/** Tensors as requests carry them: the first axis counts samples, and is 1 where the model has no batches. */
export function servedTensors(source: ModelSource): Preset['signature'] {
  const { inputs, outputs, batched } = source;
  return {
    inputs: inputs.map((tensor) => served(tensor, batched)),
    outputs: outputs.map((tensor) => served(tensor, batched)),
  };
}

/** An own model that is a file and no folder with code. */
export function isFileSource({ source }: Pick<RunSpec['model'], 'source'>): boolean {
  return source !== undefined && source.kind !== 'folder';
}

/** Shape of one generated sample of each input, without the first axis of requests. */
export function sampleTensors({ source, shapes }: RunSpec['model']) {
  if (source === undefined) return [];
  return source.inputs.map((tensor) => {
    const whole = shapes?.[tensor.name] ?? tensor.sample;
    const shape = isLifted(tensor, source.batched) ? whole : whole.slice(1);
    return { name: tensor.name, datatype: tensor.datatype, shape };
  });
}

import { z } from 'zod';
import { later } from '../later';
import type { RunSpec } from './run-spec';

const tensor = z.object({
  name: z.string(),
  /** Triton's name: FP32, FP16, INT64, ... */
  datatype: z.string(),
  /** Batch dimension first; -1 where a dimension varies. */
  shape: z.array(z.int()),
  /** Shape in the file of a tensor without a batch axis, which is served with a leading 1. */
  reshape: z.array(z.int()).optional(),
});

const signatureSchema = z.object({ inputs: z.array(tensor), outputs: z.array(tensor) });
export type Signature = z.infer<typeof signatureSchema>;
export type TensorSignature = z.infer<typeof tensor>;

/** Builder and machine of a TensorRT plan, which loads only there. */
const planProvenanceSchema = later(() =>
  z.object({
    tensorrtVersion: z.string(),
    gpuName: z.string(),
    computeCapability: z.string(),
    /** By digest where it has one. */
    image: z.string().nullable(),
    command: z.array(z.string()),
    onnxSha256: z.string(),
  }),
);
export type PlanProvenance = z.infer<typeof planProvenanceSchema>;

/** Result of export and convert: a model file with its signature. */
export const modelArtefactSchema = signatureSchema.extend({
  path: z.string(),
  bytes: z.int(),
  parameters: z.int().nullish(),
  opset: z.int().nullish(),
  plan: planProvenanceSchema.optional(),
});

const isInside = (path: string): boolean =>
  path.split('/').every((part) => part !== '' && part !== '.' && part !== '..') && !path.includes('\0');

export const fileEntrySchema = z.object({
  /** Relative to the listed folder, inside it. */
  path: z.string().max(4096).refine(isInside, 'a path inside the folder'),
  bytes: z.int().min(0),
  /** Lower-case hex. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});

export type FileEntry = Readonly<z.infer<typeof fileEntrySchema>>;

/** Weights that the run does not create: the user's, or the own model file or Hugging Face folder itself. */
export function givenWeights({ checkpoint, source }: RunSpec['model']): string | undefined {
  return source === undefined || source.kind === 'folder' ? checkpoint : source.path;
}

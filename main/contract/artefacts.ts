import { z } from 'zod';

const tensor = z.object({
  name: z.string(),
  /** Triton's name: FP32, FP16, INT64, ... */
  datatype: z.string(),
  /** The batch dimension is the first; -1 where a dimension varies. */
  shape: z.array(z.int()),
  /** Of a tensor that has no batch axis in the file: its shape there. It is served with a leading axis of 1. */
  reshape: z.array(z.int()).optional(),
});

export const signatureSchema = z.object({ inputs: z.array(tensor), outputs: z.array(tensor) });
export type Signature = z.infer<typeof signatureSchema>;
export type TensorSignature = z.infer<typeof tensor>;

/** What a TensorRT plan was built with and on: it loads there alone. */
export const planProvenanceSchema = z.object({
  tensorrtVersion: z.string(),
  gpuName: z.string(),
  computeCapability: z.string(),
  /** Image of the build, by digest where it has one. */
  image: z.string().nullable(),
  command: z.array(z.string()),
  onnxSha256: z.string(),
});
export type PlanProvenance = z.infer<typeof planProvenanceSchema>;

/** What export and convert give: a model file with its signature. */
export const modelArtefactSchema = signatureSchema.extend({
  path: z.string(),
  bytes: z.int(),
  parameters: z.int().nullish(),
  opset: z.int().nullish(),
  plan: planProvenanceSchema.optional(),
});

import { z } from 'zod';
import { outputRulesSchema } from './measured/output-rules';

/** The document of a folder of kept samples; its tensors are in files beside it. */
export const keptSamplesFile = 'samples.json';

const keptTensorSchema = z.object({
  name: z.string(),
  datatype: z.string(),
  shape: z.array(z.int().min(0)),
  file: z.string().regex(/^[\w.-]+\.bin$/),
});
export type KeptTensor = z.infer<typeof keptTensorSchema>;

/** Samples of the accuracy check, with the outputs of its reference: what a deployment and a bundle are checked by. */
export const keptSamplesSchema = z.object({
  /** Outputs whose valid length of the last axis another output gives. */
  lengths: z.record(z.string(), z.string()),
  /** Name of the golden file that they are of; absent: the framework's, compared by the tolerances of the run. */
  golden: z.string().optional(),
  /** Of a golden file: by the name of each output that is compared. */
  rules: outputRulesSchema.optional(),
  samples: z.array(
    z.object({
      id: z.string(),
      inputs: z.array(keptTensorSchema),
      outputs: z.array(keptTensorSchema),
      /** Batch size, repeating the samples. Absent: single samples. */
      repeat: z.int().min(2).optional(),
    }),
  ),
});
export type KeptSamples = z.infer<typeof keptSamplesSchema>;

import { z } from 'zod';

/** Triton's data type names that the load tools can send as raw bytes, with the bytes of one element. */
export const datatypeBytes = {
  BOOL: 1,
  UINT8: 1,
  UINT16: 2,
  UINT32: 4,
  UINT64: 8,
  INT8: 1,
  INT16: 2,
  INT32: 4,
  INT64: 8,
  FP16: 2,
  BF16: 2,
  FP32: 4,
  FP64: 8,
} as const;
export type Datatype = keyof typeof datatypeBytes;

/** `input-data.json`, written by the toolkit verb profile-data beside its raw files. */
export const inputDataSchema = z.object({
  /** Where the values come from: `random` (seeded), `zero`, or `dataset` (the preset's loader). */
  source: z.enum(['random', 'zero', 'dataset']),
  tensors: z
    .array(
      z.object({
        name: z.string(),
        datatype: z.enum(Object.keys(datatypeBytes) as [Datatype, ...Datatype[]]),
        /** One sample, without the batch dimension. */
        shape: z.array(z.int().min(0)),
        /** Raw little-endian files, one a sample, relative to the manifest; requests cycle through them. */
        files: z.array(z.string()).min(1),
      }),
    )
    .min(1),
});
export type InputData = z.infer<typeof inputDataSchema>;

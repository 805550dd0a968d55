import { z } from 'zod';
import { innerPathSchema } from '../run/run-spec';

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

export const isDatatype = (value: string): value is Datatype => Object.hasOwn(datatypeBytes, value);

/** Also texts: each element of BYTES is four bytes of length and its own bytes. */
export type SampleDatatype = Datatype | 'BYTES';

const sampleDatatypes = ['BYTES', ...(Object.keys(datatypeBytes) as Datatype[])] as const;

const sampleTensor = z.object({
  name: z.string(),
  datatype: z.enum(sampleDatatypes),
  /** One sample, without the batch dimension. */
  shape: z.array(z.int().min(0)),
  /** One a file, where the samples differ in shape; then `shape` is the first one's. */
  shapes: z.array(z.array(z.int().min(0))).optional(),
  /** Raw little-endian files, one a sample, relative to the manifest; requests cycle through them. */
  files: z.array(innerPathSchema).min(1),
});

/** `input-data.json`, written by the toolkit verb profile-data beside its raw files. */
export const inputDataSchema = z.object({
  /** Where the values come from: `random` (seeded), `zero`, `dataset` (the preset's loader), or a `file` of the user's. */
  source: z.enum(['random', 'zero', 'dataset', 'file']),
  tensors: z.array(sampleTensor).min(1),
  /** Samples of each stream (sequence), in the order of the files; absent: all are one stream. */
  streams: z.array(z.int().min(1)).optional(),
  /** Outputs that the samples are to be answered with, as many samples as the inputs have. */
  expected: z.array(sampleTensor).optional(),
});
export type InputData = z.infer<typeof inputDataSchema>;

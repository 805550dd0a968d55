import { z } from 'zod';
import { innerPathSchema } from '../run/run-spec';
import { tokenCountSchema } from './token-count';

/** Triton data types that are sent as raw bytes, with the bytes of one element. */
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

/** BYTES elements are four bytes of length and the content. */
export type SampleDatatype = Datatype | 'BYTES';

const sampleDatatypes = ['BYTES', ...(Object.keys(datatypeBytes) as Datatype[])] as const;

const sampleTensor = z.object({
  name: z.string(),
  datatype: z.enum(sampleDatatypes),
  shape: z.array(z.int().min(0)),
  /** Per file, where samples differ in shape; `shape` is then the first one's. */
  shapes: z.array(z.array(z.int().min(0))).optional(),
  /** Value behind the end of a shorter sample in a request of several; absent: they must be of one shape. */
  padding: z.int().optional(),
  /** Raw little-endian files, one per sample, relative to the manifest; requests cycle through them. */
  files: z.array(innerPathSchema).min(1),
});

/** `input-data.json`, written by the toolkit verb profile-data beside its raw files. */
export const inputDataSchema = z.object({
  /** `random` is seeded; `dataset` is the preset's loader; `file` the user's. */
  source: z.enum(['random', 'zero', 'dataset', 'file']),
  tensors: z.array(sampleTensor).min(1),
  /** Samples of each stream (sequence), in file order; absent: one stream. */
  streams: z.array(z.int().min(1)).optional(),
  /** A name for each sample, by which a trace may choose; '' where it has none. */
  classes: z.array(z.string()).optional(),
  expected: z.array(sampleTensor).optional(),
  /** Tokens of the prompts by the tokenizer that was given; absent: not counted. */
  promptTokens: tokenCountSchema.optional(),
});
export type InputData = z.infer<typeof inputDataSchema>;

import { z } from 'zod';
import { later } from '../later';

const positive = z.int().min(1);

/** What a trace was found to have, in the part that is sent; filled in when it is read. */
const replayReadSchema = later(() =>
  z.strictObject({
    /** Hash of the file's path, the part and the models: for another one the file is read again. */
    of: z.string(),
    /** Of what is kept of it: times, sizes and names. */
    sha256: z.string(),
    requests: positive,
    /** As recorded, from the start of the part to its last request. */
    seconds: z.number().positive(),
    /** Absent: the file has no batch sizes. */
    largestBatchSize: positive.optional(),
    /** Absent also where an earlier version read it. */
    meanBatchSize: z.number().positive().optional(),
    /** Some rows name an entry or a class of the input data. */
    namesInputs: z.boolean(),
    /** Requests of each model by its name, where several are measured; else empty. */
    models: z.record(z.string(), positive),
  }),
);

/** A recorded trace whose requests are sent at their times. */
export const replaySchema = later(() =>
  z.strictObject({
    /** CSV, JSON lines, or Triton's own trace file; by its full path. */
    file: z.string({ error: 'Name the file with the trace' }).min(1, 'Name the file with the trace'),
    /** How many times as fast as recorded. */
    speed: z.number().positive().max(1_000_000).default(1),
    /** The part that is sent, seconds from the trace's first request. */
    fromS: z.number().min(0).default(0),
    toS: z.number().positive().optional(),
    read: replayReadSchema.optional(),
  }),
);

import { z } from 'zod';

/** Bytes; null: not known. A difference of two readings, so noise can make it negative. */
export const takenMemorySchema = z.object({
  hostBytes: z.number().nullable(),
  gpuBytes: z.number().nullable(),
});
export type TakenMemory = Readonly<z.infer<typeof takenMemorySchema>>;

/** What a model takes of memory, by the difference of real loads on one Triton; GPU memory of all its GPUs together. */
export const modelMemorySchema = z.object({
  /** Once per Triton: backend, libraries, CUDA context. */
  context: takenMemorySchema,
  /** Once per model, whatever its instances. */
  shared: takenMemorySchema,
  /** Each instance beside that, having answered one request. */
  instance: takenMemorySchema,
  /** What requests of the largest batch size add to each instance. */
  batch: takenMemorySchema,
  /** All of it together, where the parts are not known: a search loads each configuration once. */
  server: takenMemorySchema.optional(),
  maxBatchSize: z.int().min(1),
  /** Instances of the configuration. */
  instances: z.int().min(1),
  /** Of the machine; null: not known. */
  totals: takenMemorySchema,
});
export type ModelMemory = Readonly<z.infer<typeof modelMemorySchema>>;

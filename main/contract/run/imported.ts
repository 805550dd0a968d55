import { z } from 'zod';
import { runNameSchema } from './run-content';

const importKinds = ['perf-analyzer-csv', 'perf-analyzer-profile'] as const;

/** Where the figures of a run come from that was not measured here. */
export const importSourceSchema = z.object({
  kind: z.enum(importKinds),
  /** Of the file, without folders. */
  fileName: z.string(),
  sha256: z.string(),
  sizeBytes: z.int().min(0),
  /** What the file does not say and a person did, or nobody did; what of it was not taken. One sentence each. */
  notes: z.array(z.string()),
});
export type ImportSource = z.infer<typeof importSourceSchema>;

export const importKindText: Readonly<Record<ImportSource['kind'], string>> = {
  'perf-analyzer-csv': 'perf_analyzer, CSV',
  'perf-analyzer-profile': 'perf_analyzer, profile export',
};

/** What is asked for an import: the file, and what such a file does not say. */
export const importRequestSchema = z.strictObject({
  path: z.string().min(1).max(4096),
  /** The file's name when absent. */
  model: z.string().min(1).max(128).optional(),
  /** As of `runs.rename`. */
  name: runNameSchema.optional(),
  /** Of each request; 1 when absent. */
  batchSize: z.int().min(1).max(1_000_000).optional(),
});
export type ImportRequest = z.infer<typeof importRequestSchema>;

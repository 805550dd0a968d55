import { z } from 'zod';
import { later } from '../later';
import { runNameSchema } from './run-content';

const importKinds = ['perf-analyzer-csv', 'perf-analyzer-profile', 'model-analyzer-csv'] as const;

export const importSourceSchema = later(() =>
  z.object({
    kind: z.enum(importKinds),
    fileName: z.string(),
    sha256: z.string(),
    sizeBytes: z.int().min(0),
    /** Facts that the file lacks, given by a person or missing, and what was left out; one sentence each. */
    notes: z.array(z.string()),
  }),
);
export type ImportSource = z.infer<typeof importSourceSchema>;

export const importKindText: Readonly<Record<ImportSource['kind'], string>> = {
  'perf-analyzer-csv': 'perf_analyzer, CSV',
  'perf-analyzer-profile': 'perf_analyzer, profile export',
  'model-analyzer-csv': 'Model Analyzer, CSV',
};

export const importRequestSchema = later(() =>
  z.strictObject({
    path: z.string().min(1).max(4096),
    /** Further files of one profile of Model Analyzer. */
    beside: z.array(z.string().min(1).max(4096)).max(2).optional(),
    /** Absent: the file's name. */
    model: z.string().min(1).max(128).optional(),
    name: runNameSchema.optional(),
    /** Per request; absent: 1. */
    batchSize: z.int().min(1).max(1_000_000).optional(),
  }),
);
export type ImportRequest = z.infer<typeof importRequestSchema>;

/** What came of an import: one run, or one per configuration of a file of Model Analyzer. */
export interface ImportedRuns {
  /** The first one. */
  readonly runId: string;
  readonly runs: readonly { readonly runId: string; readonly configuration: string | null }[];
  /** What was assumed and what was left out, one sentence each. */
  readonly notes: readonly string[];
}

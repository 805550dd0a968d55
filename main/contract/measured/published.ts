import { z } from 'zod';
import { accelerators, formats, precisions, publishedGpus } from '../run/run-spec';

/**
 * What the list of one level holds, in this order: load, throughput, then milliseconds. null where the document has no
 * such column.
 */
const publishedColumns = [
  'batchSize',
  'concurrency',
  'inferencesPerSecond',
  'clientSendMs',
  'networkMs',
  'serverQueueMs',
  'computeInputMs',
  'computeInferMs',
  'computeOutputMs',
  'clientReceiveMs',
  'p50Ms',
  'p90Ms',
  'p95Ms',
  'p99Ms',
  'avgMs',
] as const;
type PublishedColumn = (typeof publishedColumns)[number];

const load = z.int().min(1);

const levelSchema = z
  .tuple([load, load, z.number().positive()])
  .rest(z.number().min(0).nullable())
  .refine((level) => level.length === publishedColumns.length, 'one value a column');

const tableSchema = z.strictObject({
  scenario: z.enum(['offline', 'online']),
  gpu: z.enum(publishedGpus),
  /** As the document names it: "NVIDIA DGX A100 (1x A100 80GB)". */
  hardware: z.string().min(1),
  format: z.enum(formats),
  precision: z.enum(precisions),
  /** null where the document does not say. */
  accelerator: z.enum(accelerators).nullable(),
  /** null where the document measures one data set alone. */
  dataset: z.string().nullable(),
  /** By load. */
  levels: z.array(levelSchema).min(1),
});

/** `resources/baselines/<preset>.json`: every table of the preset's published document and no other figure. */
export const publishedSchema = z.strictObject({
  preset: z.string(),
  source: z.strictObject({
    title: z.string(),
    address: z.string(),
    /** Month of its last figures. */
    date: z.string(),
    /** What its tables do not say: how tensors were passed, how loads that they do not print were found. */
    note: z.string().optional(),
  }),
  columns: z
    .array(z.enum(publishedColumns))
    .refine((names) => names.join() === publishedColumns.join(), 'not the known columns'),
  tables: z.array(tableSchema).min(1),
});
export type PublishedResults = z.infer<typeof publishedSchema>;
export type PublishedTable = z.infer<typeof tableSchema>;
export type PublishedLevel = PublishedTable['levels'][number];

/**
 * Where a run was measured otherwise than the published figures beside it, in a sentence; null: it was measured alike.
 * @param differences "Protocol, online: gRPC; published: HTTP", a text each.
 */
export const otherwiseText = (differences: readonly string[]): string | null =>
  differences.length === 0 ? null : `Measured otherwise than published. ${differences.join('. ')}.`;

/** One figure of a level; null where nothing is published. */
export function publishedValue(level: PublishedLevel, column: PublishedColumn): number | null {
  return level[publishedColumns.indexOf(column)] ?? null;
}

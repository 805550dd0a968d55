import { z } from 'zod';
import { WorkbenchError } from '../contract/errors';
import { listOf } from '../platform/parse-json';

// Triton's writer uses numbers, protobuf's JSON strings. Absent means 0.
const counter = z
  .union([z.number(), z.string().regex(/^\d+$/).transform(Number)])
  .pipe(z.number().min(0))
  .default(0);

const durationSchema = z.object({ count: counter, ns: counter }).prefault({});

/** Cumulative since load; nanoseconds. */
export type DurationStatistic = Readonly<z.infer<typeof durationSchema>>;

const replySchema = z.object({
  model_stats: listOf(
    z.object({
      name: z.string(),
      version: z.string(),
      last_inference: counter,
      inference_count: counter,
      execution_count: counter,
      inference_stats: z
        .object({
          success: durationSchema,
          fail: durationSchema,
          queue: durationSchema,
          compute_input: durationSchema,
          compute_infer: durationSchema,
          compute_output: durationSchema,
          cache_hit: durationSchema,
          cache_miss: durationSchema,
        })
        .prefault({}),
      batch_stats: z.array(z.unknown()).default([]),
    }),
  ),
});

const batchStatsSchema = listOf(
  z.object({
    batch_size: counter,
    compute_input: durationSchema,
    compute_infer: durationSchema,
    compute_output: durationSchema,
  }),
);

/** Limit over all models: Triton writes 170 characters each, so 8 MiB has fewer. */
const mostBatchSizes = 50_000;

const unreadable = (details: string): WorkbenchError =>
  new WorkbenchError('server-unreachable', 'The statistics that the server sent cannot be read', { details });

function readBatches(entries: readonly unknown[]) {
  const parsed = batchStatsSchema.safeParse(entries);
  if (!parsed.success) throw unreadable(z.prettifyError(parsed.error));
  return parsed.data.map((batch) => ({
    batchSize: batch.batch_size,
    computeInput: batch.compute_input,
    computeInfer: batch.compute_infer,
    computeOutput: batch.compute_output,
  }));
}

const modelStatistics = (model: z.infer<typeof replySchema>['model_stats'][number]) => ({
  name: model.name,
  version: model.version,
  /** Milliseconds since the epoch; 0: never. */
  lastInferenceMs: model.last_inference,
  /** Batch items. */
  inferenceCount: model.inference_count,
  /** Executed batches. */
  executionCount: model.execution_count,
  success: model.inference_stats.success,
  fail: model.inference_stats.fail,
  queue: model.inference_stats.queue,
  computeInput: model.inference_stats.compute_input,
  computeInfer: model.inference_stats.compute_infer,
  computeOutput: model.inference_stats.compute_output,
  cacheHit: model.inference_stats.cache_hit,
  cacheMiss: model.inference_stats.cache_miss,
  batches: readBatches(model.batch_stats),
});

export type ModelStatistics = Readonly<ReturnType<typeof modelStatistics>>;

/** Parses `/v2/models/<name>/stats`. Throws server-unreachable for an invalid reply. */
export function parseModelStatistics(reply: unknown): readonly ModelStatistics[] {
  const parsed = replySchema.safeParse(reply);
  if (!parsed.success) throw unreadable(z.prettifyError(parsed.error));
  const batchSizes = parsed.data.model_stats.reduce((sum, model) => sum + model.batch_stats.length, 0);
  if (batchSizes > mostBatchSizes) throw unreadable(`More than ${mostBatchSizes} batch sizes`);
  return parsed.data.model_stats.map(modelStatistics);
}

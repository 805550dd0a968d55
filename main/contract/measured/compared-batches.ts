import { z } from 'zod';
import { formatCount, formatScale } from '../numbers';

/** Comparison of framework and Triton by requests of one batch size, over the first samples. */
export const comparedBatchSchema = z.object({
  batchSize: z.int().min(1),
  /** Sent at once: batch sizes that Triton executed, empty where not reported. Absent: one after the other. */
  gathered: z.array(z.int().min(1)).optional(),
  requestCount: z.int().min(0),
  /** Over all outputs; null where no values were compared. */
  maxAbsDiff: z.number().min(0).nullable(),
  passed: z.boolean(),
});
export type ComparedBatch = z.infer<typeof comparedBatchSchema>;

type Compared = Pick<ComparedBatch, 'batchSize' | 'gathered'>;

/** "1, 4 and 8". */
export const listed = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1) ?? ''}`;

const isTogether = ({ gathered = [] }: Compared): boolean => (gathered.at(-1) ?? 0) > 1;

const sizesText = (sizes: readonly number[]): string =>
  `batch size${sizes.length === 1 ? '' : 's'} ${listed(sizes.map(formatCount))}`;

/** "batch sizes 1 and 4, and batch size 1 with 8 requests at once (executed in batches of 1 and 7)". */
export function batchesText(batches: readonly ComparedBatch[]): string {
  const alone = batches.filter(({ gathered }) => gathered === undefined).map(({ batchSize }) => batchSize);
  const together = batches.flatMap(({ batchSize, requestCount, gathered }) => {
    if (gathered === undefined) return [];
    const as = gathered.length === 0 ? '' : ` (executed in batches of ${listed(gathered.map(formatCount))})`;
    return [`${sizesText([batchSize])} with ${formatCount(requestCount)} requests at once${as}`];
  });
  return [...(alone.length === 0 ? [] : [sizesText(alone)]), ...together].join(', and ');
}

/** "batch sizes 1, 2, 4 and 8, gathered by the dynamic batcher too"; null where it is not known. */
export function comparedAtText(batches: readonly ComparedBatch[] | undefined): string | null {
  if (batches === undefined) return null;
  const sizes = batches.filter(({ gathered }) => gathered === undefined).map(({ batchSize }) => batchSize);
  if (sizes.length === 0) return null;
  const gathered = batches.find((batch) => batch.gathered !== undefined);
  const how =
    gathered === undefined
      ? ''
      : isTogether(gathered)
        ? ', and gathered by the dynamic batcher'
        : '; the dynamic batcher gathered none of the requests sent at once';
  return `${sizesText(sizes)}${how}`;
}

/** "compared at batch sizes 1 and 8", "failed at batch size 1 (largest difference 35.9)". */
export function comparedLines(batches: readonly ComparedBatch[] | undefined): readonly string[] {
  const at = comparedAtText(batches);
  const failed = (batches ?? []).filter(({ passed }) => !passed);
  return [
    ...(at === null ? [] : [`compared at ${at}`]),
    ...failed.map((batch) => {
      const largest =
        batch.maxAbsDiff === null ? '' : ` (largest difference ${formatScale(batch.maxAbsDiff)})`;
      return `failed at ${batchesText([batch])}${largest}`;
    }),
  ];
}

import { z } from 'zod';
import { later } from '../later';
import { formatCount, formatDuration, formatRate, formatTyped } from '../numbers';

/** What was sent of a trace. */
export const replayedSchema = later(() =>
  z.object({
    requests: z.int().min(1),
    /** From the start of the part to its last request, as it was sent. */
    seconds: z.number().positive(),
    /** Most requests that were due within one second. */
    peakRate: z.number().min(0),
    speed: z.number().positive(),
    /** Seconds of the trace as recorded. */
    fromS: z.number().min(0),
    toS: z.number().positive().optional(),
    meanBatchSize: z.number().positive(),
    largestBatchSize: z.int().min(1),
  }),
);

/** "replayed 1,000 requests of 60.0 s, mean 16.7 requests/s, peak 48 in 1 s, 1 to 8 items each"; null of other levels. */
export function replayedText({
  replay,
}: {
  readonly replay?: z.infer<typeof replayedSchema> | undefined;
}): string | null {
  if (replay === undefined) return null;
  const { requests, seconds, peakRate, speed, fromS, toS, meanBatchSize, largestBatchSize } = replay;
  const part =
    fromS === 0 && toS === undefined ? [] : [`from ${fromS} s${toS === undefined ? '' : ` to ${toS} s`}`];
  return [
    `replayed ${formatCount(requests)} requests of ${formatDuration(seconds * 1e6)}`,
    `mean ${formatRate(requests / seconds)} requests/s`,
    `peak ${formatCount(peakRate)} in 1 s`,
    ...(speed === 1 ? [] : [`${formatTyped(speed)} times as fast as recorded`]),
    ...part,
    ...(largestBatchSize === 1
      ? []
      : [`${formatRate(meanBatchSize)} items per request on average, up to ${largestBatchSize}`]),
  ].join(', ');
}

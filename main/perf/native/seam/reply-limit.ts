import { datatypeBytes, isDatatype } from '../../../contract/measured/input-data';
import type { LoadJob } from './load-job';

/** Of a reply whose length the model does not declare; gRPC bounds a message at 2 GiB, and this is half of it. */
export const largestReplyBytes = 2 ** 30;
/** Where it does: twice its outputs, and never less than this, which every error reply stays below. */
const leastLimitBytes = 64 * 2 ** 20;

const bytesText = (bytes: number) => `${bytes.toLocaleString('en-US')} bytes`;

/** A reply that is announced as longer than is read; nothing of it is kept. */
export class ReplyTooLarge extends Error {
  readonly kind = 'reply too large';

  constructor(announcedBytes: number, limitBytes: number) {
    super(
      `the server announces a reply of ${bytesText(announcedBytes)}; at most ${bytesText(limitBytes)} are read for ` +
        'what the model declares as its outputs',
    );
  }
}

/** What the outputs of a reply take as the model declares them; null: an axis or a data type has no fixed size. */
function declaredBytes({
  outputChecks,
  batched,
  batchSize,
}: Pick<LoadJob, 'outputChecks' | 'batched' | 'batchSize'>): number | null {
  if (outputChecks === null || (batched && outputChecks.anyBatch === true)) return null;
  let sum = 0;
  for (const { datatype, shape } of outputChecks.outputs) {
    if (!isDatatype(datatype)) return null;
    const whole = batched ? [batchSize, ...shape.slice(1)] : shape;
    if (whole.some((size) => size < 0)) return null;
    sum += whole.reduce((product, size) => product * size, datatypeBytes[datatype]);
  }
  return sum;
}

/** Bytes of a reply that are read at most. */
export function replyLimitBytes(job: Pick<LoadJob, 'outputChecks' | 'batched' | 'batchSize'>): number {
  const declared = declaredBytes(job);
  return declared === null ? largestReplyBytes : Math.max(leastLimitBytes, 2 * declared);
}

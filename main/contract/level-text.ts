import { formatTyped } from './numbers';
import type { LoadPoint } from './results';
import type { LoadLevel } from './scenario-levels';

/** A level in words, as "batch size 1, concurrency 4" or "batch size 1, 200 requests/s". */
export function levelText({ batchSize, concurrency, requestRate }: LoadLevel): string {
  const load =
    requestRate === undefined ? `concurrency ${concurrency}` : `${formatTyped(requestRate)} requests/s`;
  return `batch size ${batchSize}, ${load}`;
}

/** What ran beside a model, as "large at batch size 2, concurrency 8"; null of a model alone. */
export function togetherText({ together = [] }: Pick<LoadPoint, 'together'>): string | null {
  return together.length === 0
    ? null
    : together.map((other) => `${other.model} at ${levelText(other)}`).join('; ');
}

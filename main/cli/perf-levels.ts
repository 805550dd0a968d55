import { WorkbenchError } from '../contract/errors';
import type { LoadLevel } from '../contract/scenario-levels';
import { mostUnderWay, rateOfIntervals } from '../contract/scenario-levels';

/** What decides the levels, as numbers. */
export interface LevelNumbers {
  readonly batchSizes: readonly number[];
  /** undefined: nothing is said. */
  readonly concurrency?: readonly number[] | undefined;
  readonly requestRates?: readonly number[] | undefined;
  readonly intervalsUs?: readonly number[] | undefined;
  /** Of stateful models: a slot each. */
  readonly sequencesAtOnce?: number | undefined;
}

const invalid = (where: string, message: string, remedy?: string) =>
  new WorkbenchError('input-invalid', message, { where, remedy });

/**
 * The levels of `perf`: each batch size with each concurrency, or with each request rate; a concurrency beside a rate is the
 * most requests under way. Throws input-invalid.
 */
export function readLevels(numbers: LevelNumbers): readonly LoadLevel[] {
  const { batchSizes, concurrency, requestRates = [], intervalsUs = [], sequencesAtOnce } = numbers;
  if (requestRates.length > 0 && intervalsUs.length > 0) {
    throw invalid(
      '--request-intervals',
      'A request rate and intervals are two ways to say the same',
      'Give one of them.',
    );
  }
  const rates = intervalsUs.length > 0 ? [rateOfIntervals(intervalsUs)] : requestRates;
  const counts = concurrency ?? [rates.length > 0 ? (sequencesAtOnce ?? mostUnderWay) : 1];
  const [most = mostUnderWay, ...others] = counts;
  if (rates.length > 0 && others.length > 0) {
    throw invalid(
      '--concurrency',
      'With a request rate there is one limit of concurrent requests',
      'Give one number.',
    );
  }
  return batchSizes.flatMap<LoadLevel>((batchSize) =>
    rates.length > 0
      ? rates.map((rate) => ({ batchSize, concurrency: most, requestRate: rate }))
      : counts.map((concurrency) => ({ batchSize, concurrency })),
  );
}

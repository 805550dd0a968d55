import { WorkbenchError } from '../contract/errors';
import type { LoadLevel } from '../contract/scenario-levels';
import { rateOfIntervals } from '../contract/scenario-levels';
import { mostUnderWay } from '../contract/scenario-levels';
import { fileLimits } from '../contract/reader-limits';
import { readBoundedFile } from '../platform/read-bounded-file';
import { readNumber, readNumbers } from './read-spec';

export interface LoadOptions {
  readonly batchSizes: string;
  readonly concurrency?: string | undefined;
  readonly requestRate?: string | undefined;
  readonly requestIntervals?: string | undefined;
  /** Of stateful models: a slot each. */
  readonly sequencesAtOnce?: number | undefined;
}

const invalid = (where: string, message: string, remedy?: string) =>
  new WorkbenchError('input-invalid', message, { where, remedy });
/** More levels than anybody measures: a step was forgotten. */
const mostLevels = 10_000;

/** `1,2,4`, `1:64` or `1:64:8`, as perf_analyzer's ranges: start, end, step. Throws input-invalid. */
export function readRange(flag: string, text: string): number[] {
  if (!text.includes(':')) return readNumbers(flag, text);
  const [start = 0, end = 0, step = 1, ...rest] = text.split(':').map((part) => readNumber(flag, part));
  if (rest.length > 0 || !(step > 0) || end < start || (end - start) / step > mostLevels) {
    throw invalid(flag, `"${text}" is no range`, 'Give START:END:STEP, for example 100:500:100.');
  }
  // Whole steps are counted, not added up: 0.1 three times is not 0.3.
  return Array.from(
    { length: Math.floor((end - start) / step + 1e-9) + 1 },
    (_unused, index) => start + index * step,
  );
}

/** Microseconds between requests, one a line, as perf_analyzer's --request-intervals. Throws input-invalid. */
export async function readIntervals(file: string): Promise<number[]> {
  const flag = '--request-intervals';
  const found = await readBoundedFile(file, fileLimits.intervals.bytes, { links: 'follow' });
  if ('problem' in found) throw invalid(flag, `${file} cannot be read: ${found.problem}`);
  const intervals = readNumbers(flag, found.text);
  if (intervals.length === 0 || intervals.some((interval) => interval <= 0)) {
    throw invalid(
      flag,
      `${file} has no intervals, or one that is not above 0`,
      'One a line, in microseconds.',
    );
  }
  return intervals;
}

/**
 * The levels of `perf`: each batch size with each concurrency, or with each request rate; a concurrency beside a rate is the
 * most requests under way. Throws input-invalid.
 */
export async function readLevels(
  options: LoadOptions,
): Promise<{ readonly levels: readonly LoadLevel[]; readonly intervalsUs: readonly number[] }> {
  const { requestRate, requestIntervals } = options;
  if (requestRate !== undefined && requestIntervals !== undefined) {
    throw invalid(
      '--request-intervals',
      'A request rate and intervals are two ways to say the same',
      'Give one of them.',
    );
  }
  const batchSizes = readRange('--batch-sizes', options.batchSizes);
  const intervalsUs = requestIntervals === undefined ? [] : await readIntervals(requestIntervals);
  const rates =
    requestRate !== undefined
      ? readRange('--request-rate', requestRate)
      : intervalsUs.length > 0
        ? [rateOfIntervals(intervalsUs)]
        : [];
  if (rates.some((rate) => !(rate > 0))) throw invalid('--request-rate', 'A request rate is above 0');
  const counts = readRange(
    '--concurrency',
    options.concurrency ?? (rates.length > 0 ? String(options.sequencesAtOnce ?? mostUnderWay) : '1'),
  );
  for (const value of [...batchSizes, ...counts]) {
    if (!Number.isSafeInteger(value) || value < 1) throw invalid('--concurrency', `${value} is no count`);
  }
  const [most = mostUnderWay, ...others] = counts;
  if (rates.length > 0 && others.length > 0) {
    throw invalid(
      '--concurrency',
      'With a request rate there is one bound of requests under way',
      'Give one number.',
    );
  }
  const levels = batchSizes.flatMap<LoadLevel>((batchSize) =>
    rates.length > 0
      ? rates.map((rate) => ({ batchSize, concurrency: most, requestRate: rate }))
      : counts.map((concurrency) => ({ batchSize, concurrency })),
  );
  return { levels, intervalsUs };
}

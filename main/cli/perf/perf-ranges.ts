import { invalidInput, type WorkbenchError } from '../../contract/errors';
import { readNumber } from '../read-values';
import type { PerfOptions } from './perf-options';

interface ReadRange {
  /** Ascending. */
  readonly levels: readonly number[];
  /** A binary search ends when two neighbors differ by this much. */
  readonly precision: number;
}

/** Upper bound of an open range; searches reach their latency limit long before it. */
const mostOpenLevels = 1024;
const mostOpen = { concurrency: 1024, rate: 10_000 };
/** Bounds a range whose step was forgotten. */
const mostLevels = 10_000;

const stepped = (start: number, step: number, count: number): number[] =>
  // Multiplied, not accumulated: 0.1 three times is not 0.3.
  Array.from({ length: count }, (_unused, index) => start + index * step);

interface RangeKind {
  /** Levels are whole numbers. */
  readonly whole: boolean;
  readonly binary: boolean;
  /** A latency limit ends the range. */
  readonly limited: boolean;
}
type Refused = (message: string) => WorkbenchError;

const counted = (count: number, refused: Refused): number => {
  if (count > mostLevels) throw refused(`more than ${mostLevels} levels`);
  return count;
};

/** Ends at the latency limit. */
function openRange(start: number, step: number, kind: RangeKind, refused: Refused): ReadRange {
  if (kind.binary) throw refused('a binary search needs an end');
  if (!kind.limited) throw refused('without an end, a latency limit (-l) is needed');
  const largest = Math.max(start, kind.whole ? mostOpen.concurrency : mostOpen.rate);
  const count = Math.min(mostOpenLevels, Math.floor((largest - start) / step) + 1);
  return { levels: stepped(start, step, count), precision: 1 };
}

/** In a binary search the step is the precision. Midpoints of whole numbers are rounded down. */
function binaryRange(
  [start, end, step]: readonly [number, number, number],
  { whole }: RangeKind,
  refused: Refused,
): ReadRange {
  const halves = 2 ** Math.max(0, Math.ceil(Math.log2((end - start) / step)));
  const [unit, precision] = whole ? [1, step] : [(end - start) / halves, 1];
  const count = end === start ? 1 : Math.round((end - start) / unit) + 1;
  return { levels: stepped(start, unit, counted(count, refused)), precision };
}

/** `START:END:STEP` of perf_analyzer; end 0 means open. Throws input-invalid for what perf_analyzer refuses. */
export function readAnalyzerRange(flag: string, text: string, kind: RangeKind): ReadRange {
  const [start = 0, end = start, step = 1, ...rest] = text.split(':').map((part) => readNumber(flag, part));
  const refused: Refused = (message) =>
    invalidInput(flag, `"${text}": ${message}`, 'Give START:END:STEP, for example 100:500:100.');
  if (rest.length > 0) throw refused('a range has three parts');
  if (!(start > 0)) throw refused('the start is not above 0');
  if (!(step > 0)) throw refused('the step is not above 0');
  if (end === 0) return openRange(start, step, kind, refused);
  if (end < start) throw refused('the end is below the start');
  if (kind.binary) return binaryRange([start, end, step], kind, refused);
  const count = Math.floor((end - start) / step + 1e-9) + 1;
  return { levels: stepped(start, step, counted(count, refused)), precision: 1 };
}

const ranges = [
  { attribute: 'concurrency', flag: '--concurrency', whole: true },
  { attribute: 'requestRate', flag: '--request-rate', whole: false },
] as const;

/** Ranges as lists of levels, and the precision of a binary search in levels. Throws input-invalid. */
export function withRanges(typed: PerfOptions): {
  readonly options: PerfOptions;
  readonly precision: number;
} {
  const how = {
    binary: typed['search'] === 'binary',
    limited: ![undefined, '0'].includes(typed['latencyThreshold'] as string | undefined),
  };
  let options = typed;
  let precision = 1;
  for (const { attribute, flag, whole } of ranges) {
    const text = typed[attribute];
    if (typeof text !== 'string' || !text.includes(':')) continue;
    const read = readAnalyzerRange(flag, text, { whole, ...how });
    options = { ...options, [attribute]: read.levels.join(',') };
    precision = read.precision;
  }
  return { options, precision };
}

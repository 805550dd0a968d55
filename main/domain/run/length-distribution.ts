import { createRandom } from '../random';

type Quantiles = readonly [p50: number, p95: number, max: number];

/** How long the samples of a load are: as it was asked for, and drawn. */
export interface SampleLengths {
  /** "32 at p50, 128 at p95, at most 512 (100 samples)". */
  readonly text: string;
  /** By sample. */
  readonly drawn: readonly number[];
}

const seed = 20210721;
/** Of a distribution that is stated by its quantiles. */
export const usualSamples = 100;
export const mostSamples = 1000;
const mostLength = 2 ** 20;

const isLength = (value: number): boolean => Number.isInteger(value) && value >= 1 && value <= mostLength;

/** At each of the quantiles 0, 0.5, 0.95 and 1 its length, straight between them. */
function lengthAt(quantile: number, [p50, p95, max]: Quantiles): number {
  const between = (from: number, to: number, share: number) => Math.round(from + (to - from) * share);
  if (quantile <= 0.5) return between(1, p50, quantile / 0.5);
  if (quantile <= 0.95) return between(p50, p95, (quantile - 0.5) / 0.45);
  return between(p95, max, (quantile - 0.95) / 0.05);
}

/**
 * Lengths with these quantiles, in a seeded order: sample i of n has the quantile (i + 1) / n, so that p50, p95 and the
 * longest are met as nearly as n samples can.
 */
export function drawnLengths(quantiles: Quantiles, samples = usualSamples): SampleLengths {
  const next = createRandom(seed);
  const drawn = Array.from({ length: samples }, (_unused, at) => lengthAt((at + 1) / samples, quantiles));
  for (let at = drawn.length - 1; at > 0; at -= 1) {
    const other = Math.floor(next() * (at + 1));
    [drawn[at], drawn[other]] = [drawn[other] ?? 1, drawn[at] ?? 1];
  }
  const [p50, p95, max] = quantiles;
  return { text: `${p50} at p50, ${p95} at p95, at most ${max} (${samples} samples)`, drawn };
}

/** `32,128,512`; a text says what is wrong, and null: it is not a list of three numbers. */
export function parseQuantiles(text: string): Quantiles | string | null {
  const parts = text.split(',');
  if (parts.length !== 3 || !parts.every((part) => /^\s*\d+\s*$/.test(part))) return null;
  const [p50 = 0, p95 = 0, max = 0] = parts.map(Number);
  if (![p50, p95, max].every(isLength)) return `lengths are 1 to ${mostLength}`;
  if (p50 > p95 || p95 > max) return 'p50, p95 and the longest are not in ascending order';
  return [p50, p95, max];
}

/** Lengths of a file, one per line or a JSON list, in their order; a text says what is wrong. */
export function listedLengths(content: string, name: string): SampleLengths | string {
  const trimmed = content.trim();
  const words = trimmed.startsWith('[')
    ? trimmed.replace(/^\[|\]$/g, '').split(',')
    : trimmed.split(/\r?\n/).filter((line) => line.trim() !== '');
  const drawn = words.map((word) => (word.trim() === '' ? NaN : Number(word)));
  const odd = drawn.findIndex((length) => !isLength(length));
  if (drawn.length === 0 || trimmed === '') return 'it has no lengths';
  if (odd !== -1)
    return `"${words[odd]?.trim() ?? ''}" (number ${odd + 1}) is not a length, 1 to ${mostLength}`;
  if (drawn.length > mostSamples) return `it has ${drawn.length} lengths, at most ${mostSamples} are taken`;
  return { text: `${drawn.length} lengths of ${name}`, drawn };
}

/** Samples of a length that all of them have. */
const alikeSamples = 8;

/** `32,128,512`, or `64` for all of them; a text says what is wrong, and null: it is neither. */
export function statedLengths(text: string, samples?: number): SampleLengths | string | null {
  const quantiles = parseQuantiles(text);
  if (quantiles !== null) return typeof quantiles === 'string' ? quantiles : drawnLengths(quantiles, samples);
  if (!/^\d+$/.test(text)) return null;
  const [length, count] = [Number(text), samples ?? alikeSamples];
  if (!isLength(length)) return `lengths are 1 to ${mostLength}`;
  return {
    text: `${length} in each of ${count} samples`,
    drawn: Array.from({ length: count }, () => length),
  };
}

/** In place of lengths: those that the samples of the data set have. */
export const lengthsOfDataset = 'dataset';

/** Of a specification: the lengths that are sent, 'dataset', or a text that says what is wrong. */
export function specifiedLengths(
  value: string,
): SampleLengths | typeof lengthsOfDataset | { readonly problem: string } {
  if (value === lengthsOfDataset) return lengthsOfDataset;
  const found = statedLengths(value) ?? listedLengths(value.replaceAll(' ', '\n'), 'the specification');
  return typeof found === 'string' ? { problem: found } : found;
}

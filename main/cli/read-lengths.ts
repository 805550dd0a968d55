import { basename } from 'node:path';
import { invalidInput } from '../contract/errors';
import { fileLimits } from '../contract/reader-limits';
import {
  drawnLengths,
  listedLengths,
  parseQuantiles,
  type SampleLengths,
} from '../domain/run/length-distribution';
import { readBoundedFile } from '../platform/plain-entry';

const flag = '--length-distribution';
export const lengthsHelp =
  'Lengths of generated samples, for dynamic dimensions: P50,P95,MAX (100 samples), or a file with one length per line.';
const form = `Give the median, the 95th percentile and the longest, for example ${flag} 32,128,512, or a file with one length per line.`;

/** `32,128,512`, or a file. Throws input-invalid. */
export async function readLengths(text: string, samples?: number): Promise<SampleLengths> {
  const quantiles = parseQuantiles(text);
  if (typeof quantiles === 'string') throw invalidInput(flag, `${text}: ${quantiles}`, form);
  if (quantiles !== null) return drawnLengths(quantiles, samples);
  const read = await readBoundedFile(text, fileLimits.intervals.bytes, { links: 'follow' });
  if ('problem' in read) throw invalidInput(flag, `${text} cannot be read: ${read.problem}`, form);
  const listed = listedLengths(read.text, basename(text));
  if (typeof listed === 'string') throw invalidInput(flag, `${text}: ${listed}`, form);
  return samples === undefined ? listed : { ...listed, drawn: listed.drawn.slice(0, samples) };
}

/** Only values that are made have a length that can be chosen. Throws input-invalid. */
export function requireMade(lengths: string | undefined, files: readonly string[]): void {
  const file = files.find((source) => !/^(.*=)?(random|zero)$/.test(source));
  if (lengths === undefined || file === undefined) return;
  throw invalidInput(
    flag,
    `${flag} applies to generated values, but --input-data sends those of ${basename(file)}`,
    'Leave one of the two out.',
  );
}

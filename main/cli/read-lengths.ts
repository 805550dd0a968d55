import { basename } from 'node:path';
import { invalidInput } from '../contract/errors';
import { fileLimits } from '../contract/reader-limits';
import {
  lengthsOfDataset,
  listedLengths,
  type SampleLengths,
  statedLengths,
} from '../domain/run/length-distribution';
import { readBoundedFile } from '../platform/plain-entry';

const flag = '--length-distribution';
export const lengthsHelp =
  'Lengths of generated samples, for dynamic dimensions: P50,P95,MAX (100 samples), one length, or a file with one length per line.';
const form = `Give the median, the 95th percentile and the longest, for example ${flag} 32,128,512, or a file with one length per line.`;

/** `32,128,512`, `64`, or a file. Throws input-invalid. */
export async function readLengths(text: string, samples?: number): Promise<SampleLengths> {
  const stated = statedLengths(text, samples);
  if (typeof stated === 'string') throw invalidInput(flag, `${text}: ${stated}`, form);
  if (stated !== null) return stated;
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

/** Of a specification: P50,P95,MAX, one length, `dataset`, or what a file has. Throws input-invalid. */
export async function specifiedText(text: string): Promise<string> {
  const plain = text.trim();
  if (plain === lengthsOfDataset) return plain;
  const { drawn } = await readLengths(plain);
  return statedLengths(plain) === null ? drawn.join(' ') : plain.replace(/\s/g, '');
}

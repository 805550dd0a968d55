import { isTree } from '../../contract/trees';
import { shortValue } from '../../platform/lines';
import type { AnalyzerFile, Path } from './analyzer-file';

/** A range of the file is not unrolled any further. */
const mostValues = 10_000;

const isWhole = (value: unknown): value is number => typeof value === 'number' && Number.isSafeInteger(value);

/** "8" and 8 alike, as there. */
function wholeAt(file: AnalyzerFile, path: Path, value: unknown, least: number): number {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (isWhole(number) && number >= least) return number;
  throw file.refused(path, `${shortValue(value)} is not a whole number of at least ${least}`);
}

function rangeAt(file: AnalyzerFile, path: Path, least: number): readonly number[] {
  const keys = file.keysAt(path);
  const isKnown = keys.every((key) => ['start', 'stop', 'step'].includes(key));
  if (!isKnown || !keys.includes('start') || !keys.includes('stop')) {
    throw file.refused(
      path,
      'A range has start, stop and optionally step',
      'For example {start: 2, stop: 8}.',
    );
  }
  const of = (key: string, otherwise?: number): number =>
    wholeAt(file, [...path, key], file.at([...path, key]) ?? otherwise, key === 'step' ? 1 : least);
  const [start, stop, step] = [of('start'), of('stop'), of('step', 1)];
  if (start > stop) throw file.refused(path, `The start ${start} is above the stop ${stop}`);
  const count = Math.floor((stop - start) / step) + 1;
  if (count > mostValues) throw file.refused(path, `${count} values are more than ${mostValues}`);
  return Array.from({ length: count }, (_unused, at) => start + at * step);
}

/** "1,2,4", a list, {start, stop, step} or a number. Throws input-invalid with the line. */
export function numbersAt(file: AnalyzerFile, path: Path, least = 1): readonly number[] {
  const value = file.at(path);
  if (isTree(value)) return rangeAt(file, path, least);
  const parts: readonly unknown[] =
    typeof value === 'string' ? value.split(',') : Array.isArray(value) ? (value as unknown[]) : [value];
  return parts.map((part) => wholeAt(file, path, part, least));
}

/** One number. Throws input-invalid with the line. */
export const numberAt = (file: AnalyzerFile, path: Path, least = 1): number =>
  wholeAt(file, path, file.at(path), least);

/** A number above 0. Throws input-invalid with the line. */
export function amountAt(file: AnalyzerFile, path: Path): number {
  const value = file.at(path);
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof number === 'number' && Number.isFinite(number) && number > 0) return number;
  throw file.refused(path, `${shortValue(value)} is not a number above 0`);
}

/** A number, or a list of those to try; other text is no list here. Throws input-invalid with the line. */
export function sweptAt(file: AnalyzerFile, path: Path, least = 1): readonly number[] {
  const value = file.at(path);
  const parts: readonly unknown[] = Array.isArray(value) ? (value as unknown[]) : [value];
  return parts.map((part) => wholeAt(file, path, part, least));
}

/** "a,b" or a list. Throws input-invalid with the line. */
export function namesAt(file: AnalyzerFile, path: Path): readonly string[] {
  const value = file.at(path);
  const parts: readonly unknown[] = Array.isArray(value) ? (value as unknown[]) : String(value).split(',');
  return parts.map((part) => {
    if (typeof part === 'string' || typeof part === 'number') return String(part).trim();
    throw file.refused(path, `${shortValue(part)} is not a name`);
  });
}

/** `True`, `yes` and `on` too, as there. Throws input-invalid with the line. */
export function flagAt(file: AnalyzerFile, path: Path): boolean {
  const value = file.at(path);
  if (value === undefined || value === null) return false;
  if (typeof value === 'boolean') return value;
  const text = typeof value === 'object' ? '' : JSON.stringify(value).toLowerCase().replaceAll('"', '');
  if (['true', 'yes', 'on', '1'].includes(text)) return true;
  if (['false', 'no', 'off', '0'].includes(text)) return false;
  throw file.refused(path, `${shortValue(value)} is neither true nor false`);
}

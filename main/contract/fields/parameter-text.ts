import { formatBytes, formatCount, formatScale } from '../numbers';
import { isTree } from '../trees';
import type { FieldRow } from './field';
import { fieldAt, isNumberList, valuesOf } from './fields';

/** A whole number is a chosen value: all of its digits count. */
const exactText = (value: number): string =>
  Number.isInteger(value) ? formatCount(value) : formatScale(value);

/** A long arithmetic sequence is shown by its ends. */
function list(values: readonly number[]): string {
  const [first, second] = values;
  if (first === undefined) return 'none';
  const step = (second ?? first) - first;
  const even = values.every((value, index) => value === first + index * step);
  if (values.length < 6 || !even) return values.map(exactText).join(', ');
  const last = first + step * (values.length - 1);
  return `${formatCount(first)} to ${formatCount(last)} in steps of ${exactText(step)}`;
}

/** Many numbers with blanks between, such as lengths of samples, are shown by the first. */
function words(value: string): string {
  if (!/^\d+( \d+){8,}$/.test(value)) return value;
  const all = value.split(' ');
  return `${all.slice(0, 4).join(', ')}, … (${formatCount(all.length)} values)`;
}

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  (Array.isArray(value) && value.length === 0) ||
  (isTree(value) && Object.keys(value).length === 0);

/** "1,073,741,824 B (1.0 GiB)"; below one KiB the bytes only. */
export const bytesText = (bytes: number): string =>
  bytes < 1024 ? `${formatCount(bytes)} B` : `${formatCount(bytes)} B (${formatBytes(bytes)})`;

const unitText = (unit: string | undefined): string => (unit === undefined ? '' : ` ${unit}`);

function numberText({ identifier, unit }: FieldRow, value: number): string {
  if (identifier === true) return String(value);
  return unit === 'bytes' ? bytesText(value) : `${exactText(value)}${unitText(unit)}`;
}

/** A tensor as "input FP32 [-1, 3]". */
function partText(part: unknown): string {
  if (!isTree(part)) return String(part);
  const { name, datatype, shape } = part;
  return typeof name === 'string' && typeof datatype === 'string' && Array.isArray(shape)
    ? `${name} ${datatype} [${shape.join(', ')}]`
    : JSON.stringify(part);
}

/** With its unit: "1,000 ms", "gRPC", "1, 2, 4". @returns null: it is not set and has no text for that */
export function parameterText(row: FieldRow, value: unknown): string | null {
  if (isEmpty(value)) return row.absent ?? null;
  if (value === 0 && row.zero !== undefined) return row.zero;
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  if (typeof value === 'number') return numberText(row, value);
  if (Array.isArray(value)) {
    return isNumberList(valuesOf(row))
      ? `${list(value as number[])}${unitText(row.unit)}`
      : value.map(partText).join(', ');
  }
  return typeof value === 'string' ? (row.choices?.[value] ?? words(value)) : JSON.stringify(value);
}

export const textAt = (path: string, value: unknown): string => parameterText(fieldAt(path), value) ?? 'none';

import type { RunSpec } from '../../../main/contract/run-spec';
import type { DraftValue } from '../../stores/draft';

/** The value of a field in a specification; undefined where it has none. */
export function fieldValue(spec: RunSpec, path: string): DraftValue | undefined {
  let value: unknown = spec;
  for (const name of path.split('.')) {
    if (value === null || typeof value !== 'object') return undefined;
    value = (value as Readonly<Record<string, unknown>>)[name];
  }
  return value as DraftValue | undefined;
}

/** "1, 2, 4" -> [1, 2, 4]; a sentence that says what is wrong otherwise. */
export function parseIntegers(text: string, mayBeEmpty: boolean): readonly number[] | string {
  const parts = text.split(/[\s,;]+/).filter(Boolean);
  if (parts.length === 0) return mayBeEmpty ? [] : 'Give at least one whole number';
  const bad = parts.find((part) => !/^[1-9]\d{0,8}$/.test(part));
  return bad === undefined ? parts.map(Number) : `“${bad}” is not a whole number from 1`;
}

/** "GPU-1, GPU-2" -> ['GPU-1', 'GPU-2']; empty: none. */
export const parseTexts = (text: string): readonly string[] => text.split(/[\s,;]+/).filter(Boolean);

/** The core names the field in front of its message; beside the field that is said already. */
export const fieldMessage = (message: string, path: string): string =>
  message.startsWith(`${path}: `) ? message.slice(path.length + 2) : message;

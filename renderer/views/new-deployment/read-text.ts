import { rowOf } from '../../../main/contract/fields/fields';
import { parameterText } from '../../../main/contract/fields/parameter-text';
import type { Control } from './fields/field';

const listed = (text: string) => text.split(/[\s,;]+/).filter(Boolean);

/** "1, 2, 4" -> [1, 2, 4]; else a sentence with the problem. */
export function parseIntegers(text: string, mayBeEmpty: boolean): readonly number[] | string {
  const parts = listed(text);
  if (parts.length === 0) return mayBeEmpty ? [] : 'Enter at least one whole number';
  const bad = parts.find((part) => !/^[1-9]\d{0,8}$/.test(part));
  return bad === undefined ? parts.map(Number) : `“${bad}” is not a whole number of at least 1`;
}

/** "0.5, 2" -> [0.5, 2], or empty; else a sentence with the problem. */
function parseNumbers(text: string): readonly number[] | string {
  const parts = listed(text);
  const bad = parts.find((part) => !Number.isFinite(Number(part)) || Number(part) <= 0);
  return bad === undefined ? parts.map(Number) : `“${bad}” is not a number above 0`;
}

/** "1e-4" or "0.0001" -> 0.0001; else a sentence with the problem. */
function parseDecimal(text: string): number | string {
  const value = Number(text);
  return text.trim() === '' || !Number.isFinite(value) || value < 0
    ? `“${text}” is not a number of at least 0`
    : value;
}

/** Value of a text in this control, or what is wrong with it; null: nothing is parsed from texts. */
function reading(control: Control, text: string): unknown {
  if (control.kind === 'integers') return parseIntegers(text, control.mayBeEmpty);
  if (control.kind === 'numbers') return parseNumbers(text);
  if (control.kind === 'sweep') return text === 'formula' ? null : parseIntegers(text, false);
  return control.kind === 'decimal' ? parseDecimal(text) : null;
}

export function textProblem(control: Control, value: unknown): string | null {
  const read = typeof value === 'string' ? reading(control, value) : null;
  return typeof read === 'string' ? read : null;
}

/** undefined: empty, so that the default counts. Text that cannot be parsed is its own value. */
export function typedValue(control: Control, text: string): unknown {
  const { kind } = control;
  const mayBeMissing = kind === 'decimal' || kind === 'text' || kind === 'path';
  if (mayBeMissing && text.trim() === '') return undefined;
  if (kind === 'text') return text.trim();
  const read = reading(control, text);
  return read === null || typeof read === 'string' ? text : read;
}

export function fieldText(path: string, value: unknown): string {
  const row = rowOf(path);
  return row === undefined ? valueText(value) : (parameterText(row, value) ?? valueText(value));
}

export function valueText(value: unknown): string {
  if (value === undefined || value === null || value === '') return '—';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(String).join(', ');
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  if (typeof value === 'string' || typeof value === 'number') return String(value);
  return JSON.stringify(value);
}

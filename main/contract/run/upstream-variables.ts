import { invalidInput, WorkbenchError } from '../errors';
import type { FieldRow } from '../fields/field';
import { fields, rowOf, valuesOf } from '../fields/fields';
import { setAt, type Tree } from '../trees';

const words = (text: string): string[] => text.split(/[\s,]+/).filter((part) => part !== '');
const numbers = (text: string): number[] => words(text).map(Number);
const flag = (value: string): boolean => value === '1' || value.toLowerCase() === 'true';
function readerOf(row: FieldRow): (value: string) => unknown {
  if (row.readVariable !== undefined) return row.readVariable;
  switch (valuesOf(row).type) {
    case 'integers':
    case 'numbers':
      return numbers;
    case 'integer':
    case 'number':
      return Number;
    case 'boolean':
      return flag;
    case 'text':
    case 'texts':
    case 'other':
      return String;
  }
}

/** By published variable: field and parser. Source: environment files and configurations of the five deployments. */
export const upstreamVariables: Readonly<
  Record<string, { readonly field: string; readonly read: (value: string) => unknown }>
> = Object.fromEntries(
  fields.flatMap((row) =>
    (row.variables ?? []).map(
      (name) => [name, { field: row.path, read: (value: string) => readerOf(row)(value) }] as const,
    ),
  ),
);

/**
 * Why a variable with a single possible value here is refused; null for that value, undefined for other variables. The
 * published scripts start no servers for TRITON_INSTANCES: they multiply the load by it (offline `-c`, `-t`,
 * `-max-threads`; online the range of concurrencies) and expect the servers to exist.
 */
export function refusalOfVariable(name: string, text: string): string | null | undefined {
  if (name !== 'TRITON_INSTANCES') return undefined;
  if (text.trim() === '1') return null;
  return (
    `TRITON_INSTANCES=${text.slice(0, 20)}: a run starts and measures one Triton server. The published scripts also ` +
    'start only one: they multiply the load by this number. Set it to 1. For more load, set the concurrency; for more ' +
    'copies of the model on a GPU, NUMBER_OF_MODEL_INSTANCES.'
  );
}

function literal(value: string): unknown {
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}

/** JSON or plain text, by the field's type: text keeps its digits (1.0, 007), and lists need no brackets. */
function valueOf(key: string, value: string): unknown {
  const row = rowOf(key);
  const type = row === undefined ? 'other' : valuesOf(row).type;
  const given = literal(value);
  if (typeof given === 'object' || type === 'other') return given;
  const text = typeof given === 'string' ? given : value;
  if (type === 'text') return text;
  if (type === 'texts') return words(text);
  if (type !== 'integers' && type !== 'numbers') return given;
  const list = numbers(text);
  // "formula", and what the schema rejects by name.
  return list.some(Number.isNaN) ? given : list;
}

export const treeOf = (field: string, value: unknown): Tree => setAt({}, field.split('.'), value);

/**
 * One `--set KEY=VALUE`: an upstream variable (`TRITON_MAX_QUEUE_DELAY=1`) or a field of the specification
 * (`accuracy.thresholds.top1=0.9`; JSON, plain text, or lists by commas). Throws input-invalid.
 */
export function readAssignment(text: string): Tree {
  const [, key, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (key === undefined || value === undefined) {
    const remedy = 'For example --set configure.instances=2, or --set performance.concurrency=1,2,4.';
    throw invalidInput('--set', `"${text}" is not of the form KEY=VALUE`, remedy);
  }
  const refusal = refusalOfVariable(key, value);
  if (refusal === null) return {};
  if (refusal !== undefined) throw invalidInput('--set', refusal, 'Set TRITON_INSTANCES=1, or leave it out.');
  const variable = Object.hasOwn(upstreamVariables, key) ? upstreamVariables[key] : undefined;
  if (variable !== undefined) {
    const read = variable.read(value);
    const bad = Array.isArray(read) ? read.some(Number.isNaN) : Number.isNaN(read);
    if (bad) {
      const remedy = `For example --set ${key}=${Array.isArray(read) ? '1,2,4' : '8'}.`;
      throw invalidInput('--set', `${key}: "${value}" is not a number`, remedy);
    }
    return treeOf(variable.field, read);
  }
  if (!/^[a-z][A-Za-z]*(\.[\w*-]+)*$/.test(key)) {
    throw new WorkbenchError(
      'input-invalid',
      `"${key}" is neither an upstream variable nor a field of run.yaml`,
      {
        where: '--set',
        remedy: `The variables are: ${Object.keys(upstreamVariables).join(', ')}.`,
      },
    );
  }
  return treeOf(key, valueOf(key, value));
}

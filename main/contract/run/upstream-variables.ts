import { WorkbenchError } from '../errors';
import type { FieldRow } from '../fields/field';
import { fields, valuesOf } from '../fields/fields';
import { setAt, type Tree } from '../trees';

const numbers = (value: string): number[] =>
  value
    .split(/[\s,]+/)
    .filter((part) => part !== '')
    .map(Number);
const flag = (value: string): boolean => value === '1' || value.toLowerCase() === 'true';
/** How the text of a field's variable is read. */
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

/**
 * Variable of the published shell and runner procedures -> field of the run specification and how its text is read.
 * Source: the environment files and runner configurations of the five deployments.
 */
export const upstreamVariables: Readonly<
  Record<string, { readonly field: string; readonly read: (value: string) => unknown }>
> = Object.fromEntries(
  fields.flatMap((row) =>
    (row.variables ?? []).map((name) => [name, { field: row.path, read: readerOf(row) }] as const),
  ),
);

/**
 * Why the text of a variable with only one possible value here is refused; null where it is that value, undefined for every
 * other variable. The published scripts start no server for TRITON_INSTANCES: they multiply the load by it (offline
 * `-c`, `-t` and `-max-threads`; online the range of concurrencies) and expect the servers to be there.
 */
export function refusalOfVariable(name: string, text: string): string | null | undefined {
  if (name !== 'TRITON_INSTANCES') return undefined;
  if (text.trim() === '1') return null;
  return (
    `TRITON_INSTANCES=${text.slice(0, 20)}: a run starts and measures one Triton server. The published scripts start no ` +
    'more either: they multiply the load by this number. Set it to 1. For more load, set the concurrency; for more ' +
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

/** `{a: {b: value}}` from `a.b`. */
export const treeOf = (field: string, value: unknown): Tree => setAt({}, field.split('.'), value);

/**
 * One `--set KEY=VALUE`: an upstream variable (`TRITON_MAX_QUEUE_DELAY=1`) or a field of the
 * specification (`accuracy.thresholds.top1=0.9`, values as JSON or plain text). Throws input-invalid.
 */
export function readAssignment(text: string): Tree {
  const [, key, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (key === undefined || value === undefined) {
    throw new WorkbenchError('input-invalid', `"${text}" is not of the form KEY=VALUE`, { where: '--set' });
  }
  const refusal = refusalOfVariable(key, value);
  if (refusal === null) return {};
  if (refusal !== undefined) throw new WorkbenchError('input-invalid', refusal, { where: '--set' });
  const variable = Object.hasOwn(upstreamVariables, key) ? upstreamVariables[key] : undefined;
  if (variable !== undefined) {
    const read = variable.read(value);
    const bad = Array.isArray(read) ? read.some(Number.isNaN) : Number.isNaN(read);
    if (bad)
      throw new WorkbenchError('input-invalid', `${key}: "${value}" is not a number`, { where: '--set' });
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
  return treeOf(key, literal(value));
}

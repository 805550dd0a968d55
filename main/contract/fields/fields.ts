import { z } from 'zod';
import { runSpecSchema } from '../run/run-spec';
import { getAt, setAt, type Tree } from '../trees';
import { accuracyFields, scenarioFields } from './accuracy-fields';
import type { FieldRow, ValueAt } from './field';
import { modelFields } from './model-fields';
import { performanceFields } from './performance-fields';
import { servingFields } from './serving-fields';

export const fields: readonly FieldRow[] = [
  ...modelFields,
  ...servingFields,
  ...performanceFields,
  ...scenarioFields,
  ...accuracyFields,
];

const byPath: ReadonlyMap<string, FieldRow> = new Map(fields.map((row) => [row.path, row]));

/** The row of a path; a name may stand in place of its "*". */
export function rowOf(path: string): FieldRow | undefined {
  const row = byPath.get(path);
  if (row !== undefined) return row;
  return fields.find((one) => one.path.endsWith('.*') && path.startsWith(one.path.slice(0, -1)));
}

/** Throws where there is no row, which is a programming error. */
export function fieldAt(path: string): FieldRow {
  const row = rowOf(path);
  if (row === undefined) throw new Error(`the run specification has no field ${path}`);
  return row;
}

/** Label of a path; the path itself where no field has it. A name in place of "*" is added. */
export function labelOf(path: string): string {
  const row = rowOf(path);
  if (row === undefined) return path;
  const name = row.path.endsWith('.*') ? path.slice(row.path.length - 1) : '';
  return name === '' || name === '*' ? row.label : `${row.label}: ${name}`;
}

/** The label within a sentence: "model instances"; "ONNX opset" stays as it is. */
export function labelInText(path: string): string {
  const label = labelOf(path);
  return /^[A-Z][a-z]/.test(label) ? label.charAt(0).toLowerCase() + label.slice(1) : label;
}

export interface Constraint {
  readonly type: 'boolean' | 'integer' | 'number' | 'text' | 'integers' | 'numbers' | 'texts' | 'other';
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly values?: readonly string[];
  readonly mayBeEmpty: boolean;
}

const lists: Readonly<Partial<Record<Constraint['type'], Constraint['type']>>> = {
  text: 'texts',
  integer: 'integers',
  number: 'numbers',
};

function scalarOf(schema: unknown): Pick<Constraint, 'type' | 'minimum' | 'maximum' | 'values'> {
  if (schema instanceof z.ZodBoolean) return { type: 'boolean' };
  if (schema instanceof z.ZodEnum) return { type: 'text', values: schema.options.map(String) };
  if (schema instanceof z.ZodNumber) {
    const { minValue, maxValue, format } = schema;
    const isBounded = minValue !== null && Number.isFinite(minValue);
    // Limits of the type alone say nothing.
    const isLimited = maxValue !== null && maxValue < 2 ** 31 - 1;
    return {
      type: format?.includes('int') === true ? 'integer' : 'number',
      ...(isBounded ? { minimum: minValue } : {}),
      ...(isLimited ? { maximum: maxValue } : {}),
    };
  }
  if (schema instanceof z.ZodLiteral) return { type: typeof schema.value === 'number' ? 'number' : 'text' };
  // A union: scalars of several kinds, which the schema turns into text.
  return { type: schema instanceof z.ZodString || schema instanceof z.ZodUnion ? 'text' : 'other' };
}

function constraintOf(schema: unknown): Omit<Constraint, 'default'> {
  if (!(schema instanceof z.ZodArray)) return { ...scalarOf(schema), mayBeEmpty: true };
  const { type } = scalarOf(inner(schema.element).schema);
  const isFilled = schema.def.checks?.some((check) => check._zod.def.check === 'min_length') ?? false;
  return { type: lists[type] ?? 'other', mayBeEmpty: !isFilled };
}

/** What is typed: without the default, the wrappers and what the schema makes of it. */
function inner(given: unknown): { readonly schema: unknown; readonly usual?: unknown } {
  if (given instanceof z.ZodDefault) {
    return { ...inner(given.def.innerType), usual: given.def.defaultValue };
  }
  if (given instanceof z.ZodOptional || given instanceof z.ZodNullable) return inner(given.def.innerType);
  if (given instanceof z.ZodLazy) return inner(given.unwrap());
  return given instanceof z.ZodPipe ? inner(given.def.in) : { schema: given };
}

/** Every leaf of the schema by its path. A list is a leaf; the path of a record ends in "*". */
function addLeaves(given: unknown, path: readonly string[], leaves: Map<string, Constraint>): void {
  const { schema, usual } = inner(given);
  if (schema instanceof z.ZodDiscriminatedUnion) {
    for (const member of schema.options) addLeaves(member, path, leaves);
  } else if (schema instanceof z.ZodObject) {
    for (const [key, part] of Object.entries(schema.shape)) addLeaves(part, [...path, key], leaves);
  } else if (schema instanceof z.ZodRecord && !(schema.valueType instanceof z.ZodUnknown)) {
    addLeaves(schema.valueType, [...path, '*'], leaves);
  } else {
    leaves.set(path.join('.'), {
      ...constraintOf(schema),
      ...(usual === undefined ? {} : { default: usual }),
    });
  }
}

const made: { leaves: ReadonlyMap<string, Constraint> | null } = { leaves: null };

/** Constraints of the run specification's leaves, by path. Read when first asked for: most commands need none. */
export function schemaLeaves(): ReadonlyMap<string, Constraint> {
  if (made.leaves !== null) return made.leaves;
  const leaves = new Map<string, Constraint>();
  addLeaves(runSpecSchema, [], leaves);
  made.leaves = leaves;
  return leaves;
}

export const isNumberList = ({ type }: Constraint): boolean => type === 'integers' || type === 'numbers';

export function valuesOf({ path, unlisted = [] }: FieldRow): Constraint {
  const found = schemaLeaves().get(path) ?? { type: 'other', mayBeEmpty: true };
  if (found.values === undefined || unlisted.length === 0) return found;
  return { ...found, values: found.values.filter((value) => !unlisted.includes(value)) };
}

export const defaultOf = (row: FieldRow): unknown => row.default ?? valuesOf(row).default;

/** Defaults where neither preset nor person sets a field; measuring defaults are perf_analyzer's. */
export const baseDefaults: Tree = fields.reduce<Tree>(
  (tree, row) => (row.default === undefined ? tree : setAt(tree, row.path.split('.'), row.default)),
  // Required by the schema, and without defaults inside.
  { accuracy: { thresholds: {} }, deadlines: {} },
);

export const valuesAt =
  (spec: unknown): ValueAt =>
  (path) =>
    getAt(spec, path.split('.'));

export const applies = (row: FieldRow, valueAt: ValueAt): boolean =>
  row.onlyWith === undefined || row.onlyWith.holds(valueAt);

import { z } from 'zod';
import { runSpecSchema } from '../run/run-spec';
import { getAt, isTree, setAt, type Tree } from '../trees';
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

export interface Constraint {
  readonly type: 'boolean' | 'integer' | 'number' | 'text' | 'integers' | 'numbers' | 'texts' | 'other';
  readonly default?: unknown;
  readonly minimum?: number;
  readonly values?: readonly string[];
  readonly mayBeEmpty: boolean;
}

type Json = Readonly<Record<string, unknown>>;

const scalars: Readonly<Record<string, Constraint['type']>> = {
  string: 'text',
  boolean: 'boolean',
  integer: 'integer',
  number: 'number',
};
const lists: Readonly<Record<string, Constraint['type']>> = {
  string: 'texts',
  integer: 'integers',
  number: 'numbers',
};

function constraintOf(json: Json): Constraint {
  const { type: given, items } = json as {
    readonly type?: string | readonly string[];
    readonly items?: { readonly type?: string };
  };
  // Scalars of several kinds, which the schema turns into text.
  const type = typeof given === 'object' ? 'string' : given;
  const minimum = json['minimum'] ?? json['exclusiveMinimum'];
  const known = type === 'array' ? lists[items?.type ?? ''] : scalars[type ?? ''];
  return {
    type: known ?? 'other',
    ...(json['default'] === undefined ? {} : { default: json['default'] }),
    ...(typeof minimum === 'number' ? { minimum } : {}),
    ...(Array.isArray(json['enum']) ? { values: json['enum'] as string[] } : {}),
    mayBeEmpty: json['minItems'] === undefined,
  };
}

/** Every leaf of the schema by its path. A list is a leaf; the path of a record ends in "*". */
function leavesOf(json: Json, path: readonly string[], leaves: Map<string, Constraint>): void {
  const { properties, additionalProperties, oneOf } = json;
  if (Array.isArray(oneOf)) {
    for (const member of oneOf as Json[]) leavesOf(member, path, leaves);
  } else if (isTree(properties)) {
    for (const [key, inner] of Object.entries(properties)) leavesOf(inner as Json, [...path, key], leaves);
  } else if (isTree(additionalProperties) && Object.keys(additionalProperties).length > 0) {
    leaves.set([...path, '*'].join('.'), constraintOf(additionalProperties));
  } else {
    leaves.set(path.join('.'), constraintOf(json));
  }
}

/** Constraints of the run specification's leaves, by path. */
export const schemaLeaves: ReadonlyMap<string, Constraint> = (() => {
  const leaves = new Map<string, Constraint>();
  leavesOf(z.toJSONSchema(runSpecSchema, { io: 'input', unrepresentable: 'any' }), [], leaves);
  return leaves;
})();

export const isNumberList = ({ type }: Constraint): boolean => type === 'integers' || type === 'numbers';

export function valuesOf(row: FieldRow): Constraint {
  return schemaLeaves.get(row.path) ?? { type: 'other', mayBeEmpty: true };
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

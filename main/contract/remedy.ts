import { errorText } from './error-text';
import type { WireError } from './errors';
import { type FieldRow, longFlag } from './fields/field';
import { type Constraint, fields, rowOf, valuesOf } from './fields/fields';

/** The field of a path, also by an index into its list. */
function rowAt(path: string): FieldRow | undefined {
  const row = rowOf(path);
  const above = path.replace(/\.[^.]*$/, '');
  return row ?? (above === path ? undefined : rowAt(above));
}

/** Name of the values of a type, and an example of a list. */
const kinds: Readonly<Partial<Record<Constraint['type'], readonly [kind: string, example?: string]>>> = {
  integers: ['a list of whole numbers', '1,2,4'],
  numbers: ['a list of numbers', '0.5,1'],
  texts: ['a list', 'one,two'],
  integer: ['a whole number'],
  number: ['a number'],
  boolean: ['true or false'],
};

/** Values of a field, as a sentence; undefined for any text. */
function formOf(row: FieldRow): string | undefined {
  const { type, minimum = -1, maximum, values = Object.keys(row.choices ?? {}) } = valuesOf(row);
  if (values.length > 0) return `Give one of ${values.join(', ')}.`;
  if (row.pathKind !== undefined) return `Give the path of a ${row.pathKind}.`;
  const [kind, example] = kinds[type] ?? [];
  if (kind === undefined) return undefined;
  const least = minimum < 0 ? '' : ` from ${minimum}`;
  const most = minimum < 0 || maximum === undefined ? '' : ` to ${maximum}`;
  const unit = row.unit === undefined ? '' : `, in ${row.unit}`;
  const text = `Give ${kind}${least}${most}${unit}`;
  if (example === undefined) return `${text}.`;
  return `${text}: ${example} on the command line, [${example.replaceAll(',', ', ')}] in run.yaml.`;
}

type Reader = 'window' | 'command';

/** Values of the field or option that an error names; undefined where it names neither. */
function formAt(where: string, reader: Reader): string | undefined {
  if (!where.startsWith('-')) {
    const row = rowAt(where);
    if (row === undefined) return undefined;
    const named =
      reader === 'command' && row.option !== undefined
        ? `Give it with ${row.option}, or in run.yaml.`
        : undefined;
    return formOf(row) ?? named;
  }
  const row = fields.find(({ option = '', aliases = [] }) => [longFlag(option), ...aliases].includes(where));
  return (row && formOf(row)) ?? `Run the command with --help to see what ${where} takes.`;
}

const badValue: ReadonlySet<WireError['code']> = new Set(['input-invalid', 'spec-invalid']);

/** Remedy of an error: its own, else of the named field, else of its code. */
export function remedyOf(
  { code, where, remedy }: Pick<WireError, 'code' | 'where' | 'remedy'>,
  reader: Reader = 'window',
): string {
  if (remedy !== undefined) return remedy;
  const form = where !== undefined && badValue.has(code) ? formAt(where, reader) : undefined;
  const { remedy: general, cliRemedy } = errorText[code];
  return form ?? (reader === 'command' ? (cliRemedy ?? general) : general);
}

import type { FieldRow } from '../../../../main/contract/fields/field';
import { applies, defaultOf, fieldAt, valuesOf } from '../../../../main/contract/fields/fields';
import type { Cards, Control, Field, FieldContext, Option } from './field';

/**
 * One of the choices of a field, or of some of them.
 * @param about what is said of each here: a note, or why it cannot be chosen
 */
export function choiceOf<Value extends string>(
  path: string,
  cards: Cards,
  about: (value: Value) => Pick<Option, 'note' | 'why'> = () => ({}),
  values?: readonly Value[],
): Control {
  const { choices = {} } = fieldAt(path);
  // The table of fields has the values of the schema.
  const offered = values ?? (Object.keys(choices) as Value[]);
  const options = offered.map((value) => ({ value, label: choices[value] ?? value, ...about(value) }));
  return { kind: 'choice', cards, options };
}

/** What is typed in, by what the schema takes. */
function typedControl(row: FieldRow, placeholder: string): Control {
  const { type, minimum = 0, mayBeEmpty } = valuesOf(row);
  switch (type) {
    case 'boolean':
      return { kind: 'flag' };
    case 'integer':
      return {
        ...{ kind: 'integer', min: minimum, placeholder, isName: row.identifier === true },
        ...(row.unit === undefined ? {} : { suffix: row.unit === 'bytes' ? ' B' : ` ${row.unit}` }),
        ...(row.unit === 'bytes' ? { unit: 'bytes' } : {}),
      };
    case 'number':
      return { kind: 'number', min: minimum, step: 1, placeholder };
    case 'integers':
      return { kind: 'integers', mayBeEmpty, placeholder: placeholder || (mayBeEmpty ? 'any' : '') };
    case 'numbers':
      return { kind: 'numbers', placeholder };
    case 'text':
    case 'texts':
    case 'other':
      return { kind: 'text', placeholder };
  }
}

function controlOf(row: FieldRow): Control {
  const usual = defaultOf(row);
  const placeholder = row.absent ?? (typeof usual === 'number' ? String(usual) : '');
  if (row.pathKind !== undefined) return { kind: 'path', pathKind: row.pathKind, placeholder };
  if (row.decimal === true) return { kind: 'decimal', placeholder };
  return valuesOf(row).values !== undefined || row.choices !== undefined
    ? choiceOf(row.path, false)
    : typedControl(row, placeholder);
}

/** Where the unit is not beside the value. */
function labelOf(row: FieldRow, control: Control): string {
  const beside = control.kind === 'integer' || row.unit === undefined;
  return beside ? row.label : `${row.label} (${row.unit})`;
}

/** The field of the form that a path of the specification has, with what only the form says of it. */
export function formField(
  path: string,
  context: Pick<FieldContext, 'value'>,
  own: Partial<Omit<Field, 'keys'>> = {},
): Field {
  const row = fieldAt(path);
  const control = own.control ?? controlOf(row);
  const idle = applies(row, (other) => context.value(...other.split('.')))
    ? undefined
    : `Applies only with ${row.onlyWith?.text ?? ''}.`;
  const [variable] = row.variables ?? [];
  return {
    keys: path.split('.'),
    label: labelOf(row, control),
    term: row.term,
    ...(variable === undefined ? {} : { variable }),
    help: row.help,
    idle,
    ...own,
    control,
  };
}

/** As {@link formField}, for a name that the model decides in place of the path's "*". */
export function namedField(
  path: string,
  name: string,
  context: Pick<FieldContext, 'value'>,
  own: Partial<Omit<Field, 'keys'>> = {},
): Field {
  const field = formField(path, context, own);
  return { ...field, keys: [...field.keys.slice(0, -1), name] };
}

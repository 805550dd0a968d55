import type { FieldRow } from '../../../../main/contract/fields/field';
import { applies, defaultOf, fieldAt, valuesOf } from '../../../../main/contract/fields/fields';
import type { Cards, Control, Field, FieldContext, Option } from './field';

/**
 * Options of a field.
 * @param about a note, or why an option is unavailable
 */
export function choiceOf<Value extends string>(
  path: string,
  cards: Cards,
  about: (value: Value) => Pick<Option, 'note' | 'why'> = () => ({}),
  values?: readonly Value[],
): Control {
  const { choices = {}, unlisted = [] } = fieldAt(path);
  // The keys are the schema's values.
  const offered = values ?? (Object.keys(choices).filter((value) => !unlisted.includes(value)) as Value[]);
  const options = offered.map((value) => ({ value, label: choices[value] ?? value, ...about(value) }));
  return { kind: 'choice', cards, options };
}

function typedControl(row: FieldRow, placeholder: string): Control {
  const { type, minimum = 0, mayBeEmpty } = valuesOf(row);
  switch (type) {
    case 'boolean':
      return { kind: 'flag' };
    case 'integer':
      return {
        kind: 'integer',
        min: minimum,
        placeholder,
        isName: row.identifier === true,
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

function labelOf(row: FieldRow, control: Control): string {
  const beside = control.kind === 'integer' || row.unit === undefined;
  return beside ? row.label : `${row.label} (${row.unit})`;
}

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
    help: row.zero === undefined ? row.help : `${row.help} 0: ${row.zero}.`,
    idle,
    ...own,
    control,
  };
}

export function namedField(
  path: string,
  name: string,
  context: Pick<FieldContext, 'value'>,
  own: Partial<Omit<Field, 'keys'>> = {},
): Field {
  const field = formField(path, context, own);
  return { ...field, keys: [...field.keys.slice(0, -1), name] };
}

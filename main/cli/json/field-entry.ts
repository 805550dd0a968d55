import type { FieldRow } from '../../contract/fields/field';
import { defaultOf, valuesOf } from '../../contract/fields/fields';
import { fieldText } from '../../contract/run/spec-tools';

/** A row of the reference as text. */
export function fieldEntry(row: FieldRow) {
  const { type, minimum, values = row.choices && Object.keys(row.choices) } = valuesOf(row);
  const usual = defaultOf(row);
  const number = { integer: 'whole number', integers: 'list of whole numbers', numbers: 'list of numbers' };
  const known: Readonly<Record<string, string>> = { ...number, texts: 'list', boolean: 'true or false' };
  const least = minimum === undefined || minimum < 0 ? '' : ` from ${minimum}`;
  return {
    path: row.path,
    label: row.label,
    help: row.help,
    values: values?.join(', ') ?? `${known[type] ?? type}${least}`,
    unit: row.unit ?? null,
    default: usual === undefined ? (row.absent ?? null) : fieldText(usual),
    appliesWith: row.onlyWith?.text ?? null,
    option: row.option ?? null,
    variables: row.variables ?? [],
  };
}

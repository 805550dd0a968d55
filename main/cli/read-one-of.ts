import { WorkbenchError } from '../contract/errors';

/** The one of `values` that an option names. Throws input-invalid. */
export function readOneOf<Value extends string>(
  flag: string,
  values: readonly Value[],
  value: string,
): Value {
  const found = values.find((known) => known === value);
  if (found === undefined) {
    throw new WorkbenchError('input-invalid', `"${value}" is none of ${values.join(', ')}`, { where: flag });
  }
  return found;
}

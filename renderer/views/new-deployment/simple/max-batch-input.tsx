import { NumberInput } from '@mantine/core';
import { useTypedNumber } from '../../../components/input/use-typed-number';
import { FieldFrame } from '../controls/field-frame';
import type { Field } from '../fields/field';
import { useWizard } from '../wizard-context';
import { followMaximum } from './max-batch';

const lists = [
  { keys: ['configure', 'preferredBatchSizes'], mayBeEmpty: true },
  { keys: ['performance', 'batchSizes'], mayBeEmpty: false },
] as const;

/** Lists of sizes follow it. */
export function MaxBatchInput({ field }: { field: Field }) {
  const { draft, valueAt, defaultOf } = useWizard();
  const value = valueAt(field.keys);
  const change = (next: number | null): void => {
    const after = next ?? defaultOf(field.keys);
    if (next === null) draft.reset(field.keys);
    else draft.change(field.keys, next);
    if (typeof value !== 'number' || typeof after !== 'number') return;
    for (const { keys, mayBeEmpty } of lists) {
      const of = { list: valueAt(keys), defaults: defaultOf(keys), mayBeEmpty };
      const list = followMaximum(of, value, after);
      if (list === 'default') draft.reset(keys);
      else if (list !== null) draft.change(keys, list);
    }
  };
  const typed = useTypedNumber(typeof value === 'number' ? value : null, change);
  return (
    <FieldFrame
      field={field}
      control={({ input }) => (
        <NumberInput
          {...input}
          {...typed}
          min={0}
          clampBehavior="none"
          allowDecimal={false}
          thousandSeparator=","
        />
      )}
    />
  );
}

import { NumberInput } from '@mantine/core';
import { formatBytes } from '../../../../main/contract/numbers';
import { useTypedNumber } from '../../../components/use-typed-number';
import type { Control, Field } from '../fields/field';
import { useWizard } from '../wizard-context';
import { type ControlProps, helpOf } from './field-frame';

type NumberKind = Extract<Control, { kind: 'integer' | 'number' }>;

/** An emptied field means the default, which is shown again once the field is left. */
export function NumberControl(props: { field: Field; control: NumberKind; frame: ControlProps }) {
  const { field, control, frame } = props;
  const { valueAt, draft } = useWizard();
  const value = valueAt(field.keys);
  const typed = useTypedNumber(typeof value === 'number' ? value : null, (next) => {
    if (next === null) draft.reset(field.keys);
    else draft.change(field.keys, next);
  });
  const sized =
    control.kind === 'integer' && control.unit === 'bytes' && typeof value === 'number' && value >= 1024
      ? formatBytes(value)
      : null;
  return (
    <NumberInput
      id={frame.id}
      size="xs"
      error={frame.error}
      description={sized === null ? helpOf(field) : `${helpOf(field) ?? ''} Now ${sized}.`.trim()}
      inputWrapperOrder={['input', 'error', 'description']}
      disabled={frame.disabled}
      {...typed}
      step={control.kind === 'number' ? control.step : 1}
      min={control.min}
      // A value out of range is said at once instead of being altered.
      clampBehavior="none"
      allowDecimal={control.kind === 'number'}
      suffix={control.kind === 'integer' ? (control.suffix ?? '') : ''}
      placeholder={control.placeholder ?? ''}
      thousandSeparator={control.kind === 'integer' && control.isName === true ? '' : ','}
    />
  );
}

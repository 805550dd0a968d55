import { NumberInput, Switch, TagsInput } from '@mantine/core';
import { memo, useLayoutEffect, useMemo, useRef } from 'react';
import type { MachineStatus } from '../../../../main/contract/machine';
import { formatBytes } from '../../../../main/contract/numbers';
import { sameValue } from '../../../../main/contract/trees';
import { useTypedNumber } from '../../../components/input/use-typed-number';
import { type Control, type Field, pathOf } from '../fields/field';
import { isAbout } from '../problems';
import { useWizard } from '../wizard-context';
import { ChoiceControl } from './choice-control';
import { type FieldForm, OwnFormProvider, useFieldForm } from './field-form';
import { type ControlProps, FieldFrame } from './field-frame';
import { PathControl, SweepControl, TextControl } from './text-control';

function FlagControl({ field, labelId, input }: ControlProps) {
  const form = useFieldForm();
  const on = form.valueAt(field.keys) === true;
  const { id, size, error, description, disabled } = input;
  return (
    <Switch
      id={id}
      size={size}
      error={error}
      description={description}
      aria-labelledby={labelId}
      // A flag without effect can still be switched off.
      disabled={disabled && !on}
      checked={on}
      onChange={(event) => {
        const { checked } = event.currentTarget;
        // Off is the default: the key is left out again.
        if (!checked && form.defaultOf(field.keys) === undefined) form.reset(field.keys);
        else form.change(field.keys, checked);
      }}
    />
  );
}

type NumberKind = Extract<Control, { kind: 'integer' | 'number' }>;

function NumberControl({ field, input, control }: ControlProps & { control: NumberKind }) {
  const { valueAt, change, reset } = useFieldForm();
  const value = valueAt(field.keys);
  const typed = useTypedNumber(typeof value === 'number' ? value : null, (next) => {
    if (next === null) reset(field.keys);
    else change(field.keys, next);
  });
  const sized =
    control.kind === 'integer' && control.unit === 'bytes' && typeof value === 'number' && value >= 1024
      ? formatBytes(value)
      : null;
  const { description } = input;
  return (
    <NumberInput
      {...input}
      description={sized === null ? description : `${description ?? ''} Now ${sized}.`.trim()}
      {...typed}
      step={control.kind === 'number' ? control.step : 1}
      min={control.min}
      // A value out of range is reported, not changed.
      clampBehavior="none"
      allowDecimal={control.kind === 'number'}
      suffix={control.kind === 'integer' ? (control.suffix ?? '') : ''}
      placeholder={control.placeholder ?? ''}
      thousandSeparator={control.kind === 'integer' && control.isName === true ? '' : ','}
    />
  );
}

function devicesOf(machine: MachineStatus | null): ReadonlyMap<string, string> {
  const devices = (machine?.gpus.gpus ?? []).flatMap((gpu): (readonly [string, string])[] => [
    ...(gpu.uuid === null ? [] : [[gpu.uuid, `GPU ${gpu.index}, ${gpu.name}`] as const]),
    ...gpu.mig.devices.flatMap((mig) =>
      mig.uuid === null ? [] : [[mig.uuid, `MIG device ${mig.index} of GPU ${gpu.index}`] as const],
    ),
  ]);
  return new Map([['idlest', 'The idlest GPU'], ['all', 'All GPUs'], ...devices]);
}

function GpusControl({ field, input }: ControlProps) {
  const { valueAt, change } = useFieldForm();
  const devices = devicesOf(useWizard().context.machine);
  const value = valueAt(field.keys);
  const chosen = Array.isArray(value) ? value.map(String) : [];
  return (
    <TagsInput
      {...input}
      placeholder={chosen.length === 0 ? 'none' : ''}
      data={[...devices.keys()]}
      renderOption={({ option }) => (
        <span>
          {devices.get(option.value)} <span className="dim mono">{option.value}</span>
        </span>
      )}
      value={chosen}
      splitChars={[',', ' ', ';']}
      acceptValueOnBlur
      onChange={(next) => {
        // An empty list is a choice: the default may be every GPU.
        change(field.keys, next);
      }}
    />
  );
}

function Input(props: ControlProps) {
  const { control } = props.field;
  switch (control.kind) {
    case 'choice':
      return <ChoiceControl {...props} {...control} />;
    case 'integer':
    case 'number':
      return <NumberControl {...props} control={control} />;
    case 'decimal':
    case 'integers':
    case 'numbers':
    case 'text':
      return <TextControl {...props} />;
    case 'sweep':
      return <SweepControl {...props} />;
    case 'gpus':
      return <GpusControl {...props} />;
    case 'path':
      return <PathControl {...props} pathKind={control.pathKind} />;
    case 'flag':
      return <FlagControl {...props} />;
  }
}

/** What is shown of a field. */
interface Shown extends Pick<FieldForm, 'name' | 'problems'> {
  readonly field: Field;
  readonly value: unknown;
  readonly usual: unknown;
  readonly changed: boolean;
}

type Actions = Pick<FieldForm, 'change' | 'reset'>;

const shownOf = ({ name, problems, valueAt, defaultOf, isChanged }: FieldForm, field: Field): Shown => ({
  name,
  field,
  problems: problems.filter((problem) => isAbout(problem, pathOf(field))),
  value: valueAt(field.keys),
  usual: defaultOf(field.keys),
  changed: isChanged(field.keys),
});

/** The same functions for the life of a field, which do what those of the present form do. */
function useActions(form: FieldForm): Actions {
  const latest = useRef<Actions>(form);
  useLayoutEffect(() => {
    latest.current = form;
  });
  return useMemo(
    () => ({
      change: (keys, value) => latest.current.change(keys, value),
      reset: (keys) => latest.current.reset(keys),
    }),
    [],
  );
}

/** Rendered again only where something of the field itself is another: a form has dozens, and a key changes one. */
const ShownField = memo(
  function ShownField({ shown, actions }: { shown: Shown; actions: Actions }) {
    const { name, problems, field, value, usual, changed } = shown;
    const form = {
      name,
      problems,
      ...actions,
      valueAt: () => value,
      defaultOf: () => usual,
      isChanged: () => changed,
    };
    return (
      <OwnFormProvider value={form}>
        <FieldFrame field={field} control={(frame) => <Input {...frame} />} />
      </OwnFormProvider>
    );
  },
  (before, now) => before.actions === now.actions && sameValue(before.shown, now.shown),
);

export function FieldInput({ field }: { field: Field }) {
  const form = useFieldForm();
  return <ShownField shown={shownOf(form, field)} actions={useActions(form)} />;
}

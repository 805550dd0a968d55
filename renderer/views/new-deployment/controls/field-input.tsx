import { Switch } from '@mantine/core';
import type { Field } from '../fields/field';
import { parseDecimal, parseIntegers, parseNumbers } from '../read-text';
import { useWizard } from '../wizard-context';
import { ChoiceControl } from './choice-control';
import { type ControlProps, FieldFrame, helpOf } from './field-frame';
import { GpusControl } from './gpus-control';
import { NumberControl } from './number-control';
import { PathControl } from './path-control';
import { SweepControl } from './sweep-control';
import { TextControl } from './text-control';

function FlagControl({ field, frame }: { field: Field; frame: ControlProps }) {
  const { valueAt, defaultOf, draft } = useWizard();
  const on = valueAt(field.keys) === true;
  return (
    <Switch
      id={frame.id}
      size="xs"
      aria-labelledby={frame.labelId}
      error={frame.error}
      description={helpOf(field)}
      // What has no effect can still be switched off.
      disabled={frame.disabled && !on}
      checked={on}
      onChange={(event) => {
        const { checked } = event.currentTarget;
        // What is left out by default is off by being left out again.
        if (!checked && defaultOf(field.keys) === undefined) draft.reset(field.keys);
        else draft.change(field.keys, checked);
      }}
    />
  );
}

/** The text of a list that cannot be read is kept as it is, so that nothing typed is lost. */
const orText =
  <Value,>(read: (text: string) => Value | string) =>
  (text: string): Value | string => {
    const value = read(text);
    return typeof value === 'string' ? text : value;
  };

function Input({ field, frame }: { field: Field; frame: ControlProps }) {
  const { control } = field;
  switch (control.kind) {
    case 'choice':
      return <ChoiceControl field={field} options={control.options} cards={control.cards} frame={frame} />;
    case 'integer':
    case 'number':
      return <NumberControl field={field} control={control} frame={frame} />;
    case 'decimal':
      return (
        <TextControl
          field={field}
          frame={frame}
          placeholder={control.placeholder}
          read={(text) => (text.trim() === '' ? undefined : orText(parseDecimal)(text))}
        />
      );
    case 'integers':
      return (
        <TextControl
          field={field}
          frame={frame}
          placeholder={control.placeholder ?? (control.mayBeEmpty ? 'any' : '')}
          read={orText((text) => parseIntegers(text, control.mayBeEmpty))}
        />
      );
    case 'numbers':
      return (
        <TextControl
          field={field}
          frame={frame}
          placeholder={control.placeholder}
          read={orText(parseNumbers)}
        />
      );
    case 'text':
      return (
        <TextControl
          field={field}
          frame={frame}
          placeholder={control.placeholder}
          read={(text) => (text.trim() === '' ? undefined : text.trim())}
        />
      );
    case 'sweep':
      return <SweepControl field={field} frame={frame} />;
    case 'gpus':
      return <GpusControl field={field} frame={frame} />;
    case 'path':
      return <PathControl field={field} control={control} frame={frame} />;
    case 'flag':
      return <FlagControl field={field} frame={frame} />;
  }
}

/** One field of the form: the default's value until it is changed, under its own name in Triton's words. */
export function FieldInput({ field }: { field: Field }) {
  return <FieldFrame field={field} control={(frame) => <Input field={field} frame={frame} />} />;
}

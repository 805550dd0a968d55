import { TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { Field } from '../fields/field';
import { useWizard } from '../wizard-context';
import { type ControlProps, helpOf } from './field-frame';

const shownText = (value: unknown): string =>
  Array.isArray(value)
    ? value.join(', ')
    : typeof value === 'string' || typeof value === 'number'
      ? String(value)
      : '';

/** What is typed stands as it is until the field is left, whatever value is read from it. */
export function TextControl(props: {
  field: Field;
  frame: ControlProps;
  placeholder?: string | undefined;
  /** The value of a text; undefined: none, so that the default counts. A text that cannot be read is its own value. */
  read: (text: string) => unknown;
  side?: ReactNode;
  /** Of what stands at its side, pixels; that of one button without. */
  sideWidth?: number;
  help?: string | undefined;
}) {
  const { field, frame } = props;
  const { valueAt, draft } = useWizard();
  const [typed, setTyped] = useState<string | null>(null);
  return (
    <TextInput
      id={frame.id}
      size="xs"
      error={frame.error}
      description={props.help ?? helpOf(field)}
      inputWrapperOrder={['input', 'error', 'description']}
      disabled={frame.disabled}
      placeholder={props.placeholder ?? ''}
      spellCheck={false}
      value={typed ?? shownText(valueAt(field.keys))}
      {...(props.side === undefined
        ? {}
        : { rightSection: props.side, rightSectionWidth: props.sideWidth ?? 34 })}
      onChange={(event) => {
        const text = event.currentTarget.value;
        setTyped(text);
        const value = props.read(text);
        if (value === undefined) draft.reset(field.keys);
        else draft.change(field.keys, value);
      }}
      onBlur={() => {
        setTyped(null);
      }}
    />
  );
}

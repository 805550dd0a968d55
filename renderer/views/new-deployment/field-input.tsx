import { NumberInput, Select, Switch, TextInput, Tooltip } from '@mantine/core';
import type { TextInputProps } from '@mantine/core';
import { useState } from 'react';
import { useStore } from 'zustand';
import type { DraftValue } from '../../stores/draft';
import { useWorkbench } from '../../workbench';
import { fieldMessage, fieldValue, parseIntegers, parseTexts } from './field-value';
import type { Field } from './field';

function Label({ field, changed, onReset }: { field: Field; changed: boolean; onReset: () => void }) {
  return (
    <span className="field-label">
      <span>{field.label}</span>
      <span className="field-term" title={field.term}>
        {field.term}
      </span>
      {changed ? (
        <Tooltip label="Back to the preset’s value">
          <button
            type="button"
            className="plain-button field-changed"
            aria-label={`Reset ${field.label}`}
            onClick={(event) => {
              // The label around it would move the focus into the input.
              event.preventDefault();
              onReset();
            }}
          >
            changed
          </button>
        </Tooltip>
      ) : null}
    </span>
  );
}

/** What is typed stands as it is until the field is left, whatever value is read from it. */
function TypedInput(props: {
  text: string;
  problem: string | undefined;
  onType: (text: string) => void;
  input: TextInputProps;
}) {
  const [typed, setTyped] = useState<string | null>(null);
  return (
    <TextInput
      {...props.input}
      error={props.problem ?? props.input.error}
      value={typed ?? props.text}
      onChange={(event) => {
        const text = event.currentTarget.value;
        setTyped(text);
        props.onType(text);
      }}
      onBlur={() => {
        if (props.problem === undefined) setTyped(null);
      }}
    />
  );
}

/** Help below the input, where the eye is after typing. */
const order: Pick<TextInputProps, 'inputWrapperOrder'> = {
  inputWrapperOrder: ['label', 'input', 'error', 'description'],
};

/** One field of the form: the preset's value until it is changed, with its own name in Triton's words. */
export function FieldInput({ field }: { field: Field }) {
  const { draft } = useWorkbench();
  const { spec, values, problems, error, change, reset, setProblem } = useStore(draft);
  // A reset list shows the preset's value again, whatever was typed into it.
  const [resets, setResets] = useState(0);
  if (spec === null) return null;
  const { path, control } = field;
  const value: DraftValue | undefined = values[path] ?? fieldValue(spec, path);
  const changed = path in values || path in problems;
  const label = (
    <Label
      field={field}
      changed={changed}
      onReset={() => {
        reset(path);
        setResets(resets + 1);
      }}
    />
  );
  const shared = {
    size: 'xs' as const,
    label,
    'aria-label': field.label,
    description: field.help,
    error: error?.where === path ? fieldMessage(error.message, path) : undefined,
    'data-field': path,
  };
  switch (control.kind) {
    case 'choice':
      return (
        <Select
          {...shared}
          {...order}
          data={[
            ...(control.none === undefined ? [] : [{ value: '', label: control.none }]),
            ...control.options.map(({ value: option, label: text, why }) => ({
              value: option,
              label: why === undefined ? text : `${text} (not available)`,
              disabled: why !== undefined,
            })),
          ]}
          value={typeof value === 'string' ? value : control.none === undefined ? null : ''}
          allowDeselect={false}
          onChange={(next) => {
            if (next === '') reset(path);
            else if (next !== null) change(path, next);
          }}
        />
      );
    case 'integer':
    case 'number':
      return (
        <NumberInput
          {...shared}
          {...order}
          value={typeof value === 'number' ? value : ''}
          min={control.min}
          step={control.kind === 'number' ? control.step : 1}
          allowDecimal={control.kind === 'number'}
          {...(control.kind === 'integer' && control.suffix !== undefined ? { suffix: control.suffix } : {})}
          thousandSeparator=","
          onChange={(next) => {
            if (typeof next === 'number') change(path, next);
            else reset(path);
          }}
        />
      );
    case 'integers':
      return (
        <TypedInput
          key={resets}
          input={{ ...shared, ...order }}
          text={Array.isArray(value) ? value.join(', ') : ''}
          problem={problems[path]}
          onType={(text) => {
            const read = parseIntegers(text, control.mayBeEmpty);
            if (typeof read === 'string') setProblem(path, read);
            else change(path, [...read]);
          }}
        />
      );
    case 'text':
    case 'texts':
      return (
        <TypedInput
          key={resets}
          input={{ ...shared, ...order, placeholder: control.placeholder }}
          text={Array.isArray(value) ? value.join(', ') : typeof value === 'string' ? value : ''}
          problem={problems[path]}
          onType={(text) => {
            const read = parseTexts(text);
            if (read.length === 0) reset(path);
            else change(path, control.kind === 'texts' ? [...read] : text.trim());
          }}
        />
      );
    case 'flag': {
      return (
        <Switch
          {...shared}
          checked={value === true}
          onChange={(event) => {
            change(path, event.currentTarget.checked);
          }}
        />
      );
    }
  }
}

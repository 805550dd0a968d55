import { Checkbox, NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { toWire } from '../../../main/contract/errors';
import {
  definitionOf,
  type SettingKey,
  settingText,
  type SettingValue,
} from '../../../main/contract/settings/settings';
import { CompactButton } from '../../components/actions';
import { attempt, attempting } from '../../components/notices';
import { onText, onTick } from '../../handlers';
import { useWorkbench } from '../../workbench';

interface ControlProps {
  readonly id: SettingKey;
  readonly value: SettingValue;
  readonly set: (value: SettingValue) => Promise<void>;
}

function ChoiceControl({ id, value, set }: ControlProps) {
  const { choices = {}, title } = definitionOf(id);
  return (
    <NativeSelect
      aria-label={title}
      aria-describedby={`${id}-help`}
      size="xs"
      value={String(value)}
      data={Object.entries(choices).map(([one, label]) => ({ value: one, label }))}
      onChange={(event) => {
        const { value: chosen } = event.currentTarget;
        attempt(() => set(chosen));
      }}
    />
  );
}

function TextControl({ id, value, set }: ControlProps) {
  const { title, unit, absent, fallback } = definitionOf(id);
  const shown = value === null ? '' : String(value);
  const [text, setText] = useState(shown);
  const [from, setFrom] = useState(shown);
  const [error, setError] = useState<string | null>(null);
  if (from !== shown) {
    setFrom(shown);
    setText(shown);
    setError(null);
  }
  const takeBack = (): void => {
    setText(shown);
    setError(null);
  };
  const take = (): void => {
    const typed = text.trim();
    if (typed === shown) {
      takeBack();
      return;
    }
    const isNumber = unit !== undefined;
    const meant = typed === '' ? fallback : isNumber ? Number(typed.replaceAll(',', '')) : typed;
    set(meant).then(
      () => setError(null),
      (failure: unknown) => setError(toWire(failure).message),
    );
  };
  return (
    <TextInput
      aria-label={unit === undefined ? title : `${title} (${unit})`}
      aria-describedby={`${id}-help`}
      size="xs"
      placeholder={absent}
      error={error}
      value={text}
      rightSection={unit === undefined ? null : <span className="dim small">{unit}</span>}
      rightSectionWidth={unit === undefined ? undefined : 44}
      onChange={onText(setText)}
      onBlur={take}
      onKeyDown={(event) => {
        if (event.key === 'Enter') take();
        if (event.key === 'Escape') takeBack();
      }}
    />
  );
}

function Control(props: ControlProps) {
  const { choices, title } = definitionOf(props.id);
  if (typeof props.value === 'boolean') {
    return (
      <Checkbox
        size="xs"
        label={props.value ? 'On' : 'Off'}
        aria-label={title}
        checked={props.value}
        onChange={onTick((checked) => attempt(() => props.set(checked)))}
      />
    );
  }
  return choices === undefined ? <TextControl {...props} /> : <ChoiceControl {...props} />;
}

export function SettingRow(props: { id: SettingKey; value: SettingValue; set?: ControlProps['set'] }) {
  const { id, value } = props;
  const { settings } = useWorkbench();
  const { title, help, fallback, fromNextStart } = definitionOf(id);
  const { set, reset } = settings.getState();
  return (
    <div className="setting" data-setting={id}>
      <div>
        <h3>{title}</h3>
        <p className="dim" id={`${id}-help`}>
          {help}
          {fromNextStart === true ? ' Takes effect when the workbench starts again.' : ''}
        </p>
      </div>
      <div>
        <Control id={id} value={value} set={props.set ?? ((next) => set(id, next))} />
        {value === fallback ? null : (
          <p className="dim row small setting-default">
            <span>Default: {settingText(id, fallback)}</span>
            <CompactButton
              variant="subtle"
              aria-label={`Reset ${title}`}
              onClick={attempting(() => reset(id))}
            >
              Reset
            </CompactButton>
          </p>
        )}
      </div>
    </div>
  );
}

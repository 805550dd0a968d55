import { TextInput } from '@mantine/core';
import { IconFile, IconFolderOpen } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { IconButton } from '../../../components/actions';
import { attempting } from '../../../components/notices';
import { useWorkbench } from '../../../workbench';
import type { Control } from '../fields/field';
import { typedValue } from '../read-text';
import { useWizard } from '../wizard-context';
import { useFieldForm } from './field-form';
import type { ControlProps } from './field-frame';

const shownText = (value: unknown): string =>
  Array.isArray(value)
    ? value.join(', ')
    : typeof value === 'string' || typeof value === 'number'
      ? String(value)
      : '';

/**
 * Typed text stays until the field is left, whatever value is parsed from it.
 * @param props.side buttons within the input; `width` in pixels
 */
export function TextControl(
  props: ControlProps & { side?: { readonly buttons: ReactNode; readonly width: number } },
) {
  const { field, input, side } = props;
  const { keys, control } = field;
  const { valueAt, change, reset } = useFieldForm();
  const [typed, setTyped] = useState<string | null>(null);
  return (
    <TextInput
      {...input}
      placeholder={'placeholder' in control ? control.placeholder : ''}
      spellCheck={false}
      value={typed ?? shownText(valueAt(keys))}
      {...(side === undefined ? {} : { rightSection: side.buttons, rightSectionWidth: side.width })}
      onChange={(event) => {
        const text = event.currentTarget.value;
        setTyped(text);
        const value = typedValue(control, text);
        if (value === undefined) reset(keys);
        else change(keys, value);
      }}
      onBlur={() => setTyped(null)}
    />
  );
}

export function PathControl(
  props: ControlProps & { pathKind: Extract<Control, { kind: 'path' }>['pathKind'] },
) {
  const { field, pathKind } = props;
  const { client } = useWorkbench();
  const { change } = useFieldForm();
  const name = field.label.toLowerCase();
  const kinds = pathKind === 'either' ? (['file', 'folder'] as const) : [pathKind];
  const choose = async (kind: 'file' | 'folder', title: string): Promise<void> => {
    const chosen = await client.call('desktop.choosePath', { kind, title });
    if (chosen !== null) change(field.keys, chosen.path);
  };
  const buttons = kinds.map((kind) => {
    const label = pathKind === 'either' ? `Choose ${name}: ${kind}` : `Choose ${name}`;
    return (
      <IconButton
        key={kind}
        icon={kind === 'folder' ? IconFolderOpen : IconFile}
        label={label}
        onClick={attempting(() => choose(kind, label))}
      />
    );
  });
  return <TextControl {...props} side={{ buttons, width: 28 * kinds.length + 6 }} />;
}

/** A list of levels, or the formula of the published deployments over largest batch and instances. */
export function SweepControl(props: ControlProps) {
  const { field, input } = props;
  const { draft, valueAt } = useWizard();
  const formula = valueAt(field.keys) === 'formula';
  const computed = draft.preview?.spec?.performance.concurrency ?? [];
  return (
    <div className="sweep">
      {formula ? (
        <div>
          <output id={input.id} className="sweep-levels" tabIndex={-1}>
            {computed.length === 0 ? '…' : computed.join(', ')}
          </output>
          {input.error === undefined ? null : <p className="field-error">{input.error}</p>}
          <p className="field-help">
            Twice as many items in flight as all instances take at once, in about 32 steps, up to 256
            requests.
          </p>
        </div>
      ) : (
        <TextControl {...props} />
      )}
      <label className="sweep-formula">
        <input
          type="checkbox"
          checked={formula}
          onChange={(event) => {
            if (event.currentTarget.checked) draft.change(field.keys, 'formula');
            else draft.reset(field.keys);
          }}
        />
        By formula
      </label>
    </div>
  );
}

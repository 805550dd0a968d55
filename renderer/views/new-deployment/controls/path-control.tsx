import { IconFile, IconFolderOpen } from '@tabler/icons-react';
import { IconButton } from '../../../components/actions';
import { attempt } from '../../../components/notices';
import { useWorkbench } from '../../../workbench';
import type { Control, Field } from '../fields/field';
import { useWizard } from '../wizard-context';
import type { ControlProps } from './field-frame';
import { TextControl } from './text-control';

/** A path, typed, chosen in the desktop's own dialog, or dropped on the window. */
export function PathControl(props: {
  field: Field;
  control: Extract<Control, { kind: 'path' }>;
  frame: ControlProps;
}) {
  const { field, control, frame } = props;
  const { client } = useWorkbench();
  const { draft } = useWizard();
  const label = `Choose ${field.label.toLowerCase()}`;
  const Glyph = control.pathKind === 'folder' ? IconFolderOpen : IconFile;
  const choose = async (): Promise<void> => {
    const chosen = await client.call('desktop.choosePath', { kind: control.pathKind, title: label });
    if (chosen !== null) draft.change(field.keys, chosen.path);
  };
  return (
    <TextControl
      field={field}
      frame={frame}
      placeholder={control.placeholder}
      read={(text) => (text.trim() === '' ? undefined : text)}
      side={
        <IconButton
          icon={Glyph}
          label={label}
          onClick={() => {
            attempt(choose);
          }}
        />
      }
    />
  );
}

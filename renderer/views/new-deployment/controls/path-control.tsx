import { IconFile, IconFolderOpen } from '@tabler/icons-react';
import { IconButton } from '../../../components/actions';
import { attempting } from '../../../components/notices';
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
  const name = field.label.toLowerCase();
  const isEither = control.pathKind === 'either';
  const kinds = control.pathKind === 'either' ? (['file', 'folder'] as const) : [control.pathKind];
  const choose = async (kind: 'file' | 'folder', title: string): Promise<void> => {
    const chosen = await client.call('desktop.choosePath', { kind, title });
    if (chosen !== null) draft.change(field.keys, chosen.path);
  };
  return (
    <TextControl
      field={field}
      frame={frame}
      placeholder={control.placeholder}
      read={(text) => (text.trim() === '' ? undefined : text)}
      sideWidth={28 * kinds.length + 6}
      side={kinds.map((kind) => {
        const label = isEither ? `Choose ${name}: ${kind}` : `Choose ${name}`;
        return (
          <IconButton
            key={kind}
            icon={kind === 'folder' ? IconFolderOpen : IconFile}
            label={label}
            onClick={attempting(() => choose(kind, label))}
          />
        );
      })}
    />
  );
}

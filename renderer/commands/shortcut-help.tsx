import { Modal } from '@mantine/core';
import { shortcuts } from '../views/new-deployment/shortcuts';
import type { Command } from './command';
import { Keys } from './command-palette';

/** Shortcuts that belong to no command. */
const others = [
  { title: 'Command palette', shortcut: 'Ctrl+K' },
  { title: 'Close a dialog or menu', shortcut: 'Escape' },
] as const;

/** Of the pages of a new deployment. */
const wizardShortcuts = shortcuts.map(({ keys, what }) => ({
  title: `New deployment: ${what.toLowerCase()}`,
  shortcut: keys,
}));

/** Every shortcut there is. */
export function ShortcutHelp(props: { opened: boolean; commands: readonly Command[]; onClose: () => void }) {
  const rows = [
    ...others,
    ...props.commands.flatMap(({ title, shortcut }) => (shortcut === undefined ? [] : [{ title, shortcut }])),
    ...wizardShortcuts,
  ];
  return (
    <Modal
      opened={props.opened}
      onClose={props.onClose}
      title="Shortcuts"
      size={440}
      lockScroll={false}
      transitionProps={{ duration: 0 }}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <dl className="shortcuts">
        {rows.map(({ title, shortcut }) => [
          <dt key={`${title} title`}>{title}</dt>,
          <dd key={title}>{shortcut.includes(' ') ? shortcut : <Keys shortcut={shortcut} />}</dd>,
        ])}
      </dl>
    </Modal>
  );
}

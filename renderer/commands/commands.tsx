import { Modal } from '@mantine/core';
import { type ReactNode, useEffect, useState } from 'react';
import { useStore } from 'zustand';
import type { MenuCommand } from '../../main/contract/api';
import { HelpDialogs } from '../views/help/help-dialogs';
import { Licenses } from '../views/help/licenses';
import { WhatsNew } from '../views/help/whats-new';
import { shortcuts } from '../views/new-deployment/shortcuts';
import {
  DuelDialog,
  JointDialog,
  MeasureDialog,
  SearchDialog,
  SoakDialog,
  UpgradeDialog,
  VaryDialog,
} from '../views/pages';
import { RenameDialog } from '../views/runs/rename-dialog';
import { useWorkbench } from '../workbench';
import { type Command, isWriting, keyText } from './command';
import { CommandPalette, Keys } from './command-palette';
import { useCommands } from './use-commands';

const menuIds: Readonly<Partial<Record<MenuCommand, string>>> = {
  'new-deployment': 'page new',
  find: 'find',
  'toggle-theme': 'theme',
  settings: 'page settings',
};

function useShortcuts(commands: readonly Command[]): void {
  const { client, overlay } = useWorkbench();
  useEffect(() => {
    const pressed = (event: KeyboardEvent): void => {
      const text = keyText(event);
      if (text === 'Ctrl+K') {
        event.preventDefault();
        const { shown, show, close } = overlay.getState();
        if (shown === 'palette') close();
        else show('palette');
        return;
      }
      if (overlay.getState().shown !== null || (text.length === 1 && isWriting(event.target))) return;
      const command = commands.find(({ shortcut }) => shortcut === text);
      if (command === undefined) return;
      event.preventDefault();
      command.run();
    };
    window.addEventListener('keydown', pressed);
    const stop = client.on((events) => {
      for (const event of events) {
        if (event.type !== 'menu') continue;
        if (event.command === 'command-palette') overlay.getState().show('palette');
        else commands.find(({ id }) => id === (menuIds[event.command] ?? event.command))?.run();
      }
    });
    return () => {
      window.removeEventListener('keydown', pressed);
      stop();
    };
  }, [client, overlay, commands]);
}

const others = [
  { title: 'Command palette', shortcut: 'Ctrl+K' },
  { title: 'Close a dialog or menu', shortcut: 'Escape' },
] as const;

const wizardShortcuts = shortcuts.map(({ keys, what }) => ({
  title: `New deployment: ${what.toLowerCase()}`,
  shortcut: keys,
}));

/** "Alt+1 … Alt+7" is two shortcuts with a sign between them. */
function KeysOf({ shortcut }: { shortcut: string }) {
  return shortcut
    .split(' ')
    .map((part, at) => (at % 2 === 0 ? <Keys key={part} shortcut={part} /> : ` ${part} `));
}

function ShortcutHelp(props: { opened: boolean; commands: readonly Command[]; onClose: () => void }) {
  const rows = [
    ...others,
    ...props.commands.flatMap(({ title, shortcut }) => (shortcut === undefined ? [] : [{ title, shortcut }])),
    ...wizardShortcuts,
  ];
  return (
    <Modal opened={props.opened} onClose={props.onClose} title="Shortcuts" size={440}>
      <dl className="shortcuts">
        {rows.map(({ title, shortcut }) => [
          <dt key={`${title} title`}>{title}</dt>,
          <dd key={title}>
            <KeysOf shortcut={shortcut} />
          </dd>,
        ])}
      </dl>
    </Modal>
  );
}

/** Stays once it was shown: a dialog that closes gives the focus back. */
function FromFirst({ isShown, children }: { isShown: boolean; children: ReactNode }) {
  const [wasShown, setWasShown] = useState(isShown);
  if (isShown && !wasShown) setWasShown(true);
  return wasShown ? children : null;
}

export function Commands() {
  const { overlay } = useWorkbench();
  const { shown, close } = useStore(overlay);
  const commands = useCommands();
  useShortcuts(commands);
  return (
    <>
      <CommandPalette opened={shown === 'palette'} commands={commands} onClose={close} />
      <ShortcutHelp opened={shown === 'shortcuts'} commands={commands} onClose={close} />
      <RenameDialog />
      <FromFirst isShown={shown === 'measure'}>
        <MeasureDialog />
      </FromFirst>
      <FromFirst isShown={shown === 'vary'}>
        <VaryDialog />
      </FromFirst>
      <FromFirst isShown={shown === 'search'}>
        <SearchDialog />
      </FromFirst>
      <FromFirst isShown={shown === 'together'}>
        <JointDialog />
      </FromFirst>
      <FromFirst isShown={shown === 'duel'}>
        <DuelDialog />
      </FromFirst>
      <FromFirst isShown={shown === 'soak'}>
        <SoakDialog />
      </FromFirst>
      <FromFirst isShown={shown === 'upgrade'}>
        <UpgradeDialog />
      </FromFirst>
      <HelpDialogs />
      <Licenses />
      <WhatsNew />
    </>
  );
}

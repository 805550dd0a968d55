import { useEffect } from 'react';
import type { MenuCommand } from '../../main/contract/api';
import { useWorkbench } from '../workbench';
import type { Command } from './command';
import { isWriting, keyText } from './key-text';

/** The menu's words for commands of the palette. */
const menuIds: Readonly<Partial<Record<MenuCommand, string>>> = {
  'new-deployment': 'page new',
  find: 'find',
  'toggle-theme': 'theme',
  settings: 'page settings',
};

/** Runs commands by their keys and by the menu of the application. */
export function useShortcuts(commands: readonly Command[]): void {
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
      if (overlay.getState().shown !== null || (!text.includes('+') && isWriting(event.target))) return;
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

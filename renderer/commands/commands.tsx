import { useStore } from 'zustand';
import { HelpDialogs } from '../views/help/help-dialogs';
import { MeasureDialog } from '../views/measure/measure-dialog';
import { RenameDialog } from '../views/runs/rename-dialog';
import { useWorkbench } from '../workbench';
import { CommandPalette } from './command-palette';
import { ShortcutHelp } from './shortcut-help';
import { useCommands } from './use-commands';
import { useShortcuts } from './use-shortcuts';

/** Keys, menu, palette and the list of shortcuts. */
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
      <MeasureDialog />
      <HelpDialogs />
    </>
  );
}

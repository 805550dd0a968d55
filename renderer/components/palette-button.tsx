import { IconSearch } from '@tabler/icons-react';
import { Keys } from '../commands/command-palette';
import { useWorkbench } from '../workbench';

/** Opens the command palette; in the head of every page. */
export function PaletteButton() {
  const { overlay } = useWorkbench();
  return (
    <button
      type="button"
      className="plain-button palette-button"
      aria-keyshortcuts="Control+K"
      onClick={() => {
        overlay.getState().show('palette');
      }}
    >
      <IconSearch size={14} aria-hidden="true" />
      <span>Search or run a command</span>
      <Keys shortcut="Ctrl+K" />
    </button>
  );
}

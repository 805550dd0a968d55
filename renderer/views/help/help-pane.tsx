import { useStore } from 'zustand';
import { useWorkbench } from '../../workbench';
import { HelpReader } from '../pages';
import { PaneEdge } from './pane-edge';
import { useFocusBack } from './use-focus-back';

/** The documentation beside the page, which stays usable. */
export function HelpPane() {
  const { help } = useWorkbench();
  const { place, width, close } = useStore(help);
  useFocusBack(place !== null);
  if (place === null) return null;
  return (
    <aside
      className="help-pane"
      aria-label="Documentation"
      style={{ width }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') close();
      }}
    >
      <PaneEdge />
      <HelpReader place={place} />
    </aside>
  );
}

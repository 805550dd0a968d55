import { type KeyboardEvent, type PointerEvent, useRef } from 'react';
import { useStore } from 'zustand';
import { helpWidths } from '../../stores/help';
import { useWorkbench } from '../../workbench';

/** Pixels for a press of an arrow key. */
const step = 20;

/** Widens the pane by the pointer and by arrow keys; a double click gives it its first width. */
export function PaneEdge() {
  const { help } = useWorkbench();
  const { width, resize } = useStore(help);
  const dragged = useRef<number | null>(null);
  const onMove = (event: PointerEvent): void => {
    if (dragged.current !== null) resize(dragged.current - event.clientX);
  };
  const onKey = (event: KeyboardEvent): void => {
    const to = {
      ArrowLeft: width + step,
      ArrowRight: width - step,
      Home: helpWidths.most,
      End: helpWidths.least,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    resize(to);
  };
  return (
    <div
      className="help-edge"
      role="separator"
      aria-label="Width of the documentation"
      aria-orientation="vertical"
      aria-valuenow={width}
      aria-valuemin={helpWidths.least}
      aria-valuemax={helpWidths.most}
      tabIndex={0}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        dragged.current = width + event.clientX;
      }}
      onPointerMove={onMove}
      onPointerUp={() => {
        dragged.current = null;
      }}
      onDoubleClick={() => resize(helpWidths.first)}
      onKeyDown={onKey}
    />
  );
}

import { useLayoutEffect, useRef } from 'react';
import { createPortal } from 'react-dom';
import type { Box } from './hover-place';
import { hoverPlace } from './hover-place';

export interface Hovered {
  readonly lines: readonly string[];
  readonly color: string;
  /** The point's symbol, in the window. */
  readonly point: Box;
}

/** All that is known of a point, beside it. Not a part of the plot, which would cut it at its edges. */
export function HoverCard({ hovered }: { hovered: Hovered }) {
  const element = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const card = element.current;
    if (card === null) return;
    const size = { width: card.offsetWidth, height: card.offsetHeight };
    const { clientWidth, clientHeight } = document.documentElement;
    const { left, top } = hoverPlace(hovered.point, size, { width: clientWidth, height: clientHeight });
    card.style.transform = `translate(${Math.round(left)}px, ${Math.round(top)}px)`;
  }, [hovered]);
  return createPortal(
    <div ref={element} className="hover-card" role="tooltip" style={{ borderLeftColor: hovered.color }}>
      {hovered.lines.map((line, index) => (
        <div key={index}>{line}</div>
      ))}
    </div>,
    document.body,
  );
}

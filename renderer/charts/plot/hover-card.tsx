import { useLayoutEffect, useRef } from 'react';
import { createPortal } from 'react-dom';

type Box = Readonly<Pick<DOMRect, 'left' | 'top' | 'right' | 'bottom'>>;

/** Pixels between point and text, and between text and window edge. */
const gap = 12;
const edge = 6;

/**
 * Where a hover text of this size goes: right of its point, else left of it, never over an edge of the window.
 * @param point its symbol, in the window.
 */
export function hoverPlace(
  point: Box,
  size: { readonly width: number; readonly height: number },
  window: { readonly width: number; readonly height: number },
): { readonly left: number; readonly top: number } {
  const right = point.right + gap;
  const fits = right + size.width + edge <= window.width;
  const left = fits ? right : point.left - gap - size.width;
  const top = (point.top + point.bottom - size.height) / 2;
  const within = (value: number, length: number, room: number) =>
    Math.max(edge, Math.min(value, room - length - edge));
  return { left: within(left, size.width, window.width), top: within(top, size.height, window.height) };
}

export interface Hovered {
  readonly lines: readonly string[];
  readonly color: string;
  /** The point's symbol, in window coordinates. */
  readonly point: Box;
}

/** Outside of the plot, which would cut it at its edges. */
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

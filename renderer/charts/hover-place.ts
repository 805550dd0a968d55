export interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** From the point to its text, and from the text to the edge of the window; pixels. */
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
  return {
    left: within(left, size.width, window.width),
    top: within(top, size.height, window.height),
  };
}

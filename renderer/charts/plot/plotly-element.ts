import { linesOf } from '../hover-text';
import type { Hovered } from './hover-card';
import type { DrawnPlot } from './live-tail';
import { positionOf } from './shared-cursor';

/** Half the size of a symbol, pixels. */
const symbolPx = 5;

interface HoverEvent {
  readonly points?: readonly {
    readonly pointNumber: number;
    readonly data: {
      readonly hovertext?: readonly string[];
      readonly line?: { readonly color?: string };
      readonly marker?: { readonly color?: string };
    };
    /** Relative to the element. */
    readonly xPixel?: number;
    readonly yPixel?: number;
  }[];
  readonly xvals?: readonly unknown[];
}

export interface PlotlyElement extends HTMLElement {
  readonly layout?: NonNullable<DrawnPlot['layout']>;
  on?: {
    (event: 'plotly_relayout', listener: (change: Record<string, unknown>) => void): void;
    (event: 'plotly_hover', listener: (event: HoverEvent) => void): void;
    (event: 'plotly_unhover' | 'plotly_doubleclick', listener: () => void): void;
  };
}

/** null: the point has no text. */
export function hoveredOf(place: HTMLElement, { points }: HoverEvent): Hovered | null {
  const [point] = points ?? [];
  const text = point?.data.hovertext?.[point.pointNumber];
  if (point === undefined || text === undefined) return null;
  const { left, top } = place.getBoundingClientRect();
  const [x, y] = [left + (point.xPixel ?? 0), top + (point.yPixel ?? 0)];
  return {
    lines: linesOf(text),
    color: point.data.line?.color ?? point.data.marker?.color ?? 'currentcolor',
    point: { left: x - symbolPx, right: x + symbolPx, top: y - symbolPx, bottom: y + symbolPx },
  };
}

/** Where the pointer is on the x axis; null where that is no number. */
export const cursorOf = ({ xvals }: HoverEvent): number | null => positionOf(xvals?.[0]);

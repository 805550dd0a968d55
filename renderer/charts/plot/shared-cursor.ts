export interface CursorListener {
  /** Position on the x axis; null: the pointer has left. */
  onPoint(x: number | null): void;
  onZoom(range: VisibleRange): void;
}

/** Charts over the same time: the pointer of one is shown in all of them, and a zoom of one is a zoom of all. */
export class SharedCursor {
  private readonly listeners = new Set<CursorListener>();

  /** Returns how to leave. */
  join(listener: CursorListener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  point(from: CursorListener, x: number | null): void {
    for (const listener of this.listeners) if (listener !== from) listener.onPoint(x);
  }

  zoom(from: CursorListener, range: VisibleRange): void {
    for (const listener of this.listeners) if (listener !== from) listener.onZoom(range);
  }
}

/** Zoomed part of the x axis; null: all of it. */
export type VisibleRange = readonly [from: number, to: number] | null;

/** A date axis tells of its ends as "2026-11-21 14:44:09.12", in UTC. */
export function positionOf(value: unknown): number | null {
  if (typeof value === 'number') return value;
  const ms = typeof value === 'string' ? Date.parse(`${value.replace(' ', 'T')}Z`) : NaN;
  return Number.isNaN(ms) ? null : ms;
}

/**
 * What a zoom of plotly (`plotly_relayout`) says about the x axis: undefined when nothing. Axes that are not linear are
 * short and never decimated, so their ranges (log10, categories) are left alone.
 */
export function rangeAfter(change: Readonly<Record<string, unknown>>): VisibleRange | undefined {
  if (change['xaxis.autorange'] === true) return null;
  const pair: unknown = change['xaxis.range'];
  const [from, to]: readonly unknown[] = Array.isArray(pair)
    ? (pair as readonly unknown[])
    : [change['xaxis.range[0]'], change['xaxis.range[1]']];
  const ends = [positionOf(from), positionOf(to)] as const;
  return ends[0] === null || ends[1] === null ? undefined : [ends[0], ends[1]];
}

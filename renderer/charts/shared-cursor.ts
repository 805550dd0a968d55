import type { VisibleRange } from './visible-range';

/** What a chart of a group hears of the others. */
export interface CursorListener {
  /** The pointer is at this place on the x axis; null where it has left. */
  onPoint(x: number | null): void;
  onZoom(range: VisibleRange): void;
}

/** Charts over the same time: the pointer of one is shown in all of them, and a zoom of one is a zoom of all. */
export class SharedCursor {
  private readonly listeners = new Set<CursorListener>();

  /** Returns how to leave. */
  join(listener: CursorListener): () => void {
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
    };
  }

  point(from: CursorListener, x: number | null): void {
    for (const listener of this.listeners) if (listener !== from) listener.onPoint(x);
  }

  zoom(from: CursorListener, range: VisibleRange): void {
    for (const listener of this.listeners) if (listener !== from) listener.onZoom(range);
  }
}

import type { Alert, MonitorSample } from '../../main/contract/monitor';

/** Milliseconds between two pictures; only a replay that is faster than life brings more. */
const paceMs = 100;
/** A timer that is later than this was kept waiting by drawing. */
const busyMs = 20;

interface Shown {
  readonly sample: MonitorSample;
  readonly alerts: readonly Alert[];
}

/**
 * Shows the newest of what comes, at once or `paceMs` after the one before. Where the picture before still was being drawn
 * then, the page gets twice the time that it was late for what else is asked of it.
 */
export function createPacedShow(show: (newest: Shown) => void) {
  let waiting: Shown | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let lastMs = -Infinity;
  const now = (): void => {
    const newest = waiting;
    clearTimeout(timer);
    timer = undefined;
    waiting = null;
    if (newest === null) return;
    show(newest);
    lastMs = performance.now();
  };
  const due = (atMs: number): void => {
    const lateMs = performance.now() - atMs;
    if (lateMs < busyMs) now();
    else timer = setTimeout(now, 2 * lateMs);
  };
  return {
    take(newest: Shown): void {
      waiting = newest;
      const waitMs = lastMs + paceMs - performance.now();
      if (waitMs <= 0) now();
      else timer ??= setTimeout(due, waitMs, performance.now() + waitMs);
    },
    /** What waits is shown before something that stands on it. */
    now,
    forget(): void {
      clearTimeout(timer);
      timer = undefined;
      waiting = null;
    },
  };
}

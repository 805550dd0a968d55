import type { Alert, MonitorSample } from '../../main/contract/monitor';

/** Milliseconds between two pictures; only a replay that is faster than life brings more. */
const paceMs = 100;

interface Shown {
  readonly sample: MonitorSample;
  readonly alerts: readonly Alert[];
}

/** Shows the newest of what comes, at once or `paceMs` after the one before. */
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
  return {
    take(newest: Shown): void {
      waiting = newest;
      const waitMs = lastMs + paceMs - performance.now();
      if (waitMs <= 0) now();
      else timer ??= setTimeout(now, waitMs);
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

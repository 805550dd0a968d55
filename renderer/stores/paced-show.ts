import type { Alert, MonitorSample } from '../../main/contract/monitor/monitor';

/** Milliseconds between two updates; only a replay faster than real time brings more. */
const paceMs = 100;
/** A timer later than this was delayed by drawing. */
const busyMs = 20;

interface Shown {
  readonly sample: MonitorSample;
  readonly alerts: readonly Alert[];
}

/**
 * Shows the newest of what comes, at once or `paceMs` after the one before. Where drawing it kept the page busy for longer, the
 * page gets twice the time that it was late for what else is asked of it: drawing without a rest also leaves it no time to
 * give memory back.
 */
export function createPacedShow(show: (newest: Shown) => void) {
  let waiting: Shown | null = null;
  /** Set while a picture may still be drawn, and in the rest after it. */
  let timer: ReturnType<typeof setTimeout> | undefined;
  const now = (): void => {
    const newest = waiting;
    if (newest === null) return;
    clearTimeout(timer);
    waiting = null;
    show(newest);
    timer = setTimeout(due, paceMs, performance.now() + paceMs);
  };
  const rested = (): void => {
    timer = undefined;
    now();
  };
  const due = (atMs: number): void => {
    const lateMs = performance.now() - atMs;
    if (lateMs < busyMs) rested();
    else timer = setTimeout(rested, 2 * lateMs);
  };
  return {
    take(newest: Shown): void {
      waiting = newest;
      if (timer === undefined) now();
    },
    now,
    forget(): void {
      waiting = null;
    },
  };
}

import { useEffect, useRef, useState } from 'react';
import { pollWhileSeen } from '../../stores/poll';

/** At most one change per `everyMs`; the last one is never lost. */
export function useThrottled<Value>(value: Value, everyMs: number): Value {
  const [shown, setShown] = useState(value);
  const changedMs = useRef(-Infinity);
  useEffect(() => {
    const waitMs = Math.max(0, changedMs.current + everyMs - performance.now());
    const timer = setTimeout(() => {
      changedMs.current = performance.now();
      setShown(value);
    }, waitMs);
    return () => clearTimeout(timer);
  }, [value, everyMs]);
  return shown;
}

/** Reads at once and every `everyMs` while the component is shown and the window can be seen. */
export function usePoll(read: () => Promise<void>, active: boolean, everyMs = 1000): void {
  useEffect(() => (active ? pollWhileSeen(document, read, everyMs) : undefined), [read, active, everyMs]);
}

/** Wall clock in milliseconds, every `everyMs` while `ticking`. */
export function useNow(ticking: boolean, everyMs = 1000): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!ticking) return;
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [ticking, everyMs]);
  return now;
}

/** True once `active` has lasted 200 ms: what comes quicker needs no placeholder. */
export function useDelayed(active: boolean): boolean {
  const [late, setLate] = useState(false);
  useEffect(() => {
    if (!active) return;
    const timer = setTimeout(() => setLate(true), 200);
    return () => {
      clearTimeout(timer);
      setLate(false);
    };
  }, [active]);
  return active && late;
}

import { useEffect, useRef, useState } from 'react';

/** The value, followed at most once in `everyMs`; the last of what comes meanwhile is never lost. */
export function useThrottled<Value>(value: Value, everyMs: number): Value {
  const [shown, setShown] = useState(value);
  const changedMs = useRef(-Infinity);
  useEffect(() => {
    const waitMs = Math.max(0, changedMs.current + everyMs - performance.now());
    const timer = setTimeout(() => {
      changedMs.current = performance.now();
      setShown(value);
    }, waitMs);
    return () => {
      clearTimeout(timer);
    };
  }, [value, everyMs]);
  return shown;
}

import { useEffect, useState } from 'react';

/** True once `active` has lasted 200 ms: what comes quicker needs no placeholder. */
export function useDelayed(active: boolean): boolean {
  const [late, setLate] = useState(false);
  useEffect(() => {
    if (!active) return;
    const timer = setTimeout(() => {
      setLate(true);
    }, 200);
    return () => {
      clearTimeout(timer);
      setLate(false);
    };
  }, [active]);
  return active && late;
}

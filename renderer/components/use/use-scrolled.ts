import { type RefObject, useEffect, useState } from 'react';

/** Pixels. */
const sizeOf = (element: HTMLElement) => ({
  top: element.scrollTop,
  height: element.clientHeight,
  width: element.clientWidth,
});

export function useScrolled(
  place: RefObject<HTMLElement | null>,
): readonly [ReturnType<typeof sizeOf>, () => void] {
  const [view, setView] = useState({ top: 0, height: 300, width: 600 });
  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => setView(sizeOf(element)));
    observer.observe(element);
    return () => observer.disconnect();
  }, [place]);
  const scrolled = (): void => {
    const element = place.current;
    if (element !== null) setView(sizeOf(element));
  };
  return [view, scrolled];
}

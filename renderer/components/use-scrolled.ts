import { type RefObject, useEffect, useState } from 'react';

/** Pixels. */
interface Scrolled {
  readonly top: number;
  readonly height: number;
  readonly width: number;
}

const sizeOf = (element: HTMLElement): Scrolled => ({
  top: element.scrollTop,
  height: element.clientHeight,
  width: element.clientWidth,
});

/** What is in view of a scrolling element, and the way to tell that it was scrolled. */
export function useScrolled(place: RefObject<HTMLElement | null>): readonly [Scrolled, () => void] {
  const [view, setView] = useState<Scrolled>({ top: 0, height: 300, width: 600 });
  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => {
      setView(sizeOf(element));
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
    };
  }, [place]);
  const scrolled = (): void => {
    const element = place.current;
    if (element !== null) setView(sizeOf(element));
  };
  return [view, scrolled];
}

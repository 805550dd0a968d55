import { type RefObject, useEffect } from 'react';

/** How far the part from `start` to `end` is out of the frame, to be scrolled. */
const beyond = (start: number, end: number, frameStart: number, frameEnd: number): number =>
  start < frameStart ? start - frameStart : Math.max(0, end - frameEnd);

/** `scrollIntoView` is not used, because Chromium's Tab continues from what it scrolled to. */
function bringInSight(box: HTMLElement): void {
  const current = box.querySelector('[aria-current]');
  if (current === null) return;
  const entry = (current.closest('tr') ?? current).getBoundingClientRect();
  const frame = box.getBoundingClientRect();
  const head = Number.parseFloat(getComputedStyle(box).scrollPaddingTop) || 0;
  box.scrollLeft += beyond(entry.left, entry.right, frame.left, frame.right);
  box.scrollTop += beyond(entry.top, entry.bottom, frame.top + head, frame.bottom);
}

/**
 * Where a navigation or list has no room for all entries, the one marked as current is scrolled to, below a head that stays
 * (`scroll-padding-top`).
 */
export function useCurrentInSight(place: RefObject<HTMLElement | null>, name: string): void {
  useEffect(() => {
    const bring = (): void => {
      if (place.current !== null) bringInSight(place.current);
    };
    bring();
    window.addEventListener('resize', bring);
    return () => window.removeEventListener('resize', bring);
  }, [place, name]);
}

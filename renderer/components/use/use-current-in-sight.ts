import { type RefObject, useEffect } from 'react';

/** How far the part from `start` to `end` is out of the frame, to be scrolled. */
const beyond = (start: number, end: number, frameStart: number, frameEnd: number): number =>
  start < frameStart ? start - frameStart : Math.max(0, end - frameEnd);

/**
 * A low window, or a large text, leaves no room for all entries of a navigation: the one marked as current is scrolled to.
 * `scrollIntoView` is not used, because Chromium's Tab continues from what it scrolled to.
 */
export function useCurrentInSight(place: RefObject<HTMLElement | null>, current: string): void {
  useEffect(() => {
    const entry = place.current?.querySelector('[aria-current]')?.getBoundingClientRect();
    const frame = place.current?.getBoundingClientRect();
    if (entry === undefined || frame === undefined) return;
    place.current?.scrollBy(
      beyond(entry.left, entry.right, frame.left, frame.right),
      beyond(entry.top, entry.bottom, frame.top, frame.bottom),
    );
  }, [place, current]);
}

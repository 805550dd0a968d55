import { type RefObject, useEffect } from 'react';

/** A low window, or a large text, leaves no room for all entries of a navigation: the one marked as current is scrolled to. */
export function useCurrentInSight(place: RefObject<HTMLElement | null>, current: string): void {
  useEffect(() => {
    place.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [place, current]);
}

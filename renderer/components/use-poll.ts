import { useEffect } from 'react';
import { pollWhileSeen } from '../stores/poll';

/** Reads once a second while the component is shown and the window can be seen. */
export function usePoll(read: () => Promise<void>, active: boolean): void {
  useEffect(() => (active ? pollWhileSeen(document, read, 1000) : undefined), [read, active]);
}

import { useEffect } from 'react';
import { useStore } from 'zustand';
import { pollWhileSeen } from '../../stores/poll';
import { useWorkbench } from '../../workbench';

const lookAgainMs = 5000;

/** While something keeps the draft from being started, it is looked at again: a port may be free by now. */
export function useStartCheck(): void {
  const { startCheck } = useWorkbench();
  const again = useStore(startCheck, (state) => state.again);
  const waits = useStore(startCheck, ({ problems }) => problems.length > 0);
  useEffect(() => (waits ? pollWhileSeen(document, again, lookAgainMs) : undefined), [again, waits]);
}

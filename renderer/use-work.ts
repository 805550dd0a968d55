import { useState } from 'react';
import { attempting } from './components/notices';

/** As `attempting`, with whether it is under way: `loading={busy} onClick={working(() => pull())}`. */
export function useWork(): readonly [busy: boolean, working: (work: () => Promise<unknown>) => () => void] {
  const [busy, setBusy] = useState(false);
  const working = (work: () => Promise<unknown>) =>
    attempting(async () => {
      setBusy(true);
      try {
        await work();
      } finally {
        setBusy(false);
      }
    });
  return [busy, working];
}

import type { BrowserWindow } from 'electron';

type ClosableWindow = Pick<BrowserWindow, 'on' | 'close' | 'isDestroyed'>;

/**
 * Closing while runs are under way first asks in the window. `closeNow` is the answer "stop and close": it waits for
 * the runs to end, which leaves each of them resumable, and then closes.
 */
export function guardClose(
  window: ClosableWindow,
  options: {
    readonly activeRuns: () => readonly string[];
    readonly ask: (runIds: readonly string[]) => void;
    readonly stop: () => Promise<void>;
  },
): { readonly closeNow: () => Promise<void> } {
  let agreed = false;
  window.on('close', (event) => {
    const runIds = options.activeRuns();
    if (agreed || runIds.length === 0) return;
    event.preventDefault();
    options.ask(runIds);
  });
  return {
    async closeNow() {
      agreed = true;
      await options.stop();
      if (!window.isDestroyed()) window.close();
    },
  };
}

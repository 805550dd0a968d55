import type { BrowserWindow } from 'electron';

/** A page that has not let its window close by then is not waited for. */
const pageAnswersMs = 3000;

type ClosableWindow = Pick<BrowserWindow, 'on' | 'close' | 'destroy' | 'isDestroyed'>;

/**
 * Closing while runs are under way first asks in the window. `closeNow` is the answer "stop and close": it waits for
 * the runs to end, which leaves each of them resumable, and then closes, whatever the page does.
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
      try {
        await options.stop();
      } finally {
        if (!window.isDestroyed()) window.close();
        setTimeout(() => {
          if (!window.isDestroyed()) window.destroy();
        }, pageAnswersMs).unref();
      }
    },
  };
}

import type { BrowserWindow } from 'electron';
import type { WorkUnderWay } from '../main/contract/api';

/** A page that has not answered by then is closed without it. */
const pageAnswersMs = 3000;

type ClosableWindow = Pick<BrowserWindow, 'on' | 'close' | 'destroy' | 'isDestroyed'>;

/**
 * Closing while work is under way first asks in the window. `closeNow` is the answer "stop and close": it waits for
 * the work to end, which leaves each run resumable, and then closes, whatever the page does.
 */
export function guardClose(
  window: ClosableWindow,
  options: {
    readonly underWay: () => WorkUnderWay;
    readonly ask: (work: WorkUnderWay) => void;
    readonly stop: () => Promise<void>;
  },
): { readonly closeNow: () => Promise<void> } {
  let agreed = false;
  window.on('close', (event) => {
    const work = options.underWay();
    if (agreed || Object.values(work).every((one: readonly unknown[]) => one.length === 0)) return;
    event.preventDefault();
    options.ask(work);
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

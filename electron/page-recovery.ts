import type { MessageBoxOptions } from 'electron';

/** Waits before each reload of the page. */
const waitsMs = [0, 1000, 5000] as const;
/** Deaths further apart than this have nothing to do with one another. */
const spanMs = 60_000;

/**
 * Milliseconds until the page is loaded again after it has died; null once it has died too often within a minute, as a
 * page may die of what it shows.
 */
export class PageDeaths {
  private atMs: number[] = [];

  died(nowMs: number): number | null {
    this.atMs = [...this.atMs.filter((at) => nowMs - at < spanMs), nowMs];
    return waitsMs[this.atMs.length - 1] ?? null;
  }

  forget(): void {
    this.atMs = [];
  }
}

interface RecoverableWindow {
  isDestroyed(): boolean;
  readonly webContents: {
    on(
      event: 'render-process-gone',
      listener: (event: unknown, details: { reason: string }) => void,
    ): unknown;
    reload(): void;
  };
}

interface RecoveryOptions {
  readonly nowMs: () => number;
  /** Asks outside of the page; resolves with the index of the button. */
  readonly ask: (question: MessageBoxOptions) => Promise<number>;
  /** Ends the work so that it can be resumed, and closes the window without asking its page. */
  readonly close: () => Promise<void>;
}

const question = (reason: string): MessageBoxOptions => ({
  type: 'error',
  message: 'The window cannot be shown',
  detail:
    `Its page ended ${waitsMs.length + 1} times within a minute (${reason}). Runs continue in the background.\n\n` +
    'Closing stops them; each can be resumed later.',
  buttons: ['Try again', 'Close'],
  defaultId: 0,
  cancelId: 0,
});

/** All state is the core's: a page that died is drawn again, and the runs go on whatever becomes of it. */
export function recoverPage(window: RecoverableWindow, options: RecoveryOptions): void {
  const { nowMs, ask, close } = options;
  const deaths = new PageDeaths();
  const { webContents } = window;
  const reload = () => {
    if (!window.isDestroyed()) webContents.reload();
  };
  webContents.on('render-process-gone', (_event, { reason }) => {
    if (reason === 'clean-exit' || window.isDestroyed()) return;
    const waitMs = deaths.died(nowMs());
    if (waitMs === 0) reload();
    else if (waitMs !== null) setTimeout(reload, waitMs);
    else {
      void ask(question(reason)).then((button) => {
        if (button !== 0) return close();
        deaths.forget();
        reload();
        return undefined;
      });
    }
  });
}

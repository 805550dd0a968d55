import type { Page } from '@playwright/test';
import type { Bridge } from '../../renderer/client';

/** What a window that works does, each within the limit. */
const tasks: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  'a call': async (page) => {
    await page.evaluate(() =>
      (globalThis as unknown as { workbench: Bridge }).workbench.call('monitor.state', undefined),
    );
  },
  'a frame': (page) =>
    page.evaluate(
      () =>
        new Promise<void>((resolve) => {
          requestAnimationFrame(() => {
            resolve();
          });
        }),
    ),
  // By the keyboard, as what is shown may move away under the mouse.
  'the palette': async (page) => {
    const search = page.getByRole('combobox', { name: 'Search or run a command' });
    await page.keyboard.press('Control+K');
    await search.waitFor({ state: 'visible' });
    await page.keyboard.press('Escape');
    await search.waitFor({ state: 'hidden' });
  },
};

export interface WindowAnswers {
  asked: number;
  readonly missed: string[];
  worstMs: number;
}

/** Asks the window everything, one after the other; what takes longer than `limitMs` is missed. */
export async function askWindow(page: Page, limitMs: number, answers: WindowAnswers): Promise<void> {
  for (const [name, task] of Object.entries(tasks)) {
    const startedMs = performance.now();
    answers.asked += 1;
    // To its end: a window that is late answers all the same, and one that has lost a key never does.
    const problem = await task(page).then(
      () => null,
      (error: unknown) => String(error),
    );
    const tookMs = performance.now() - startedMs;
    answers.worstMs = Math.max(answers.worstMs, tookMs);
    if (problem === null && tookMs <= limitMs) continue;
    answers.missed.push(`${name} after ${tookMs.toFixed(0)} ms: ${problem ?? 'late'}`);
  }
}

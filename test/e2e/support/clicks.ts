import { expect, type Page, test } from '@playwright/test';

/** No task of the engineer's takes more. */
const most = 4;

export interface Clicks {
  /** Holds the clicks of the task against their limit, and keeps them and the time taken with the results. */
  expectFew(limit?: number): Promise<void>;
}

/** Counts what the pointer presses in the window from now on; keys make none, nor does a page that is loaded again. */
export async function countClicks(page: Page, task: string): Promise<Clicks> {
  const startMs = performance.now();
  const counter = await page.evaluateHandle(() => {
    const counted = { clicks: 0 };
    addEventListener(
      'click',
      ({ isTrusted, detail }) => (counted.clicks += isTrusted && detail > 0 ? 1 : 0),
      true,
    );
    return counted;
  });
  return {
    expectFew: async (limit = most) => {
      const clicks = await counter.evaluate((counted) => counted.clicks);
      const seconds = ((performance.now() - startMs) / 1000).toFixed(1);
      test.info().annotations.push({ type: task, description: `${clicks} clicks, ${seconds} s` });
      expect(clicks, `clicks of "${task}"`).toBeLessThanOrEqual(limit);
    },
  };
}

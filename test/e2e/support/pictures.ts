import { join } from 'node:path';
import { expect, type Page } from '@playwright/test';

/** Where the guide keeps its pictures; written when this variable of the environment says so. */
const kept = join('docs', 'guide', 'pictures');
const writes = process.env['TRITON_WORKBENCH_PICTURES'] === 'keep';

const sizes = [
  { width: 1280, height: 800 },
  { width: 1920, height: 1080 },
] as const;

/** Elements that reach out of the window sideways. */
const tooWide = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const root = document.documentElement;
    if (root.scrollWidth <= root.clientWidth) return [];
    return [...document.querySelectorAll('*')]
      .filter((element) => element.getBoundingClientRect().right > root.clientWidth)
      .map((element) => element.outerHTML.slice(0, 80));
  });

/** Waits until a chart over time has something to show, where the guide's pictures are written; a test needs no more than a point. */
export async function fillForPictures(page: Page, ms: number): Promise<void> {
  if (writes) await page.waitForTimeout(ms);
}

/**
 * Has the page in both colour schemes and both sizes, and sees that nothing reaches out of the window. Pictures for the
 * guide are taken by `TRITON_WORKBENCH_PICTURES=keep npm test -- e2e`.
 */
export async function takePictures(page: Page, name: string): Promise<void> {
  for (const size of sizes) {
    await page.setViewportSize(size);
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', colorScheme);
      expect(await tooWide(page), `${name}, ${size.width} pixels, ${colorScheme}`).toEqual([]);
      if (!writes) continue;
      const path = join(kept, `${name}-${colorScheme}-${size.width}.png`);
      await page.screenshot({ path, animations: 'disabled', caret: 'hide' });
    }
  }
}

import AxeBuilder from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';

/** What may be right in one colour scheme and wrong in the other. */
const ofColours = ['color-contrast', 'link-in-text-block'];

/** Serious and critical findings, each with the element it is about, in both colour schemes. */
export async function findings(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', colorScheme);
    await settled(page);
    // What is right is not described: that takes longer than to look.
    const builder = new AxeBuilder({ page }).options({ resultTypes: ['violations'] });
    // The elements are the same in both: only their colours are looked at twice.
    if (colorScheme === 'light') builder.withRules(ofColours);
    const { violations } = await builder.setLegacyMode().analyze();
    for (const violation of violations) {
      if (violation.impact !== 'serious' && violation.impact !== 'critical') continue;
      for (const node of violation.nodes) found.push(`${colorScheme} ${violation.id}: ${node.html}`);
    }
  }
  return found;
}

/** What fades in or out has, for a moment, colours that are nobody's choice. */
async function settled(page: Page): Promise<void> {
  await page.waitForFunction(() =>
    document
      .getAnimations()
      .every(
        ({ playState, effect }) =>
          playState !== 'running' || effect?.getComputedTiming().endTime === Number.POSITIVE_INFINITY,
      ),
  );
}

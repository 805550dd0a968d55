import type { Locator, Page } from '@playwright/test';

/** Rail and status bar. */
export class Shell {
  constructor(private readonly page: Page) {}

  async go(name: 'Runs' | 'New deployment' | 'Containers' | 'Environment'): Promise<void> {
    await this.page.getByRole('navigation', { name: 'Pages' }).getByRole('button', { name }).click();
  }

  get status(): Locator {
    return this.page.getByRole('contentinfo', { name: 'Status' });
  }

  get closeQuestion(): Locator {
    return this.page.getByRole('alertdialog', { name: 'Close the window?' });
  }
}

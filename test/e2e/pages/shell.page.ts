import type { Locator, Page } from '@playwright/test';

type PageName =
  | 'Runs'
  | 'New deployment'
  | 'Studies'
  | 'Deployments'
  | 'Monitor'
  | 'Containers'
  | 'Compare'
  | 'Environment'
  | 'Hosts';

/** Rail and status bar. */
export class Shell {
  constructor(private readonly page: Page) {}

  /** In the rail. */
  entry(name: PageName): Locator {
    return this.page.getByRole('navigation', { name: 'Pages' }).getByRole('button', { name });
  }

  async go(name: PageName): Promise<void> {
    await this.entry(name).click();
  }

  get status(): Locator {
    return this.page.getByRole('contentinfo', { name: 'Status' });
  }

  /** Opens the command palette by its key and takes the command that the words find first. */
  async command(words: string): Promise<void> {
    await this.page.keyboard.press('Control+K');
    await this.page.getByRole('combobox', { name: 'Search or run a command' }).fill(words);
    await this.page.keyboard.press('Enter');
  }

  get closeQuestion(): Locator {
    return this.page.getByRole('alertdialog', { name: 'Close the window?' });
  }
}

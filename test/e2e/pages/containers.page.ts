import type { Locator, Page } from '@playwright/test';

export class ContainersPage {
  constructor(private readonly page: Page) {}

  get heading(): Locator {
    return this.page.getByRole('heading', { name: 'Containers', level: 1 });
  }

  /** How the workbench stands with the Docker Engine: its `data-connection` says it in one word. */
  get connection(): Locator {
    return this.page.locator('.containers-banner [data-connection]');
  }

  async show(name: 'Containers' | 'Images'): Promise<void> {
    await this.page.getByRole('radiogroup', { name: 'View' }).getByText(name, { exact: true }).click();
  }

  get empty(): Locator {
    return this.page.getByText('Containers of other programs are never listed or touched.');
  }

  row(name: string): Locator {
    return this.page.locator('.containers-table tbody tr').filter({ hasText: name });
  }

  image(tag: string): Locator {
    return this.page.locator('.images-table tbody tr').filter({ hasText: tag });
  }

  get pull(): Locator {
    return this.page.getByRole('button', { name: 'Pull', exact: true });
  }

  get reference(): Locator {
    return this.page.getByRole('textbox', { name: 'Image', exact: true });
  }

  get log(): Locator {
    return this.page.getByRole('log', { name: 'Log' });
  }
}

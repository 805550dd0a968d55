import type { Locator, Page } from '@playwright/test';

export class NewDeploymentPage {
  constructor(private readonly page: Page) {}

  text(label: string): Locator {
    return this.page.getByRole('textbox', { name: label, exact: true });
  }

  async choose(label: string, option: string): Promise<void> {
    await this.page.getByRole('combobox', { name: label, exact: true }).click();
    await this.page.getByRole('option', { name: option, exact: true }).click();
  }

  get start(): Locator {
    return this.page.getByRole('button', { name: 'Start deployment' });
  }

  get plan(): Locator {
    return this.page.getByRole('complementary', { name: 'What will happen' });
  }
}

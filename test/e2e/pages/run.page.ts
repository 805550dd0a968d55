import type { Locator, Page } from '@playwright/test';

type ChartId = 'throughput' | 'latency' | 'components';

export class RunPage {
  constructor(private readonly page: Page) {}

  step(id: string): Locator {
    return this.page.locator(`[data-step="${id}"]`);
  }

  /** The run's own state, beside its title. */
  get status(): Locator {
    return this.page.locator('.page-title [data-status]');
  }

  async showScenario(name: 'Offline' | 'Online'): Promise<void> {
    await this.page
      .getByRole('radiogroup', { name: 'Scenario' })
      .getByText(new RegExp(`^${name} `))
      .click();
  }

  /** The drawn markers of one series: paths that plotly made, not labels. */
  markers(chart: ChartId, series: number): Locator {
    return this.page.locator(
      `[data-chart="${chart}"] .plot .scatterlayer .trace:nth-of-type(${series + 1}) .points path`,
    );
  }

  bars(): Locator {
    return this.page.locator('[data-chart="components"] .plot .barlayer .point path');
  }

  rows(): Locator {
    return this.page.locator('.points-table tbody tr');
  }

  get accuracy(): Locator {
    return this.page.getByRole('region', { name: 'Accuracy', exact: true });
  }

  button(name: 'Cancel run' | 'Resume' | 'Export PDF'): Locator {
    return this.page.getByRole('button', { name, exact: true });
  }

  async exportAs(item: string): Promise<void> {
    await this.page.getByRole('button', { name: 'Export', exact: true }).click();
    await this.page.getByRole('menuitem', { name: item, exact: true }).click();
  }

  tab(name: 'Log' | 'Commands' | 'Facts'): Locator {
    return this.page.getByRole('tab', { name: new RegExp(`^${name}`) });
  }

  get log(): Locator {
    return this.page.getByRole('log', { name: 'Log' });
  }
}

import type { Locator, Page } from '@playwright/test';

/** The Monitor page. */
export class MonitorPage {
  constructor(private readonly page: Page) {}

  async watch(url: string, metricsUrl: string): Promise<void> {
    await this.page.getByLabel('Triton HTTP address').fill(url);
    await this.page.getByLabel('Metrics address (default: port 8002 of the same host)').fill(metricsUrl);
    await this.page.getByRole('button', { name: 'Watch' }).click();
  }

  /** The banner of the server that is watched. */
  get server(): Locator {
    return this.page.getByRole('region', { name: 'Server', exact: true });
  }

  /** Rate, p99, errors and queue of the selected model. */
  get now(): Locator {
    return this.page.getByRole('region', { name: / now$/ });
  }

  state(model: string): Locator {
    return this.page.locator(`[data-model="${model}"] [data-state]`);
  }

  get probes(): Locator {
    return this.page.getByLabel('Send probes');
  }

  action(name: string): Locator {
    return this.page.getByRole('button', { name, exact: true });
  }

  /** What is asked in place before a model is unloaded. */
  get question(): Locator {
    return this.page.getByRole('group', { name: /^Unload / });
  }

  /** Lines drawn in a chart. */
  lines(chart: string): Locator {
    return this.page.locator(`[data-chart="${chart}"] .scatterlayer .trace .js-line`);
  }

  get rules(): Locator {
    return this.page.getByRole('list', { name: 'Alert rules' }).getByRole('listitem');
  }

  /** The rule that was added last. */
  get newRule(): Locator {
    return this.rules.last();
  }

  get firing(): Locator {
    return this.page.getByRole('list', { name: 'Firing alerts' });
  }

  get alerts(): Locator {
    return this.page.getByRole('list', { name: 'Current alerts' });
  }

  get events(): Locator {
    return this.page.getByRole('region', { name: 'Events', exact: true });
  }
}

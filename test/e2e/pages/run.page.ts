import { expect, type Locator, type Page } from '@playwright/test';

/** Milliseconds; training and export on a busy machine. */
const longStepMs = 300_000;

type ChartId = 'throughput' | 'latency' | 'components' | 'windows' | 'batch';

const stepSelector = (id: string): string => `[data-step="${id}"]`;
const markersOf = (chart: ChartId, series: number): string =>
  `[data-chart="${chart}"] .plot .scatterlayer .trace:nth-of-type(${series + 1}) .points path`;

export class RunPage {
  constructor(private readonly page: Page) {}

  step(id: string): Locator {
    return this.page.locator(stepSelector(id));
  }

  /** The run's own state, beside its title. */
  get status(): Locator {
    return this.page.locator('.page-title [data-status]');
  }

  /** Waits for one of the states; a run that has failed meanwhile ends the wait with the words of its error. */
  async waitForStep(id: string, status: RegExp): Promise<void> {
    await expect.poll(() => this.unlessFailed(this.step(id)), { timeout: longStepMs }).toMatch(status);
  }

  async waitUntilDone(): Promise<void> {
    await expect.poll(() => this.unlessFailed(this.status), { timeout: longStepMs }).toBe('done');
  }

  private async unlessFailed(place: Locator): Promise<string> {
    const [of, status] = [
      await this.status.getAttribute('data-status'),
      await place.getAttribute('data-status'),
    ];
    if (of === 'failed' || of === 'gate-failed') {
      throw new Error(`The run failed: ${await this.page.getByRole('alert').first().innerText()}`);
    }
    return status ?? '';
  }

  async showScenario(name: 'Offline' | 'Online'): Promise<void> {
    await this.page
      .getByRole('radiogroup', { name: 'Scenario' })
      .getByText(new RegExp(`^${name} `))
      .click();
  }

  /** The drawn markers of one series: paths that plotly made, not labels. */
  markers(chart: ChartId, series: number): Locator {
    return this.page.locator(markersOf(chart, series));
  }

  /**
   * Begins to look for the first marker of the chart's first series. The answer is how the step stood when the marker was
   * drawn, '' where none was: the page notes it itself, as who asks from outside may be late.
   */
  async stepAtFirstMarker(chart: ChartId, id: string): Promise<() => Promise<string>> {
    const noted = await this.page.evaluateHandle(
      ([marker, step]) => {
        const note = { status: '' };
        const observer = new MutationObserver(() => {
          if (document.querySelector(marker) === null) return;
          observer.disconnect();
          note.status = document.querySelector(step)?.getAttribute('data-status') ?? 'absent';
        });
        observer.observe(document, { childList: true, subtree: true });
        return note;
      },
      [markersOf(chart, 0), stepSelector(id)] as const,
    );
    return async () => (await noted.jsonValue()).status;
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

  button(
    name:
      'Pause' | 'Cancel run' | 'Resume' | 'Export PDF' | 'Change and continue…' | 'Run again with changes',
  ): Locator {
    return this.page.getByRole('button', { name, exact: true });
  }

  /** Charts out of sight are not drawn. */
  async showChart(chart: ChartId): Promise<void> {
    await this.page.locator(`[data-chart="${chart}"]`).scrollIntoViewIfNeeded();
  }

  /** Asks for the step and all that need it to be done again, and says yes. */
  async rerunFrom(title: string): Promise<void> {
    await this.page.getByRole('button', { name: `Actions of ${title}`, exact: true }).click();
    await this.page.getByRole('menuitem', { name: 'Rerun from here' }).click();
    await this.page.getByRole('button', { name: 'Rerun', exact: true }).click();
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

import { expect, type Locator, type Page } from '@playwright/test';
import { littleArgs, littleQueueDelayUs } from '../../support/little-model';
import type { WorkbenchApp } from '../support/app';
import { Shell } from './shell.page';

type WizardPageName =
  'Environment' | 'Model' | 'Export & convert' | 'Configure' | 'Accuracy' | 'Performance' | 'Review & run';

/** The inputs are hidden below what is drawn of them: a click at a place could meet what moved there meanwhile. */
async function switchTo(input: Locator, on: boolean): Promise<void> {
  if ((await input.isChecked()) !== on) await input.dispatchEvent('click');
  await expect(input).toBeChecked({ checked: on });
}

/** The wizard, and the page before it. */
export class NewDeploymentPage {
  constructor(private readonly page: Page) {}

  /** A choice of the page that New deployment begins with. */
  preset(title: string): Locator {
    return this.page
      .getByRole('region', { name: 'Presets' })
      .getByRole('button', { name: title, exact: true });
  }

  /** Goes on with the draft that was left. */
  get continueDraft(): Locator {
    return this.page.getByRole('button', { name: /^Continue the (draft|change)$/ });
  }

  /** The page of the main fields, or the seven with all. */
  async show(view: 'Simple' | 'All settings'): Promise<void> {
    await this.page
      .getByRole('radiogroup', { name: 'Settings shown' })
      .getByText(view, { exact: true })
      .click();
  }

  /** From the rail to all settings of a new draft with the preset ResNet-50. */
  async begin(): Promise<void> {
    await new Shell(this.page).go('New deployment');
    await this.preset('ResNet-50 v1.5').click();
    await this.show('All settings');
    await expect(this.heading('Environment')).toBeVisible();
  }

  /** What the simple page says beside its fields. */
  get summary(): Locator {
    return this.page.getByRole('complementary', { name: 'Summary' });
  }

  step(name: WizardPageName): Locator {
    return this.page
      .getByRole('navigation', { name: 'Steps of the deployment' })
      .getByRole('button')
      .filter({ has: this.page.getByText(name, { exact: true }) });
  }

  /** Goes to a page; its heading then has the focus. */
  async open(name: WizardPageName): Promise<void> {
    await this.step(name).click();
    await expect(this.heading(name)).toBeVisible();
  }

  heading(name: WizardPageName): Locator {
    return this.page.getByRole('heading', { name, level: 2, exact: true });
  }

  text(label: string): Locator {
    return this.page.getByRole('textbox', { name: label, exact: true });
  }

  option(field: string, option: string): Locator {
    return this.page
      .getByRole('radiogroup', { name: field, exact: true })
      .getByRole('radio', { name: option, exact: true });
  }

  choose(field: string, option: string): Promise<void> {
    return switchTo(this.option(field, option), true);
  }

  /** Writes, chooses or switches the field with this path of the specification. */
  async set(path: string, value: string): Promise<void> {
    const field = this.page.locator(`[data-field="${path}"]`);
    await field.evaluate((element) => element.closest('details')?.setAttribute('open', ''));
    const radio = field.locator(`input[type="radio"][value="${value}"]`);
    const text = field.locator('input:not([type="radio"], [type="checkbox"])');
    if ((await radio.count()) > 0) await switchTo(radio, true);
    else if ((await text.count()) > 0) await text.fill(value);
    else await switchTo(field.locator('input'), value === 'true');
  }

  /** Little data, hardly trained: where it does not matter what is served. */
  async takeLittleModel(): Promise<void> {
    await this.open('Model');
    for (const [name, value] of Object.entries(littleArgs)) await this.set(`model.args.${name}`, value);
    await this.open('Configure');
    await this.set('configure.maxQueueDelayUs', littleQueueDelayUs);
    await this.open('Accuracy');
    await this.set('accuracy.thresholds.top1', '0');
  }

  /** Paths of the fields that the page shows and that can be changed. */
  async fields(): Promise<string[]> {
    return this.page
      .locator('.wizard [data-field]')
      .evaluateAll((fields) =>
        fields
          .filter((field) => field.querySelector('input:not(:disabled)') !== null)
          .map((field) => field.getAttribute('data-field') ?? ''),
      );
  }

  /** The mark of a field that is not as its default. */
  changed(path: string): Locator {
    return this.page.locator(`[data-field="${path}"]`).getByRole('button', { name: /^Reset / });
  }

  reset(label: string): Locator {
    return this.page.getByRole('button', { name: `Reset ${label}`, exact: true });
  }

  get start(): Locator {
    return this.page.getByRole('button', { name: 'Start deployment' });
  }

  /** In the place of the start where a run is changed. */
  get change(): Locator {
    return this.page.getByRole('button', { name: 'Change and continue', exact: true });
  }

  /** What the choice amounts to, beside the start. */
  get state(): Locator {
    return this.page.locator('.wizard-state');
  }

  get next(): Locator {
    return this.page.getByRole('button', { name: /^Next/ });
  }

  /** The pane at the right. */
  get plan(): Locator {
    return this.page.getByRole('complementary', { name: 'Preview' });
  }

  get config(): Locator {
    return this.page.getByRole('textbox', { name: 'Text of config.pbtxt' });
  }

  /** The whole text of config.pbtxt, by its Copy button: the editor draws only the lines in sight. */
  async configText({ electron }: WorkbenchApp): Promise<string> {
    const read = () => electron.evaluate(({ clipboard }) => clipboard.readText());
    await electron.evaluate(({ clipboard }) => clipboard.writeText(''));
    await this.page.getByRole('button', { name: 'Copy config.pbtxt' }).click();
    await expect.poll(read).not.toBe('');
    return read();
  }

  /** The engineer's own model, on the Model page. */
  get own(): Locator {
    return this.page.getByRole('region', { name: 'Your own model' });
  }

  get startOver(): Locator {
    return this.page.getByRole('button', { name: 'Reset settings' });
  }

  get undo(): Locator {
    return this.page.getByRole('button', { name: 'Undo', exact: true });
  }

  async exportAs(item: 'run.yaml, for the command line' | 'Shell script'): Promise<void> {
    await this.page.getByRole('button', { name: 'Export', exact: true }).click();
    await this.page.getByRole('menuitem', { name: item, exact: true }).click();
  }
}

import { expect, type Locator, type Page } from '@playwright/test';

/** Presses of Tab after which something counts as out of reach. */
const farthest = 120;

/** Whether the element, or something inside it, has the focus. */
const hasFocus = (target: Locator): Promise<boolean> =>
  target.evaluate((element) => element.contains(document.activeElement));

/**
 * A person with the mouse, or without one: every click and every key of a task goes through here and is counted. What is
 * typed counts a key per character.
 */
export abstract class Hands {
  private made = 0;
  constructor(protected readonly page: Page) {}

  /** Presses a button or link. */
  abstract press(target: Locator): Promise<void>;
  /** Does what a button of the page does, or the command that these words find in the palette. */
  abstract command(target: Locator, words: string): Promise<void>;
  /** Chooses one of a group of options. */
  abstract choose(target: Locator): Promise<void>;
  /** Begins a deployment. */
  abstract newDeployment(): Promise<void>;
  /** Starts the deployment that is put together. */
  abstract start(button: Locator): Promise<void>;
  /** Writes into the field that has the focus, and takes it over. */
  async write(text: string): Promise<void> {
    for (const key of [...text.split(''), 'Enter']) await this.key(key);
  }

  /** Clicks and keys since the last time that was asked. */
  taken(): number {
    const { made } = this;
    this.made = 0;
    return made;
  }

  protected async key(key: string): Promise<void> {
    this.made += 1;
    await this.page.keyboard.press(key);
  }

  protected async click(target: Locator): Promise<void> {
    this.made += 1;
    await target.click();
  }
}

export class MouseHands extends Hands {
  press(target: Locator): Promise<void> {
    return this.click(target);
  }

  choose(target: Locator): Promise<void> {
    return this.click(target);
  }

  newDeployment(): Promise<void> {
    return this.click(
      this.page.getByRole('navigation', { name: 'Pages' }).getByRole('button', { name: 'New deployment' }),
    );
  }

  start(button: Locator): Promise<void> {
    return this.click(button);
  }

  command(target: Locator): Promise<void> {
    return this.click(target);
  }
}

export class KeyboardHands extends Hands {
  async press(target: Locator): Promise<void> {
    await this.reach(target);
    await this.key('Enter');
  }

  async command(target: Locator, words: string): Promise<void> {
    await target.waitFor();
    await this.key('Control+k');
    await expect(this.page.getByRole('combobox', { name: 'Search or run a command' })).toBeFocused();
    await this.write(words);
  }

  /** Tab reaches the group's chosen option, and the arrows the others. */
  async choose(target: Locator): Promise<void> {
    await this.reach(target.locator('xpath=ancestor::*[@role="radiogroup"]'));
    for (let presses = 0; !(await target.isChecked()); presses += 1) {
      expect(presses, 'presses of an arrow').toBeLessThan(farthest);
      await this.key('ArrowRight');
    }
  }

  newDeployment(): Promise<void> {
    return this.key('Control+n');
  }

  async start(button: Locator): Promise<void> {
    await expect(button).toBeEnabled();
    await this.key('Control+Enter');
  }

  /** Forwards or backwards, whichever is shorter, as a person sees it. */
  private async reach(target: Locator): Promise<void> {
    await target.waitFor();
    const key = (await this.isBefore(target)) ? 'Shift+Tab' : 'Tab';
    for (let presses = 0; !(await hasFocus(target)); presses += 1) {
      expect(presses, `presses of ${key}`).toBeLessThan(farthest);
      await this.key(key);
    }
  }

  private isBefore(target: Locator): Promise<boolean> {
    return target.evaluate((element) => {
      const from = document.activeElement;
      if (from === null || from === document.body) return false;
      return (from.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_PRECEDING) !== 0;
    });
  }
}

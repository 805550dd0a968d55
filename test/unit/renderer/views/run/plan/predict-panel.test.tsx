// @vitest-environment jsdom
import { act } from 'react';
import { afterEach, describe, expect, it } from 'vitest';
import type { RunState } from '../../../../../../main/contract/run/run-state';
import { PredictPanel } from '../../../../../../renderer/views/run/plan/predict-panel';
import { predictableState } from '../../../../../support/predictable-run';
import { createdBodies, stateOf } from '../../../../../support/run-state';
import { createClientDouble } from '../../../client-double';
import { mount, type Mounted } from '../../../mounted';

let mounted: Mounted | null = null;
afterEach(() => {
  mounted?.unmount();
  mounted = null;
});

async function shown(state: RunState): Promise<HTMLElement> {
  mounted = await mount(createClientDouble({}).client, <PredictPanel state={state} />);
  return mounted.page;
}

const inputOf = (page: HTMLElement, label: string): HTMLInputElement => {
  const found = [...page.querySelectorAll('label')].find(({ textContent }) => textContent === label);
  const input = page.querySelector<HTMLInputElement>(`[id="${found?.htmlFor ?? ''}"]`);
  if (input === null) throw new Error(`no field ${label}`);
  return input;
};

async function type(page: HTMLElement, label: string, text: string): Promise<void> {
  const input = inputOf(page, label);
  await act(async () => {
    input.focus();
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(input, text);
    input.dispatchEvent(new Event('input', { bubbles: true }));
    await Promise.resolve();
  });
}

const answerOf = (page: HTMLElement): string => page.querySelector('[role="status"]')?.textContent ?? '';

describe('the panel of what would be', () => {
  it('begins with the run as it is, at the load of its best level', async () => {
    const page = await shown(predictableState());
    expect(answerOf(page)).toMatch(
      /^Predicted, not measured: concurrency 16 on 1 instance with batches of up to 8 and a queue delay of 0 µs: /,
    );
    expect(page.textContent).toContain('off by');
  });

  it('answers what is typed, a rate in place of the concurrency, and marks what is outside', async () => {
    const page = await shown(predictableState());
    await type(page, 'Rate (requests/s)', '400');
    expect(answerOf(page)).toContain('400 requests/s with Poisson arrivals on 1 instance');
    expect(inputOf(page, 'Concurrency').value).toBe('');
    expect(page.querySelector('.tone-warn')).toBeNull();
    await type(page, 'Instances', '2');
    expect(answerOf(page)).toContain('on 2 instances');
    expect(page.querySelector('.tone-warn')?.textContent).toContain('Outside the range');
  });

  it('names a value that it cannot take, and is nothing for a run that nothing can be predicted from', async () => {
    const page = await shown(predictableState());
    await type(page, 'Instances', '0');
    expect(page.textContent).toContain('0 is not a whole number from 1 to 64.');
    expect(answerOf(page)).toBe('');
    mounted?.unmount();
    expect((await shown(stateOf(createdBodies()))).querySelector('section')).toBeNull();
  });
});

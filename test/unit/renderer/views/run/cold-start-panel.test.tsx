// @vitest-environment jsdom
import { act } from 'react';
import { afterEach, expect, it } from 'vitest';
import type { RunState } from '../../../../../main/contract/run/run-state';
import { ColdStartPanel } from '../../../../../renderer/views/run/cold-start-panel';
import { coldState } from '../../../../support/cold-state';
import { completeState } from '../../../../support/run-state';
import { createClientDouble } from '../../client-double';
import { mount, type Mounted } from '../../mounted';

let mounted: Mounted | null = null;
afterEach(() => {
  mounted?.unmount();
  mounted = null;
});

async function shown(state: RunState) {
  const double = createClientDouble({ 'runs.tryWarmUp': () => null });
  mounted = await mount(double.client, <ColdStartPanel state={state} />);
  return { ...mounted, calls: double.calls };
}

const buttonOf = (page: HTMLElement) =>
  [...page.querySelectorAll('button')].find(({ textContent }) => textContent === 'Try with warm-up');

it('has sentences, a row per first request, and what came of the warm-up', async () => {
  const { page } = await shown(coldState());
  expect(page.textContent).toContain('Ready to serve after 2.1 s');
  expect(page.textContent).toContain('With the warm-up the cold start is gone at batch size 1.');
  expect(page.textContent).toContain('The warm-up does not reach batch size 16: it had no effect there.');
  const firsts = page.querySelectorAll('[aria-label="First requests"] tbody tr');
  expect([...firsts].map(({ className }) => className)).toEqual(['tone-warn', 'tone-warn']);
});

it('tries a warm-up of a verified run of this machine', async () => {
  const { page, calls } = await shown({ ...completeState(), status: 'done', origin: 'own' });
  expect(page.textContent).toContain('was not recorded');
  const button = buttonOf(page);
  await act(async () => {
    button?.click();
    await Promise.resolve();
  });
  expect(calls.map(([name]) => name)).toContain('runs.tryWarmUp');
});

it('shows nothing of a run that recorded nothing and cannot be tried', async () => {
  const { page } = await shown({ ...completeState(), status: 'failed' });
  expect(page.textContent).not.toContain('Cold start');
  expect(buttonOf(page)).toBeUndefined();
});

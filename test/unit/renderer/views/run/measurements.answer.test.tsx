// @vitest-environment jsdom
import { expect, it } from 'vitest';
import { Measurements } from '../../../../../renderer/views/run/measurements';
import { createdBodies, measurementBody, pointFixture, stateOf } from '../../../../support/run-state';
import { createClientDouble } from '../../client-double';
import { mount } from '../../mounted';

it('the page opens on the load that has the best level, with a star at it', async () => {
  const state = stateOf([
    ...createdBodies(),
    measurementBody('offline', pointFixture({ batchSize: 4, inferencesPerSecond: 900 })),
    measurementBody('online', pointFixture({ concurrency: 2, inferencesPerSecond: 300 })),
    { type: 'run-finished', outcome: 'done' },
  ]);
  const { page, unmount } = await mount(createClientDouble({}).client, <Measurements state={state} />);
  expect(page.querySelector<HTMLInputElement>('input[value=offline]')?.checked).toBe(true);
  expect(page.textContent).toContain('Offline · batch size (1/5) ★');
  expect(page.querySelector('tr[data-level="4"] td')?.textContent).toBe('★ 4');
  unmount();
});

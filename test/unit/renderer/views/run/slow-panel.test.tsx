// @vitest-environment jsdom
import { afterEach, expect, it } from 'vitest';
import type { SlowRequests } from '../../../../../main/contract/measured/slow-requests';
import type { JournalBody } from '../../../../../main/contract/run/run-events';
import { SlowPanel } from '../../../../../renderer/views/run/slow-panel';
import { createdBodies, measurementBody, pointFixture, stateOf } from '../../../../support/run-state';
import { createClientDouble } from '../../client-double';
import { mount, type Mounted } from '../../mounted';

const slow: SlowRequests = {
  ...{ model: 'whole', protocol: 'http', requests: 100, incomplete: 0, medianCount: 20, slowCount: 5 },
  ...{ medianUs: 2000, slowUs: 8000, slowest: [] },
  parts: [
    { model: null, phase: 'queue', medianUs: 1000, slowUs: 1000 },
    { model: 'resize', phase: 'infer', medianUs: 1000, slowUs: 7000 },
  ],
};

let shown: Mounted | null = null;
afterEach(() => shown?.unmount());

async function pageOf(...events: readonly (JournalBody & { readonly type: 'trace' })['event'][]) {
  const body = measurementBody('online', pointFixture({ concurrency: 4 }));
  const key = body.type === 'measurement' ? body.key : '';
  const traces = events.map((event): JournalBody => ({ type: 'trace', scenario: 'online', key, event }));
  const state = stateOf([...createdBodies(), body, ...traces]);
  shown = await mount(createClientDouble({}).client, <SlowPanel state={state} />);
  return shown.page;
}

it('draws the slowest over those around the median, and marks the longest part', async () => {
  const page = await pageOf({ kind: 'traced', slow: [slow] });
  const bars = [...page.querySelectorAll<HTMLElement>('.slow-bar span')].map(({ style }) => style.width);
  expect(bars).toEqual(['12.5%', '12.5%', '12.5%', '87.5%']);
  expect(page.textContent).toContain('Their longest part is resize: compute infer');
  expect(page.querySelector('tbody strong')?.closest('tr')?.textContent).toContain('resize: compute infer');
});

it('says why a level has none, and is nothing without any', async () => {
  const failed = await pageOf({ kind: 'traced', slow: [], problem: 'Triton wrote no trace' });
  expect(failed.textContent).toContain('Not traced: Triton wrote no trace');
  shown?.unmount();
  expect((await pageOf()).querySelector('.panel')).toBeNull();
});

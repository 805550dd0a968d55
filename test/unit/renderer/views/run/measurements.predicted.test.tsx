// @vitest-environment jsdom
import { act } from 'react';
import { afterEach, expect, it, vi } from 'vitest';
import { predictedCurve } from '../../../../../main/domain/predict/predicted-curve';
import { Measurements } from '../../../../../renderer/views/run/measurements';
import { predictableState } from '../../../../support/predictable-run';
import { createClientDouble } from '../../client-double';
import { mount } from '../../mounted';

vi.mock(import('../../../../../main/domain/predict/predicted-curve'), async (original) => ({
  predictedCurve: vi.fn((await original()).predictedCurve),
}));

afterEach(() => {
  vi.useRealTimers();
});

it('shows the measured levels first, and then simulates what is between them', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const state = predictableState();
  const mounted = await mount(createClientDouble({}).client, <Measurements state={state} />);
  expect(mounted.page.querySelector('tr[data-level="32"]')).not.toBeNull();
  expect(predictedCurve).not.toHaveBeenCalled();
  act(() => {
    vi.advanceTimersByTime(1000);
  });
  expect(predictedCurve).toHaveBeenCalledExactlyOnceWith(state);
  mounted.unmount();
});

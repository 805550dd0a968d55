// @vitest-environment jsdom
import { expect, it } from 'vitest';
import { RunLegend } from '../../../../../renderer/views/compare/run-legend';
import { completeState } from '../../../../support/run-state';
import { createClientDouble } from '../../client-double';
import { mount } from '../../mounted';

it('calls a run by its name once, and another by what differs and its model', async () => {
  const state = completeState();
  const mounted = await mount(
    createClientDouble({}).client,
    <RunLegend
      states={[state, { ...state, runId: 'other' }]}
      names={['nightly', 'ResNet-50 onnx fp16']}
      short={['nightly', 'fp16']}
    />,
  );
  const [first, second] = mounted.page.querySelectorAll('li');
  expect(first?.textContent.match(/nightly/g)).toHaveLength(1);
  expect(first?.querySelector('a, button')?.textContent).toBe('nightly');
  expect(second?.textContent).toContain('fp16ResNet-50 onnx fp16');
  mounted.unmount();
});

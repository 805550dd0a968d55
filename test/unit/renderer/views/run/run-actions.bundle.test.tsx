// @vitest-environment jsdom
import { afterEach, describe, expect, it } from 'vitest';
import type { RunState } from '../../../../../main/contract/run/run-state';
import { RunActions } from '../../../../../renderer/views/run/run-actions';
import { completeState } from '../../../../support/run-state';
import { createClientDouble } from '../../client-double';
import { mount, type Mounted } from '../../mounted';

const deployable = (): RunState => {
  const state = completeState();
  const { accuracy } = state;
  if (accuracy === null) throw new Error('the fixture has an accuracy check');
  return {
    ...state,
    status: 'done',
    origin: 'own',
    accuracy: { ...accuracy, result: { ...accuracy.result, passed: true } },
  };
};

let mounted: Mounted | null = null;
afterEach(() => {
  mounted?.unmount();
  mounted = null;
});

async function openExport(state: RunState, chosen: { readonly path: string } | null) {
  const double = createClientDouble({
    'deployments.list': () => [],
    'desktop.choosePath': () => chosen,
    'runs.bundle': () => chosen,
  });
  mounted = await mount(double.client, <RunActions state={state} />);
  await mounted.click(mounted.button('Export'));
  return { ...double, mounted };
}

describe('the Export menu', () => {
  it('writes a bundle into the folder that is chosen', async () => {
    const state = deployable();
    const { calls, mounted: shown } = await openExport(state, { path: '/empty' });
    await shown.click(shown.button('Deployment bundle…'));
    expect(calls).toContainEqual(['runs.bundle', { runId: state.runId, out: '/empty' }]);
  });

  it('writes nothing where no folder is chosen', async () => {
    const { calls, mounted: shown } = await openExport(deployable(), null);
    await shown.click(shown.button('Deployment bundle…'));
    expect(calls.map(([name]) => name)).toContain('desktop.choosePath');
    expect(calls.map(([name]) => name)).not.toContain('runs.bundle');
  });

  it('offers none of a run that nobody saw answer rightly', async () => {
    const { mounted: shown } = await openExport({ ...deployable(), accuracy: null }, null);
    expect(() => shown.button('Deployment bundle…')).toThrow('no button');
    expect(shown.button('Show run folder')).toBeDefined();
  });
});

// @vitest-environment jsdom
import { expect, it } from 'vitest';
import type { DeployedRun } from '../../../../../main/contract/run/run-state';
import { KeepServing } from '../../../../../renderer/views/run/keep-serving';
import { createClientDouble } from '../../client-double';
import { mount } from '../../mounted';

const state = {
  runId: 'r1',
  source: { kind: 'deployed', spec: { engine: { kind: 'local' }, configure: { modelName: 'resnet50' } } },
} as unknown as DeployedRun;

async function clicked(found: readonly object[]) {
  const { client, calls } = createClientDouble({
    'deployments.list': () => found,
    'deployments.deploy': () => ({ id: 'resnet50', httpUrl: 'http://127.0.0.1:8000', host: null }),
  });
  const { button, click, unmount } = await mount(
    client,
    <KeepServing state={state} />,
    async ({ deployments }) => deployments.getState().load(),
  );
  await click(button('Keep serving'));
  const entries = [...document.querySelectorAll('[role="menuitem"]')].map(({ textContent }) => textContent);
  unmount();
  return {
    entries,
    deployed: calls.filter(([name]) => name === 'deployments.deploy').map(([, input]) => input),
  };
}

it('keeps serving at once where no deployment could take another version', async () => {
  const docker = { id: 'there', engine: 'docker', host: null, models: [] };
  for (const found of [[], [docker]]) {
    expect(await clicked(found)).toEqual({ entries: [], deployed: [{ runId: 'r1' }] });
  }
});

it('asks where, if there is one', async () => {
  const mine = { id: 'mine', engine: 'local', host: null, models: [{ name: 'resnet50' }] };
  expect(await clicked([mine])).toEqual({
    entries: ['As a new deployment', 'As the next version in mine'],
    deployed: [],
  });
});

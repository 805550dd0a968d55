// @vitest-environment jsdom
import { expect, it } from 'vitest';
import type { DeployedRun } from '../../../../../main/contract/run/run-state';
import { KeepServing } from '../../../../../renderer/views/run/keep-serving';
import { createClientDouble } from '../../client-double';
import { mount } from '../../mounted';

const verified = {
  runId: 'r1',
  accuracy: { result: { passed: true, metrics: [], sampleCount: 8 } },
  source: { kind: 'deployed', spec: { engine: { kind: 'local' }, configure: { modelName: 'resnet50' } } },
} as unknown as DeployedRun;

async function clicked(found: readonly object[], state = verified, ...then: readonly string[]) {
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
  const question = () => document.querySelector('.confirm')?.getAttribute('aria-label') ?? null;
  const questions = [];
  for (const name of then) {
    await click(button(name));
    questions.push(question());
  }
  const asked = question();
  const entries = [...document.querySelectorAll('[role="menuitem"]')].map(({ textContent }) => textContent);
  unmount();
  return {
    ...{ entries, asked, questions },
    deployed: calls.filter(([name]) => name === 'deployments.deploy').map(([, input]) => input),
  };
}

it('keeps serving at once where no deployment could take another version', async () => {
  const docker = { id: 'there', engine: 'docker', host: null, models: [] };
  for (const found of [[], [docker]]) {
    expect(await clicked(found)).toMatchObject({
      ...{ entries: [], asked: null, deployed: [{ runId: 'r1' }] },
    });
  }
});

it('asks where, if there is one', async () => {
  const mine = { id: 'mine', engine: 'local', host: null, models: [{ name: 'resnet50' }] };
  expect(await clicked([mine])).toMatchObject({
    entries: ['As a new deployment', 'As the next version in mine'],
    deployed: [],
  });
});

it('asks before it serves what was not checked, or failed', async () => {
  const unchecked = { ...verified, accuracy: null };
  expect(await clicked([], unchecked)).toMatchObject({
    asked: 'Accuracy not checked. Serve this model anyway?',
    deployed: [],
  });
  expect(await clicked([], unchecked, 'Cancel')).toMatchObject({ asked: null, deployed: [] });
  const failed = { ...verified, accuracy: { result: { passed: false } } } as unknown as DeployedRun;
  const mine = { id: 'mine', engine: 'local', host: null, models: [{ name: 'resnet50' }] };
  expect(await clicked([mine], failed, 'As the next version in mine', 'Serve anyway')).toMatchObject({
    questions: ['Accuracy failed. Serve this model anyway?', null],
    deployed: [{ runId: 'r1', to: 'mine', allowUnverified: true }],
  });
});

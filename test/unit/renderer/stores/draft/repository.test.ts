import { expect, it } from 'vitest';
import { WorkbenchError } from '../../../../../main/contract/errors';
import type { RepositoryCheck } from '../../../../../main/contract/repository-check';
import { createRepository, mainModelOf } from '../../../../../renderer/stores/draft/repository';
import { checkedModel, repositoryCheck } from '../../../../support/checked-models';
import { createClientDouble } from '../../client-double';

const net = checkedModel();
const whole = checkedModel({ name: 'whole', backend: 'ensemble', steps: ['prepare', 'net'] });
const prepare = checkedModel({ name: 'prepare', backend: 'python' });

it('the main model is the only one that no other is made of or calls', () => {
  expect(mainModelOf([net, prepare, whole])).toBe('whole');
  expect(mainModelOf([net, checkedModel({ name: 'caller', named: ['net'] })])).toBe('caller');
  expect(mainModelOf([net, prepare])).toBeNull();
  expect(mainModelOf([])).toBeNull();
});

it('has the models of a folder, and keeps the chosen one when it is checked again', async () => {
  const answer = { check: repositoryCheck(net, prepare, whole) };
  const { client, calls } = createClientDouble({ 'models.check': () => answer.check });
  const { getState } = createRepository(client);
  await getState().open('/r');
  expect(calls).toEqual([['models.check', { paths: ['/r'] }]]);
  expect(getState()).toMatchObject({ path: '/r', chosen: 'whole', text: '3 models', busy: false });
  getState().loadWith(['net']);
  getState().choose('whole');
  expect(getState().beside).toEqual(['net']);
  getState().choose('net');
  expect(getState()).toMatchObject({ chosen: 'net', beside: [] });
  await getState().open('/r');
  expect(getState().chosen).toBe('net');
  answer.check = repositoryCheck(prepare);
  await getState().open('/r');
  expect(getState()).toMatchObject({ chosen: 'prepare', models: [prepare] });
});

it('says why a folder is none, and forgets an answer about another one', async () => {
  const answers: ((check: RepositoryCheck) => void)[] = [];
  const { client } = createClientDouble({
    'models.check': (input) => {
      const [path] = (input as { paths: readonly string[] }).paths;
      if (path === '/none') throw new WorkbenchError('input-invalid', '/none holds no model');
      return new Promise<RepositoryCheck>((resolve) => answers.push(resolve));
    },
  });
  const { getState } = createRepository(client);
  const late = getState().open('/r');
  await getState().open('/none');
  expect(getState()).toMatchObject({ given: '/none', busy: false, error: { code: 'input-invalid' } });
  answers[0]?.(repositoryCheck(net));
  await late;
  expect(getState()).toMatchObject({ given: '/none', models: [] });
});

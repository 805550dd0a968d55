import { expect, it } from 'vitest';
import type { DeploymentState } from '../../../../../main/contract/deployment/deployment';
import { servingText } from '../../../../../renderer/views/deployments/serving-text';

const names = ['vision', 'speech', 'ranking', 'captions'];
const of = (...states: readonly DeploymentState[]) =>
  servingText(states.map((state, at) => ({ name: names[at] ?? '', state })));

it('names the only deployment with its state', () => {
  expect(of('ready')).toEqual({ text: 'vision is ready', tone: 'good' });
  expect(of('degraded')).toEqual({ text: 'vision is degraded', tone: 'bad' });
  expect(of('failed')).toEqual({ text: 'vision failed', tone: 'bad' });
  expect(of('starting')).toEqual({ text: 'vision is starting', tone: 'info' });
  expect(of('stopped')).toEqual({ text: 'vision is stopped', tone: 'dim' });
  expect(of('unknown')).toEqual({ text: 'The state of vision is unknown', tone: 'bad' });
});

it('says of several how many are ready, and names the only one that is not', () => {
  expect(of('ready', 'ready')).toEqual({ text: 'Both deployments are ready', tone: 'good' });
  expect(of('ready', 'ready', 'ready')).toEqual({ text: 'All 3 deployments are ready', tone: 'good' });
  expect(of('ready', 'stopped')).toEqual({
    ...{ text: '1 of 2 deployments is ready; speech is stopped', tone: 'good' },
  });
  expect(of('ready', 'unknown', 'ready')).toEqual({
    ...{ text: '2 of 3 deployments are ready; the state of speech is unknown', tone: 'warn' },
  });
  expect(of('stopped', 'unknown', 'ready', 'failed')).toEqual({
    ...{ text: '1 of 4 deployments is ready; 1 failed, 1 unknown, 1 stopped', tone: 'warn' },
  });
});

it('says of several of which none is ready what is wrong, and that those that are stopped are', () => {
  expect(of('degraded', 'failed')).toEqual({
    ...{ text: 'No deployment is ready: 1 failed, 1 degraded', tone: 'bad' },
  });
  expect(of('stopped', 'stopped')).toEqual({ text: 'Both deployments are stopped', tone: 'dim' });
  expect(of('stopped', 'stopped', 'stopped')).toEqual({ text: 'All 3 deployments are stopped', tone: 'dim' });
});

it('does not take one that starts for one that failed', () => {
  expect(of('starting', 'stopped')).toEqual({
    ...{ text: 'No deployment is ready: 1 starting, 1 stopped', tone: 'info' },
  });
});

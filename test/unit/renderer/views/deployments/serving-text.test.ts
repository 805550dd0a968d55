import { expect, it } from 'vitest';
import type { DeploymentState } from '../../../../../main/contract/deployment/deployment';
import { servingText } from '../../../../../renderer/views/deployments/serving-text';

const of = (...states: readonly DeploymentState[]) => servingText(states.map((state) => ({ state })));

it('says how many serve, and how the others are', () => {
  expect(of('ready')).toEqual({ text: '1 deployment serves', tone: 'good' });
  expect(of('ready', 'ready')).toEqual({ text: '2 deployments serve', tone: 'good' });
  expect(of('ready', 'stopped')).toEqual({ text: '1 of 2 deployments serve, 1 stopped', tone: 'good' });
  expect(of('stopped', 'unknown', 'ready', 'failed')).toEqual({
    text: '1 of 4 deployments serve, 1 failed, 1 unknown, 1 stopped',
    tone: 'warn',
  });
});

it('names what is wrong where none serves', () => {
  expect(of('degraded')).toEqual({ text: 'No deployment is ready, 1 degraded', tone: 'bad' });
  expect(of('stopped', 'stopped')).toEqual({ text: 'No deployment serves, 2 stopped', tone: 'dim' });
});

it('does not take one that starts for one that failed', () => {
  expect(of('starting', 'stopped')).toEqual({
    text: 'No deployment is ready, 1 starting, 1 stopped',
    tone: 'info',
  });
});

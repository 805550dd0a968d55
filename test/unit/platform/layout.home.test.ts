import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { defaultHome, isHomeFixed } from '../../../main/platform/layout';

const ofUser = `${homedir()}/.local/share/triton-workbench`;

it.each([
  [{ TRITON_WORKBENCH_HOME: '/data/home' }, '/data/home'],
  [{ TRITON_WORKBENCH_HOME: 'home' }, resolve('home')],
  [{ XDG_DATA_HOME: '/data' }, '/data/triton-workbench'],
  [{ XDG_DATA_HOME: 'data' }, ofUser],
  [{ TRITON_WORKBENCH_HOME: '', XDG_DATA_HOME: '' }, ofUser],
])('the home of %j is %s', (env, home) => {
  expect(defaultHome(env)).toBe(home);
});

it('is fixed only where the variable sets another folder than it has without it', () => {
  const env = { XDG_DATA_HOME: '/data', XDG_CONFIG_HOME: '/no/such/folder' };
  expect(isHomeFixed('/data/triton-workbench', env)).toBe(false);
  expect(
    isHomeFixed('/data/triton-workbench', { ...env, TRITON_WORKBENCH_HOME: '/data/triton-workbench' }),
  ).toBe(false);
  expect(isHomeFixed('/data/home', { ...env, TRITON_WORKBENCH_HOME: '/data/home' })).toBe(true);
});

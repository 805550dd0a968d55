import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { defaultHome } from '../../../main/platform/layout';

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

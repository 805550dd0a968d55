import { expect, it } from 'vitest';
import { withProxy } from '../../../main/home/settings-store';

const set = { 'network.proxy': 'http://proxy:3128', 'network.noProxy': '.corp' } as const;

it('is in capitals only, and this machine is never behind it', () => {
  expect(withProxy({ PATH: '/bin' }, set)).toEqual({
    PATH: '/bin',
    HTTP_PROXY: 'http://proxy:3128',
    HTTPS_PROXY: 'http://proxy:3128',
    NO_PROXY: 'localhost,127.0.0.1,::1,.corp',
  });
});
it('leaves what the environment says, and an environment without a proxy', () => {
  const env = { https_proxy: 'http://own:1', NO_PROXY: 'a' };
  expect(withProxy(env, set)).toEqual({ ...env, HTTP_PROXY: 'http://proxy:3128' });
  expect(withProxy(env, { 'network.proxy': null, 'network.noProxy': 'b' })).toBe(env);
});

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { HostStatus } from '../../../main/contract/host/hosts';
import { createHostCalls } from '../../../main/core/machine-calls';
import { createHosts } from '../../../main/hosts/hosts';
import { ngcRegistry } from '../../../main/machine/releases';
import { homeLayout } from '../../../main/platform/layout';
import { rejection } from '../../support/rejection';

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'twb-hosts-'));
});
afterEach(() => rm(home, { recursive: true, force: true }));

const about = { name: 'gpu1', address: 'ssh://gpu1', at: '' };
const reached = (uses: {
  readonly runs: readonly string[] | null;
  readonly deployments: readonly string[] | null;
}): HostStatus => ({
  ...about,
  reachable: true,
  docker: { reachable: false, host: 'ssh://gpu1', reason: 'absent', message: 'none' },
  gpus: null,
  diskFreeBytes: null,
  images: null,
  ...uses,
});

/** The calls with a host of which this was found. */
async function callsFinding(fakeStatus: HostStatus) {
  const hosts = createHosts({ layout: homeLayout(home), env: {}, now: () => new Date(0) });
  await hosts.add({ name: 'gpu1', address: 'ssh://gpu1' });
  const options = {
    home,
    ...{ resources: join(process.cwd(), 'resources'), registry: ngcRegistry },
    version: '',
    env: {},
    workerFile: '',
    readerFile: '',
    printPdf: () => Promise.reject(new Error('prints nothing')),
    electron: null,
  };
  return createHostCalls({ hosts: { ...hosts, status: () => Promise.resolve(fakeStatus) }, options });
}

it.each([
  ['a run is there', reached({ runs: ['run-1'], deployments: [] }), 'run-busy'],
  ['a deployment serves there', reached({ runs: [], deployments: ['vision'] }), 'deployment-busy'],
  ['Docker does not run there', reached({ runs: null, deployments: null }), 'host-unreachable'],
  [
    'it cannot be asked',
    { ...about, reachable: false, reason: 'timeout', message: 'no answer', remedy: 'Start it.' } as const,
    'host-unreachable',
  ],
])('a host stays in the list while %s, unless it is forced', async (_what, status, code) => {
  const calls = await callsFinding(status);
  expect((await rejection(calls['hosts.remove']({ name: 'gpu1', force: false }))).code).toBe(code);
  expect(await calls['hosts.list'](undefined)).toHaveLength(1);
  await calls['hosts.remove']({ name: 'gpu1', force: true });
  expect(await calls['hosts.list'](undefined)).toEqual([]);
});

it('a host that nothing of this home uses is removed', async () => {
  const calls = await callsFinding(reached({ runs: [], deployments: [] }));
  await calls['hosts.remove']({ name: 'gpu1', force: false });
  expect(await calls['hosts.list'](undefined)).toEqual([]);
  expect((await rejection(calls['hosts.remove']({ name: 'gpu1', force: false }))).code).toBe('host-unknown');
});

it('the preflight is of the machine that was found', async () => {
  const calls = await callsFinding(reached({ runs: [], deployments: [] }));
  const { checks } = await calls['hosts.check']({ name: 'gpu1' });
  expect(checks.find(({ id }) => id === 'docker')?.status).toBe('problem');
  expect(checks.find(({ id }) => id === 'tools')?.status).toBe('not-applicable');
});

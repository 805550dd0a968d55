import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Host, HostStatus } from '../../main/contract/host/hosts';
import { createHosts } from '../../main/hosts/hosts';
import { homeLayout } from '../../main/platform/layout';
import { startCli } from '../support/cli';
import { readTestEngine } from '../support/docker';
import { createTestHome, type TestHome } from '../support/home';
import { type SshMachines, startSshMachines } from '../support/ssh-machines';

const engine = await readTestEngine();
const names = Array.from({ length: 20 }, (_, index) => `gpu${index + 1}`);

describe.skipIf(engine === null)('twenty hosts, each a container with an sshd of its own', () => {
  let home: TestHome;
  let machines: SshMachines;
  beforeAll(async () => {
    if (engine === null) return;
    home = await createTestHome();
    machines = await startSshMachines(engine, names);
    const hosts = createHosts({ layout: homeLayout(home.path), env: process.env, now: () => new Date() });
    for (const name of names) await hosts.add({ name, address: `ssh://${name}` });
  });
  afterAll(async () => {
    await machines.stop();
    await home.remove();
  });

  async function listed(): Promise<readonly (Host & { readonly status: HostStatus })[]> {
    const within = ['env', `TRITON_WORKBENCH_SSH_CONFIG=${machines.sshConfig}`];
    const result = await startCli(home.path, ['hosts', 'list', '--json'], within).result;
    expect(result.code, result.stderr).toBe(0);
    return JSON.parse(result.stdout) as readonly (Host & { readonly status: HostStatus })[];
  }

  it('are all asked by one command, in their order', async () => {
    const hosts = await listed();
    expect(hosts.map(({ name }) => name)).toEqual(names);
    for (const { status } of hosts) {
      expect(status).toMatchObject({
        reachable: true,
        docker: { reachable: true, serverVersion: engine?.serverVersion },
      });
    }
  });

  it('one that is switched off is named, and holds no other up', async () => {
    await machines.end('gpu7');
    const hosts = await listed();
    expect(hosts.filter(({ status }) => !status.reachable).map(({ name }) => name)).toEqual(['gpu7']);
  });
});

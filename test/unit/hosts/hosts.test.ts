import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createHosts } from '../../../main/hosts/hosts';
import { homeLayout } from '../../../main/platform/layout';
import { rejection } from '../../support/rejection';

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'twb-hosts-'));
});
afterEach(() => rm(home, { recursive: true, force: true }));

const open = (env: NodeJS.ProcessEnv = {}) =>
  createHosts({
    layout: homeLayout(home),
    // The engine of this machine: no host may lead to it.
    env: { DOCKER_HOST: 'unix:///this/machine', DOCKER_CONTEXT: 'here', ...env },
    now: () => new Date(0),
  });

async function makeContext(config: string, name: string, address: string): Promise<void> {
  const folder = join(config, 'contexts', 'meta', createHash('sha256').update(name).digest('hex'));
  await mkdir(folder, { recursive: true });
  await writeFile(
    join(folder, 'meta.json'),
    JSON.stringify({ Name: name, Endpoints: { docker: { Host: address } } }),
  );
}

describe('hosts', () => {
  it('are added, found by name and removed', async () => {
    const added = await open().add({ name: 'gpu1', address: 'ssh://ada@gpu1' });
    expect(added.addedAt).toBe('1970-01-01T00:00:00.000Z');
    expect(await open().get('gpu1')).toEqual(added);
    const again = await rejection(open().add({ name: 'gpu1', address: 'ssh://other' }));
    expect(again).toMatchObject({ code: 'input-invalid', where: 'name' });
    await open().remove('gpu1');
    expect(await open().list()).toEqual([]);
  });

  it('that nobody added are unknown, and the error has those that are there', async () => {
    const hosts = open();
    expect((await rejection(hosts.get('gpu1'))).remedy).toContain('hosts add');
    await hosts.add({ name: 'gpu1', address: 'ssh://gpu1' });
    await hosts.add({ name: 'gpu2', address: 'ssh://gpu2' });
    const works: readonly (() => Promise<unknown>)[] = [
      () => hosts.get('gpu'),
      () => hosts.link('gpu'),
      () => hosts.ssh('gpu'),
      () => hosts.remove('gpu'),
    ];
    for (const work of works) {
      expect(await rejection(work())).toMatchObject({
        code: 'host-unknown',
        remedy: 'Known hosts: gpu1, gpu2.',
      });
    }
  });

  it('have a Docker Engine each, of their address only', async () => {
    const certificates = join(home, 'certificates');
    await mkdir(certificates);
    for (const name of ['ca', 'cert', 'key']) await writeFile(join(certificates, `${name}.pem`), name);
    await makeContext(home, 'lab', 'ssh://grace@lab:2222');
    const hosts = open({ DOCKER_CONFIG: home });
    await hosts.add({ name: 'a', address: 'ssh://ada@gpu1' });
    await hosts.add({ name: 'b', address: 'tcp://gpu2', certificates });
    await hosts.add({ name: 'c', address: 'context:lab' });
    const address = async (name: string) => (await hosts.link(name)).address();
    expect(await address('a')).toMatchObject({ kind: 'ssh', destination: 'ada@gpu1', port: null });
    expect(await address('b')).toMatchObject({ kind: 'tls', hostname: 'gpu2', port: 2376, key: 'key' });
    expect(await address('c')).toMatchObject({ kind: 'ssh', destination: 'grace@lab', port: 2222 });
    expect(await hosts.ssh('a')).toEqual({ destination: 'ada@gpu1', port: null });
    expect(await hosts.ssh('b')).toBeNull();
    expect((await rejection(hosts.run('b', 'true'))).code).toBe('engine-unavailable');
    expect(await hosts.ssh('c')).toEqual({ destination: 'grace@lab', port: 2222 });
  });

  it('share one link, until the name has another address', async () => {
    const hosts = open();
    await hosts.add({ name: 'a', address: 'ssh://gpu1' });
    const first = await hosts.link('a');
    expect(await hosts.link('a')).toBe(first);
    // Another process changes the list.
    await open().remove('a');
    await open().add({ name: 'a', address: 'ssh://gpu2' });
    expect(await (await hosts.link('a')).address()).toMatchObject({ destination: 'gpu2' });
  });
});

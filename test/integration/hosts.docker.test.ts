import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHosts, type Hosts } from '../../main/hosts/hosts';
import { homeLayout } from '../../main/platform/layout';
import { endSshConnections } from '../../main/platform/ssh/ssh-connection';
import { readTestEngine } from '../support/docker';
import { rejection } from '../support/rejection';
import { sshdProblem, startSshd, type TestSshd } from '../support/sshd';

const engine = await readTestEngine();

describe.skipIf(engine === null || sshdProblem() !== null)('a host with a Docker Engine', () => {
  let sshd: TestSshd;
  let home: string;
  let hosts: Hosts;
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'twb-hosts-'));
    sshd = await startSshd({ DOCKER_HOST: engine?.address.host ?? '' });
    hosts = createHosts({ layout: homeLayout(home), env: sshd.env, now: () => new Date() });
    await hosts.add({ name: 'gpu1', address: 'ssh://gpu1' });
  });
  afterAll(async () => {
    await endSshConnections();
    await sshd.stop();
    await rm(home, { recursive: true, force: true });
  });

  it('answers through ssh, many requests at once in one login', async () => {
    const before = await sshd.logins();
    const { docker, serverVersion } = await (await hosts.link('gpu1')).connect();
    expect(serverVersion).toBe(engine?.serverVersion);
    const answers = await Promise.all(Array.from({ length: 8 }, () => docker.listImages()));
    expect(answers).toHaveLength(8);
    expect(await sshd.logins()).toBe(before + 1);
  });

  it('is unreachable when its line is cut, and reached again', async () => {
    const link = await hosts.link('gpu1');
    const { docker } = await link.connect();
    const events = await docker.getEvents();
    const over = new Promise((resolve) => {
      for (const end of ['end', 'close', 'error', 'aborted']) events.once(end, resolve);
    });
    events.resume();
    await sshd.cut();
    await over;
    expect(await (await hosts.link('gpu1')).facts()).toMatchObject({ reachable: true });
  });

  it('says what to do where its key is not known', async () => {
    await endSshConnections();
    await sshd.forgetHostKey();
    const error = await rejection((await hosts.link('gpu1')).reconnect());
    expect(error.code).toBe('docker-unreachable');
    expect(error.remedy).toContain('compare the fingerprint');
  });
});

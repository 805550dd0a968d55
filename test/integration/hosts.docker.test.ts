import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDockerLink } from '../../main/docker/docker-link';
import { thisMachine } from '../../main/engine/engine';
import { createSchedulers } from '../../main/engine/engine-registry';
import { createEngines } from '../../main/engine/engines';
import { createHosts, type Hosts } from '../../main/hosts/hosts';
import { ngcRegistry } from '../../main/machine/releases';
import { homeLayout } from '../../main/platform/layout';
import { processesWhere } from '../../main/platform/process';
import { endSshConnections } from '../../main/platform/ssh/ssh-connection';
import { createSetup } from '../../main/setup/setup';
import { startCli } from '../support/cli';
import { ensureIdleImage, idleBody, readTestEngine } from '../support/docker';
import { repository } from '../support/home';
import { rejection } from '../support/rejection';
import { sshdProblem, startSshd, type TestSshd } from '../support/sshd';
import { until } from '../support/until';

const configVariable = 'TRITON_WORKBENCH_SSH_CONFIG';
const engine = await readTestEngine();

describe.skipIf(engine === null || sshdProblem() !== null)('a host with a Docker Engine', () => {
  let sshd: TestSshd;
  let home: string;
  let hosts: Hosts;
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'twb-hosts-'));
    const programs = await mkdtemp(join(home, 'programs-'));
    await writeFile(
      join(programs, 'nvidia-smi'),
      `#!/bin/sh\ncat '${join(repository, 'test', 'fixtures', 'nvidia-smi', 'tesla-t4.xml')}'\n`,
      { mode: 0o755 },
    );
    sshd = await startSshd({
      DOCKER_HOST: engine?.address.host ?? '',
      PATH: `${programs}:${process.env['PATH'] ?? ''}`,
    });
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

  it('is one device by whatever name, and this machine where the engine is its own', async () => {
    await hosts.add({ name: 'other-name', address: 'ssh://other-name' });
    const devicesOf = async (local: string | undefined) => {
      const layout = homeLayout(home);
      const env = { ...sshd.env, DOCKER_HOST: local };
      const docker = createDockerLink({ env, instanceFile: layout.instance });
      const engines = createEngines({
        ...{
          layout,
          env,
          docker,
          hosts,
          resources: 'resources',
          registry: ngcRegistry,
          workerFile: '/nowhere/load-worker.cjs',
        },
        setup: createSetup({ layout, resources: 'resources', env }),
        schedulerOf: createSchedulers({ layout, env, hosts }),
        prepareImage: () => Promise.reject(new Error('no image is needed here')),
      });
      const on = (host?: string) => ({
        ...{ kind: 'docker' as const, gpus: [], shmSizeMiB: 64 },
        ...(host === undefined ? {} : { host }),
      });
      return Promise.all([on(), on('gpu1'), on('other-name')].map((spec) => engines.deviceOf(spec, null)));
    };
    try {
      expect(new Set(await devicesOf(engine?.address.host))).toEqual(new Set([thisMachine]));
      const { ID = '', Name = '' } = ((await engine?.docker.info()) ?? {}) as { ID?: string; Name?: string };
      expect(ID).not.toBe('');
      const there = `engine ${ID} of ${Name}`;
      // Without an engine of its own this machine is not known to be that one.
      expect(await devicesOf('unix:///nowhere.sock')).toEqual([thisMachine, there, there]);
      expect((await devicesOf('ssh://gpu1'))[0]).toBe(there);
    } finally {
      await hosts.remove('other-name');
    }
  });

  it('says what it has: GPUs, Docker, disk, images, and what of this home runs there', async () => {
    const { docker } = engine ?? {};
    if (docker === undefined) throw new Error('no engine');
    const instance = await (await hosts.link('gpu1')).instance();
    const image = await ensureIdleImage(docker);
    const { id } = await docker.createContainer(idleBody(image, { instance, key: 'of a host' }));
    try {
      await docker.getContainer(id).start();
      const status = await hosts.status(await hosts.get('gpu1'));
      expect(status).toMatchObject({
        reachable: true,
        docker: { reachable: true, serverVersion: engine?.serverVersion },
        gpus: { gpus: [{ name: 'Tesla T4' }] },
        runs: ['run-of-a-test'],
        deployments: [],
      });
      if (!status.reachable) throw new Error(status.message);
      expect(status.images).toBeGreaterThan(0);
      expect(status.diskFreeBytes).toBeGreaterThan(0);
    } finally {
      await docker.getContainer(id).remove({ force: true });
    }
  });

  it('is one of twenty-one that are asked at once, with one login each', async () => {
    const many = Array.from({ length: 20 }, (_, index) => `many-${index + 1}`);
    for (const name of many) await hosts.add({ name, address: `ssh://${name}` });
    const before = await sshd.logins();
    const listed = await hosts.list();
    const statuses = await Promise.all(listed.map((host) => hosts.status(host)));
    expect(statuses.filter(({ reachable }) => reachable)).toHaveLength(21);
    // That of gpu1 is there already.
    expect(await sshd.logins()).toBe(before + 20);
    for (const name of many) await hosts.remove(name);
  });

  it('is listed by the command line, which leaves no process of ssh behind', async () => {
    const { code, stdout } = await startCli(home, ['hosts', 'list', '--json'], [], sshd.env).result;
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject([{ name: 'gpu1', status: { reachable: true } }]);
    await endSshConnections();
    const config = sshd.env[configVariable];
    await until('no ssh is left', async () => {
      return (await processesWhere(configVariable, (value) => value === config)).length === 0;
    });
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

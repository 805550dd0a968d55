import { randomBytes } from 'node:crypto';
import type Docker from 'dockerode';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { DockerClient } from '../../main/docker/client';
import {
  createContainer,
  inspectContainer,
  removeContainer,
  startContainer,
} from '../../main/docker/container-life';
import { runContainer } from '../../main/docker/run-container';
import { ensureNetwork, networkName, removeNetworks } from '../../main/docker/run-network';
import { ensureIdleImage, idleBody, readTestEngine } from '../support/docker';
import { rejection } from '../support/rejection';

const engine = await readTestEngine();
const instance = randomBytes(8).toString('hex');
const { signal } = new AbortController();
let image = '';

function own(): DockerClient {
  if (engine === null) throw new Error('no engine');
  return engine;
}

const run = (runId: string) => ({ instance, runId, runDir: `/nowhere/${runId}` });
const ensure = (runId: string) => ensureNetwork(own(), run(runId), { signal });
const ownNetworks = async () =>
  (await own().docker.listNetworks())
    .map(({ Name }) => Name)
    .filter((name) => name.includes(instance.slice(0, 6)));

let created = 0;
const nextName = () => `twb-${instance.slice(0, 6)}-${(created += 1)}`;

/** A container of the instance on a network, as Triton is: its port is published on loopback. */
function body(networkMode: string, command: readonly string[]): Docker.ContainerCreateOptions {
  const idle = idleBody(image, { instance, key: nextName() });
  return {
    ...idle,
    Cmd: [...command],
    ExposedPorts: { '8000/tcp': {} },
    HostConfig: {
      ...idle.HostConfig,
      NetworkMode: networkMode,
      PortBindings: { '8000/tcp': [{ HostIp: '127.0.0.1', HostPort: '' }] },
    },
  };
}

/** Answers on port 8000 of all its addresses, as Triton does. */
async function startServer(network: string) {
  const id = await createContainer(
    own(),
    nextName(),
    body(network, ['httpd', '-f', '-p', '8000', '-h', '/']),
    {
      signal,
    },
  );
  await startContainer(own(), id, { signal });
  const found = await inspectContainer(own(), id);
  const port = (found?.NetworkSettings.Ports['8000/tcp'] as { HostPort: string }[] | undefined)?.[0]
    ?.HostPort;
  return { id, ip: found?.NetworkSettings.Networks[network]?.IPAddress ?? '', port: port ?? '' };
}

/** Whether another container, on that network, is answered by the server. */
async function isReached(ip: string, network: string): Promise<boolean> {
  const command = ['nc', '-w', '2', ip, '8000'];
  const probe = { ...body(network, command), ExposedPorts: {} };
  const end = await runContainer({
    client: own(),
    name: nextName(),
    body: { ...probe, HostConfig: { ...probe.HostConfig, PortBindings: {} } },
    signal,
    onTrouble: () => undefined,
    onLine: () => undefined,
  });
  return end.exitCode === 0;
}

describe.runIf(engine !== null)('the network of a run', () => {
  beforeAll(async () => {
    image = await ensureIdleImage(own().docker);
  });
  afterEach(async () => {
    const filters = { label: [`triton-workbench.instance=${instance}`] };
    for (const { Id } of await own().docker.listContainers({ all: true, filters })) {
      await removeContainer(own(), Id);
    }
  });
  afterAll(async () => {
    if (engine === null) return;
    await removeNetworks(own(), instance, () => true);
    expect(await ownNetworks()).toEqual([]);
  });

  it('leads from this machine to a published port, and from no other container', async () => {
    const [one, other] = [await ensure('one'), await ensure('other')];
    const server = await startServer(one);
    const answer = await fetch(`http://127.0.0.1:${server.port}/bin/busybox`);
    expect(answer.status).toBe(200);
    await answer.body?.cancel();
    for (const from of [one, other, 'bridge']) expect(await isReached(server.ip, from), from).toBe(false);
    // The same on the default bridge, where it was before: the probe can tell.
    const open = await startServer('bridge');
    expect(await isReached(open.ip, 'bridge')).toBe(true);
  });

  it('is made once, and goes with its run and no other, once nothing is on it', async () => {
    expect(await ensure('one')).toBe(await ensure('one'));
    await ensure('other');
    await startServer(networkName(run('other')));
    const isOf = (runId: string) => (left: { readonly runId: string }) => left.runId === runId;
    expect(await removeNetworks(own(), instance, isOf('one'))).toEqual([networkName(run('one'))]);
    expect(await removeNetworks(own(), instance, isOf('other'))).toEqual([]);
    expect(await removeNetworks(own(), `${instance.slice(1)}0`, () => true)).toEqual([]);
    expect(await ownNetworks()).toEqual([networkName(run('other'))]);
  });

  it('of somebody else under the name is neither used nor removed', async () => {
    const Name = networkName(run('taken'));
    const theirs = await own().docker.createNetwork({ Name });
    try {
      const error = await rejection(ensure('taken'));
      expect([error.code, error.message]).toEqual([
        'docker-failed',
        `The name ${Name} belongs to another network`,
      ]);
      expect(await removeNetworks(own(), instance, ({ runId }) => runId === 'taken')).toEqual([]);
    } finally {
      await theirs.remove();
    }
  });
});

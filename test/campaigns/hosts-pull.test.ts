import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DockerClient } from '../../main/docker/client';
import { wantedImages } from '../../main/engine/docker/run-images';
import { ngcRegistry } from '../../main/machine/releases';
import { documentOf } from '../support/cli';
import { readTestEngine } from '../support/docker';
import { repository } from '../support/home';
import { registryProgram } from '../support/local-registry';
import { type HomeWithHosts, startHomeWithHosts } from '../support/two-hosts';

const engine = await readTestEngine();
/** Beside the engine that pulls from it: what is cut is the line to both. */
const registry = '127.0.0.1:5000';
const reference = `${registry}/client:1`;
/** Seconds to pull, whatever the disk. */
const layerMiB = 600;

/** What the engine says of a pull or a push, to its end. */
async function ended({ docker }: DockerClient, stream: NodeJS.ReadableStream): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    docker.modem.followProgress(stream, (error: Error | null, events: { readonly error?: string }[]) => {
      const failure = error ?? events.find((event) => event.error !== undefined)?.error;
      if (failure === undefined) resolve();
      else reject(failure instanceof Error ? failure : new Error(failure));
    });
  });
}

describe.skipIf(engine === null || registryProgram === null)('a host with a registry beside it', () => {
  let hosts: HomeWithHosts;
  let folder: string;
  let server: ReturnType<typeof spawn> | null = null;

  /** The client image of a run with a large layer, in the registry and not on the engine. */
  async function offerImage(client: DockerClient, base: string): Promise<void> {
    const { docker } = client;
    const user = (await docker.getImage(base).inspect()).Config.User;
    const container = await docker.createContainer({
      Image: base,
      User: '0',
      Cmd: ['dd', 'if=/dev/urandom', 'of=/layer', 'bs=1M', `count=${layerMiB}`],
    });
    await container.start();
    await container.wait();
    await container.commit({ repo: `${registry}/client`, tag: '1', changes: `USER ${user}` });
    await container.remove();
    const image = docker.getImage(reference);
    await ended(client, await image.push({ authconfig: { username: '', password: '' } }));
    await image.remove();
  }

  beforeAll(async () => {
    if (engine === null || registryProgram === null) return;
    hosts = await startHomeWithHosts(engine, [{ name: 'e', number: 65 }]);
    folder = await mkdtemp(join(tmpdir(), 'twb-registry-'));
    const config = join(folder, 'config.yml');
    const storage = { filesystem: { rootdirectory: join(folder, 'data') } };
    // JSON is YAML.
    await writeFile(config, JSON.stringify({ version: '0.1', storage, http: { addr: registry } }));
    const inside = ['--net=/run/netns/twb-e', registryProgram, 'serve', config];
    server = spawn('nsenter', inside, { stdio: 'ignore' });
    await sleep(2000);
    const images = await wantedImages(
      { kind: 'docker', gpus: [], shmSizeMiB: 64 },
      { resources: join(repository, 'resources'), registry: ngcRegistry },
    );
    await offerImage(hosts.host('e').client, images.client.reference);
  });
  afterAll(async () => {
    server?.kill('SIGKILL');
    await hosts.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('pulls again once the line is back that was cut for 30 s in a pull', async () => {
    const host = hosts.host('e');
    const started = hosts.start([
      ...['run', 'resnet50', '--profile', 'quick', '--host', 'e', '--client-image', reference],
      ...['--batch-sizes', '1', '--concurrency', '1', '--json', '--verbose'],
    ]);
    await started.line(/Pulling /);
    await sleep(1000);
    host.cut();
    // It is not there yet, or nothing was cut.
    await expect(host.client.docker.getImage(reference).inspect()).rejects.toMatchObject({ statusCode: 404 });
    await sleep(30_000);
    host.mend();
    const result = await started.result;
    expect(result.code, result.stderr.slice(-3000)).toBe(0);
    const { offline, online } = documentOf(result);
    expect([offline.length, online.length]).toEqual([1, 1]);
    expect(await hosts.left('e')).toEqual([]);
  });
});

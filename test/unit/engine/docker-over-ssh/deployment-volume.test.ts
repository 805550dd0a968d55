import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { extract } from 'tar-stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DockerClient } from '../../../../main/docker/client';
import { DeploymentVolume } from '../../../../main/engine/docker-over-ssh/deployment-volume';
import { exists } from '../../../../main/platform/files';
import { rejection } from '../../../support/rejection';

const instance = '0123456789abcdef';
const listener = { signal: new AbortController().signal, say: () => undefined };
const refusal = (statusCode: number) => Object.assign(new Error(`status ${statusCode}`), { statusCode });

async function pathsIn(tar: Readable): Promise<readonly string[]> {
  const paths: string[] = [];
  const entries = tar.pipe(extract());
  for await (const entry of entries) {
    if (entry.header.type === 'file') paths.push(entry.header.name.replace(/^files\//, ''));
    entry.resume();
  }
  return paths;
}

interface Made {
  readonly Name: string;
  readonly Labels: Record<string, string>;
}

/** An engine that keeps what it is asked to make, and fails where a test says so. */
class Engine {
  readonly volumes = new Map<string, Made>();
  readonly containers = new Map<string, Made>();
  readonly sent: (readonly string[])[] = [];
  fails: { put?: Error; removeVolume?: Error; removeContainer?: Error } = {};

  readonly client = {
    address: { kind: 'ssh', host: 'ssh://rack' },
    docker: {
      createVolume: (made: Made) => Promise.resolve(this.volumes.set(made.Name, made)),
      listVolumes: () => Promise.resolve({ Volumes: [...this.volumes.values()] }),
      getVolume: (name: string) => ({
        remove: () =>
          this.fails.removeVolume === undefined
            ? Promise.resolve(this.volumes.delete(name))
            : Promise.reject(this.fails.removeVolume),
      }),
      createContainer: ({ name, Labels }: { name: string; Labels: Made['Labels'] }) => {
        this.containers.set(name, { Name: name, Labels });
        return Promise.resolve({ id: name });
      },
      listContainers: () =>
        Promise.resolve(
          [...this.containers.values()].map(({ Name, Labels }) => ({
            ...{ Id: Name, Names: [`/${Name}`], Image: '', ImageID: '', State: 'created', Status: '' },
            ...{ Created: 0, Labels },
          })),
        ),
      getContainer: (id: string) => ({
        putArchive: async (tar: Readable) => {
          this.sent.push(await pathsIn(tar));
          if (this.fails.put !== undefined) throw this.fails.put;
        },
        remove: () =>
          this.fails.removeContainer === undefined
            ? Promise.resolve(this.containers.delete(id))
            : Promise.reject(this.fails.removeContainer),
        inspect: () => Promise.reject(refusal(404)),
      }),
    },
  } as unknown as DockerClient;
}

let dir: string;
let engine: Engine;
const config = () => join(dir, 'models', 'resnet50', 'config.pbtxt');
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'twb-volume-'));
  await mkdir(join(dir, 'models', 'resnet50'), { recursive: true });
  await writeFile(config(), 'first');
  engine = new Engine();
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const volume = () =>
  new DeploymentVolume({
    ...{ client: engine.client, instance, image: 'sha256:0', user: '1000:1000' },
    deployment: { id: 'resnet50' },
    paths: { dir, repository: join(dir, 'models') },
    facts: { memoryBytes: 2 ** 30, rootless: false, remapsUsers: false, gpuAccess: 'runtime' },
  });

describe('the model repository of a deployment on a host', () => {
  it('is sent again where a transfer was cut, also where here is what was there before', async () => {
    await volume().sync(listener);
    await volume().sync(listener);
    expect(engine.sent).toEqual([['resnet50/config.pbtxt']]);

    await writeFile(config(), 'second');
    engine.fails = { put: refusal(400) };
    expect((await rejection(volume().sync(listener))).code).toBe('docker-failed');
    engine.fails = {};
    await writeFile(config(), 'first');
    await volume().sync(listener);
    await volume().sync(listener);
    expect(engine.sent.slice(1)).toEqual([['resnet50/config.pbtxt'], ['resnet50/config.pbtxt']]);
    expect(engine.volumes.size).toBe(1);
  });

  it('is removed with the container of a transfer that was cut', async () => {
    engine.fails = { put: refusal(400), removeContainer: refusal(400) };
    await rejection(volume().sync(listener));
    expect([engine.volumes.size, engine.containers.size]).toEqual([1, 1]);
    engine.fails = {};
    await volume().remove();
    expect([engine.volumes.size, engine.containers.size]).toEqual([0, 0]);
    expect(await exists(join(dir, 'volume.json'))).toBe(false);
  });

  it.each([
    ['the engine is away', Object.assign(new Error('away'), { code: 'ECONNRESET' }), 'docker-unreachable'],
    ['a container has it', refusal(409), 'docker-failed'],
  ])('is not taken for removed where %s', async (_why, removeVolume, code) => {
    await volume().sync(listener);
    engine.fails = { removeVolume };
    expect((await rejection(volume().remove())).code).toBe(code);
    expect(await exists(join(dir, 'volume.json'))).toBe(true);
    engine.fails = {};
    await volume().remove();
    expect(engine.volumes.size).toBe(0);
  });
});

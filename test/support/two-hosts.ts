import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { DockerClient } from '../../main/docker/client';
import { imageIsThere } from '../../main/docker/images/prepare-image';
import { imageNamesOf, wantedImages } from '../../main/engine/docker/run-images';
import { createHosts } from '../../main/hosts/hosts';
import { ngcRegistry } from '../../main/machine/releases';
import { homeLayout } from '../../main/platform/layout';
import { type CliRun, startCli } from './cli';
import { createTestHome, repository, type TestHome } from './home';
import { type RemoteHost, startRemoteHost } from './remote-host';

type HostInput = Parameters<typeof startRemoteHost>[0];

/** A workbench home with hosts in its list, each with a Docker Engine and an sshd of its own. */
export interface HomeWithHosts {
  readonly home: TestHome;
  host(name: string): RemoteHost;
  /** The command line in the home. @param more further variables of its environment, as NAME=VALUE */
  start(args: readonly string[], more?: readonly string[]): CliRun;
  /** Containers of runs on the host, and volumes that are a run's. */
  left(name: string): Promise<readonly string[]>;
  stop(): Promise<void>;
}

const models = {
  pyt: { framework: 'pyt', format: 'onnx' },
  tf: { framework: 'tf', format: 'tf-savedmodel' },
} as const;

/** Images of runs with models of these frameworks. */
export async function imagesOfRuns(frameworks: readonly (keyof typeof models)[]): Promise<readonly string[]> {
  const source = { resources: join(repository, 'resources'), registry: ngcRegistry };
  const names = frameworks.map(async (framework) =>
    imageNamesOf(await wantedImages({ kind: 'docker', gpus: [], shmSizeMiB: 64 }, source, models[framework])),
  );
  return [...new Set((await Promise.all(names)).flat())];
}

/** Those that the engine of this machine has go to the host; nothing is pulled or built there. */
async function copyImages(from: DockerClient, to: RemoteHost, names: readonly string[]): Promise<void> {
  for (const name of names) {
    if (!(await imageIsThere(from, name))) continue;
    const image = await from.docker.getImage(name).get();
    const loaded = await to.client.docker.loadImage(Readable.from(image));
    await new Promise((resolve, reject) => {
      loaded.on('data', () => undefined);
      loaded.once('end', resolve);
      loaded.once('error', reject);
    });
  }
}

/** Starts the hosts; only root can. @param engine the engine of this machine, which has the images of a run */
export async function startHomeWithHosts(
  engine: DockerClient,
  inputs: readonly HostInput[],
  frameworks: readonly (keyof typeof models)[] = ['pyt'],
): Promise<HomeWithHosts> {
  const folder = await mkdtemp(join(tmpdir(), 'twb-two-hosts-'));
  const home = await createTestHome(['electron']);
  const hosts = new Map<string, RemoteHost>();
  const stop = async () => {
    for (const host of hosts.values()) await host.stop();
    await home.remove();
    await rm(folder, { recursive: true, force: true });
  };
  const host = (name: string): RemoteHost => {
    const found = hosts.get(name);
    if (found === undefined) throw new Error(`there is no host ${name}`);
    return found;
  };
  try {
    for (const input of inputs) hosts.set(input.name, await startRemoteHost(input));
    await writeFile(join(folder, 'config'), [...hosts.values()].map(({ sshConfig }) => sshConfig).join('\n'));
    const list = createHosts({ layout: homeLayout(home.path), env: process.env, now: () => new Date() });
    for (const [name, one] of hosts) {
      await list.add({ name, address: `ssh://${name}` });
      await copyImages(engine, one, await imagesOfRuns(frameworks));
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    home,
    host,
    start: (args, more = []) =>
      startCli(home.path, args, ['env', `TRITON_WORKBENCH_SSH_CONFIG=${join(folder, 'config')}`, ...more]),
    left: async (name) => {
      const { docker } = host(name).client;
      const containers = (await docker.listContainers({ all: true })).flatMap(({ Names }) => Names);
      const volumes = ((await docker.listVolumes()).Volumes as { Name: string }[] | null) ?? [];
      return [
        ...containers,
        ...volumes.map(({ Name }) => Name).filter((volume) => !volume.includes('-files-')),
      ];
    },
    stop,
  };
}

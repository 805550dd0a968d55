import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type Docker from 'dockerode';
import { pack } from 'tar-stream';
import { readDockerAddress } from '../../main/docker/address';
import { connectDocker, type DockerClient } from '../../main/docker/client';
import { containerBody } from '../../main/docker/container-body';
import { type ContainerLabels, formatLabels, labelNames } from '../../main/docker/containers';

const idleTag = 'triton-workbench-test/idle:1';

/**
 * The engine that the tests work with. Without one: null after the reason was printed, so that its tests are skipped;
 * where CI is set that is a failure.
 */
export async function readTestEngine(): Promise<DockerClient | null> {
  try {
    return await connectDocker(await readDockerAddress(process.env), process.env);
  } catch (error) {
    if ((process.env['CI'] ?? '') !== '') throw error;
    process.stderr.write(`Tests with Docker are skipped: ${(error as Error).message}\n`);
    return null;
  }
}

async function readStaticBusybox(): Promise<Buffer> {
  const folders = (process.env['PATH'] ?? '').split(':');
  for (const path of [...folders, '/bin', '/usr/bin'].map((folder) => join(folder, 'busybox'))) {
    try {
      await access(path);
      const bytes = await readFile(path);
      // A program that names an interpreter is linked to libraries that the image has not.
      if (!bytes.subarray(0, 4096).includes('/ld-')) return bytes;
    } catch {
      // Not in this folder.
    }
  }
  throw new Error('The test image is made of a static busybox: apt-get install busybox-static');
}

/** An image of one static busybox, made from this machine's own without a registry. Gives its id, "sha256:…". */
export async function ensureIdleImage(docker: Docker): Promise<string> {
  const known = await docker
    .getImage(idleTag)
    .inspect()
    .catch(() => null);
  if (known !== null) return known.Id;
  const archive = pack();
  for (const name of ['bin', 'dev', 'etc', 'proc', 'sbin', 'sys', 'tmp']) {
    // runc gives a tmpfs the mode of the folder beneath it.
    archive.entry({ name, type: 'directory', mode: name === 'tmp' ? 0o1777 : 0o755 });
  }
  archive.entry({ name: 'bin/busybox', mode: 0o755 }, await readStaticBusybox());
  archive.finalize();
  const [repo, tag] = idleTag.split(':');
  const answer: NodeJS.ReadableStream = await docker.importImage(Readable.from(archive), { repo, tag });
  await new Promise((resolve, reject) => {
    docker.modem.followProgress(answer, (error: Error | null) => {
      if (error === null) resolve(undefined);
      else reject(error);
    });
  });
  return (await docker.getImage(idleTag).inspect()).Id;
}

/** The body of a container of this workbench that sleeps when it is started. */
export function idleBody(image: string, labels: Pick<ContainerLabels, 'instance' | 'key'>) {
  return containerBody({
    image,
    command: ['/bin/busybox', 'sleep', '3600'],
    env: {},
    workingDir: '/',
    user: '1000:1000',
    mounts: [],
    labels: {
      role: 'client',
      runId: 'run-of-a-test',
      runDir: '/nowhere',
      step: 'offline',
      adoptable: false,
      server: '',
      gpus: [],
      ...labels,
    },
    network: { kind: 'none' },
    gpus: [],
    rootless: false,
    remapsUsers: false,
    gpuAccess: 'runtime',
    sharedMemory: { kind: 'own', bytes: 64 * 2 ** 20, shareable: false },
    memoryBytes: 64 * 2 ** 20,
  });
}

/** Containers that look like those of the instance and are not; gives their ids. */
export async function createDecoys(
  docker: Docker,
  image: string,
  instance: string,
  count: number,
): Promise<string[]> {
  const own = formatLabels({
    instance,
    role: 'client',
    runId: 'run-of-a-test',
    runDir: '/nowhere',
    step: 'offline',
    key: 'decoy',
    adoptable: false,
    server: '',
    gpus: [],
  });
  const without = (name: string) => Object.fromEntries(Object.entries(own).filter(([key]) => key !== name));
  const similarLabels: readonly Record<string, string>[] = [
    { ...own, [labelNames.instance]: `${instance}0` },
    without(labelNames.schema),
    without(labelNames.role),
    { ...own, [labelNames.schema]: '2' },
    Object.fromEntries(Object.entries(own).map(([key, value]) => [`x-${key}`, value])),
  ];
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const Labels = similarLabels[index % similarLabels.length] ?? {};
    const name = `twb-${instance}0-${index}`;
    const body = { name, Image: image, Cmd: ['/bin/busybox', 'sleep', '3600'], Labels };
    ids.push((await docker.createContainer(body)).id);
  }
  return ids;
}

/** All that the engine says of these containers, to be compared with what it says later. */
export async function evidence(docker: Docker, ids: readonly string[]): Promise<unknown[]> {
  return Promise.all(ids.map((id) => docker.getContainer(id).inspect()));
}

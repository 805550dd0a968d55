import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type Docker from 'dockerode';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { DockerEngineSpec, PerformanceSpec } from '../../main/contract/run/run-spec';
import type { DockerClient } from '../../main/docker/client';
import { createContainer, removeContainer, startContainer } from '../../main/docker/container-life';
import { labelNames } from '../../main/docker/containers';
import { readImageRecipe } from '../../main/docker/images/known-images';
import { runContainer } from '../../main/docker/run-container';
import { ensureNetwork, networkName, removeNetworks } from '../../main/docker/run-network';
import { tritonCommand } from '../../main/engine/docker/triton-command';
import { startTritonContainer } from '../../main/engine/docker/triton-container';
import { createTritonClient } from '../../main/triton/client';
import { memoryProbe, stepProbe } from '../support/container-probe';
import { readTestEngine } from '../support/docker';
import { repository } from '../support/home';
import { rejection } from '../support/rejection';
import { containersHere, quietFiles } from '../support/run-containers';
import { specFixture } from '../support/run-state';

const engine = await readTestEngine();
const resources = join(repository, 'resources');
const instance = randomBytes(8).toString('hex');
const memoryBytes = 4 * 2 ** 30;
let home: string;
let images: { readonly triton: string; readonly client: string };

function own(): DockerClient {
  if (engine === null) throw new Error('no engine');
  return engine;
}

/** A run with a folder of its own, as the pipeline lays it out. */
async function createRun(
  runId: string,
  more: Partial<DockerEngineSpec> = {},
  sharedMemory: PerformanceSpec['sharedMemory'] = 'none',
) {
  const dir = join(home, runId);
  const models = join(dir, 'steps', 'configure', 'model-repository');
  for (const folder of [models, join(dir, 'steps', 'offline'), join(dir, 'results')]) {
    await mkdir(folder, { recursive: true });
  }
  await writeFile(join(dir, 'journal.jsonl'), '');
  const { containers, files } = containersHere({
    facts: { memoryBytes, rootless: false, remapsUsers: false, gpuAccess: 'runtime' },
    instance,
    run: { runId, dir, framework: 'pyt' as const, step: () => 'offline' },
    spec: specFixture((spec) => {
      spec.performance.sharedMemory = sharedMemory;
    }),
    engine: { kind: 'docker', gpus: [], shmSizeMiB: 64, ...more },
    resources,
    bundles: join(repository, 'out', 'main'),
  });
  const mounts = await files.openClient(quietFiles);
  const log: string[] = [];
  const { signal } = new AbortController();
  const startTriton = async (ports: { httpPort?: number } = {}, repositoryKey = 'empty') => {
    const network = await ensureNetwork(own(), { instance, runId, runDir: dir }, { signal });
    const plan = containers.triton({
      image: images.triton,
      command: tritonCommand({ builtHere: true, gpus: false }),
      mount: await files.openRepository(models, quietFiles),
      repositoryKey,
      network,
    });
    return startTritonContainer(own(), plan, {
      runId,
      key: repositoryKey,
      repository: models,
      logPath: join(dir, 'steps', 'offline', 'triton.log'),
      signal,
      onLog: (lines) => log.push(...lines),
      onCommand: () => undefined,
      ...ports,
    });
  };
  return { dir, containers, mounts, startTriton, log, signal };
}

async function left(): Promise<readonly string[]> {
  const all = await own().docker.listContainers({
    all: true,
    filters: { label: [`${labelNames.instance}=${instance}`] },
  });
  return all.map(({ Id }) => Id);
}

/** An empty list is null for some engines. */
const listed = (...lists: readonly unknown[]): unknown[] => lists.flatMap((list) => list ?? []);

/** What the engine says of a container's walls. */
function hardening({ Config, HostConfig, Mounts }: Docker.ContainerInspectInfo) {
  const bindings = HostConfig.PortBindings as Record<string, { HostIp: string }[]> | null;
  return {
    root: /^(?:0|root)?(?::|$)/.test(Config.User),
    privileged: HostConfig.Privileged,
    capAdd: listed(HostConfig.CapAdd),
    capDrop: listed(HostConfig.CapDrop),
    securityOpt: listed(HostConfig.SecurityOpt),
    readonlyRootfs: HostConfig.ReadonlyRootfs,
    pidsLimit: HostConfig.PidsLimit,
    memory: HostConfig.Memory,
    restartPolicy: HostConfig.RestartPolicy?.Name,
    autoRemove: HostConfig.AutoRemove,
    ipcMode: HostConfig.IpcMode,
    pidMode: HostConfig.PidMode,
    networkMode: HostConfig.NetworkMode,
    devices: listed(HostConfig.Devices, HostConfig.DeviceRequests),
    hostAddresses: [
      ...new Set(Object.values(bindings ?? {}).flatMap((all) => all.map(({ HostIp }) => HostIp))),
    ],
    mounts: Mounts.filter(({ Type }) => Type !== 'tmpfs')
      .map((mount) => `${mount.Type} ${mount.Source} ${mount.Destination} ${mount.RW ? 'rw' : 'ro'}`)
      .sort(),
  };
}

const walls = {
  root: false,
  privileged: false,
  capAdd: [],
  capDrop: ['ALL'],
  securityOpt: ['no-new-privileges:true'],
  readonlyRootfs: true,
  pidsLimit: 4096,
  memory: Math.floor(memoryBytes * 0.9),
  restartPolicy: 'no',
  autoRemove: false,
  ipcMode: 'private',
  pidMode: '',
  devices: [],
};

const clientMounts = (dir: string) =>
  [
    `bind ${dir} /workbench/run ro`,
    `bind ${dir}/results /workbench/run/results rw`,
    `bind ${dir}/steps/offline /workbench/run/steps/offline rw`,
    `bind ${resources} /workbench/resources ro`,
    `bind ${repository}/out/main /workbench/app ro`,
  ].sort();

describe.skipIf(engine === null)('containers of a run, on a real engine', () => {
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'twb-containers-'));
    const idOf = async (image: 'triton-cpu' | 'client-cpu') => {
      const { reference } = await readImageRecipe(resources, image);
      return (await own().docker.getImage(reference).inspect()).Id;
    };
    images = { triton: await idOf('triton-cpu'), client: await idOf('client-cpu') };
  });
  afterEach(async () => {
    const ids = await left();
    for (const id of ids) await removeContainer(own(), id);
    await removeNetworks(own(), instance, () => true);
    expect(ids).toEqual([]);
  });
  afterAll(() => rm(home, { recursive: true, force: true }));

  it('8 Tritons started at once have ports of their own on loopback, are all ready, and go again', async () => {
    const runs = await Promise.all(Array.from({ length: 8 }, (_, index) => createRun(`parallel-${index}`)));
    const starts = await Promise.allSettled(runs.map((run) => run.startTriton()));
    const servers = starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []));
    try {
      expect(starts.flatMap((start) => (start.status === 'rejected' ? [String(start.reason)] : []))).toEqual(
        [],
      );
      const addresses = servers.flatMap((server) => [
        server.httpAddress,
        server.grpcAddress,
        server.metricsAddress ?? '',
      ]);
      for (const address of addresses) expect(address).toMatch(/^127\.0\.0\.1:\d+$/);
      expect(new Set(addresses).size).toBe(24);
      expect(new Set(servers.map((server) => server.containerId)).size).toBe(8);
      const ready = servers.map((server) => createTritonClient(server.httpAddress).serverReady());
      expect(await Promise.all(ready)).toEqual(servers.map(() => true));
    } finally {
      await Promise.all(servers.map((server) => server.stop()));
    }
  });

  it('a Triton is taken up by the next who asks for the same, and not by one with another repository', async () => {
    const run = await createRun('again');
    const first = await run.startTriton();
    try {
      const second = await run.startTriton();
      expect(second.containerId).toBe(first.containerId);
      expect(second.httpAddress).toBe(first.httpAddress);
      expect(run.log.filter((line) => line.includes('and is reused'))).toHaveLength(1);
      const other = await run.startTriton({}, 'another repository');
      expect(other.containerId).not.toBe(first.containerId);
      await other.stop();
      await second.stop();
      await first.exited;
      expect(await left()).toEqual([]);
    } finally {
      await first.stop();
    }
  });

  it('a port that another container has is named with its holder', async () => {
    const first = await (await createRun('holder')).startTriton();
    try {
      const port = Number(first.httpAddress.split(':')[1]);
      const late = await createRun('late', { httpPort: port });
      const error = await rejection(late.startTriton({ httpPort: port }));
      expect(error.code).toBe('port-taken');
      expect(error.message).toContain(`Port ${port} is in use`);
      expect(late.log).toEqual([]);
      expect(await left()).toEqual([first.containerId]);
    } finally {
      await first.stop();
    }
  });

  it('Triton has no right that it does not need', async () => {
    const run = await createRun('walls');
    const server = await run.startTriton();
    try {
      const found = await own().docker.getContainer(server.containerId).inspect();
      expect(hardening(found)).toEqual({
        ...walls,
        networkMode: networkName({ instance, runId: 'walls' }),
        hostAddresses: ['127.0.0.1'],
        mounts: [`bind ${run.dir}/steps/configure/model-repository /models ro`],
      });
    } finally {
      await server.stop();
    }
  });

  it.each([
    ['without a server has no network', null],
    ["with one has that container's network", 'server'],
  ])('a client step %s, and no right that it does not need', async (_name, which) => {
    const run = await createRun(`client-${which ?? 'alone'}`);
    const server = which === null ? null : await run.startTriton();
    try {
      const serverId = server?.containerId ?? null;
      const common = {
        ...{ image: images.client, serverId, adoptable: false, mounts: run.mounts },
        sharedMemory: 'none' as const,
      };
      const idle = run.containers.client({ ...common, task: 'idle', command: ['sleep', '600'] });
      const id = await createContainer(own(), idle.name, idle.body, run);
      await startContainer(own(), id, run);
      const found = await own().docker.getContainer(id).inspect();
      await removeContainer(own(), id);
      expect(hardening(found)).toEqual({
        ...walls,
        networkMode: serverId === null ? 'none' : `container:${serverId}`,
        hostAddresses: [],
        mounts: clientMounts(run.dir),
      });

      const said: string[] = [];
      const end = await runContainer({
        client: own(),
        ...run.containers.client({ ...common, task: 'probe', command: ['python', '-c', stepProbe] }),
        signal: run.signal,
        onTrouble: (text) => said.push(text),
        onLine: (_channel, line) => said.push(line),
      });
      expect(end).toMatchObject({ exitCode: 0, oomKilled: false, aborted: false });
      const { uid, ...came } = JSON.parse(said.join('\n')) as { readonly uid: number };
      expect(uid).toBeGreaterThan(0);
      expect(came).toEqual({
        noNewPrivileges: '1',
        capabilities: 0,
        journal: 'Read-only file system',
        runFolder: 'Read-only file system',
        removeJournal: 'Read-only file system',
        step: 'done',
        otherStep: 'Read-only file system',
        results: 'done',
        resources: 'Read-only file system',
        program: 'Read-only file system',
        image: 'Read-only file system',
        temporary: 'done',
        interfaces: serverId === null ? ['lo'] : ['eth0', 'lo'],
        triton: serverId === null ? 'Connection refused' : 'done',
        dockerSocket: false,
      });
      expect(await readFile(join(run.dir, 'steps', 'offline', 'by-the-step'), 'utf8')).toBe('x');
      expect(await readFile(join(run.dir, 'journal.jsonl'), 'utf8')).toBe('');
    } finally {
      await server?.stop();
    }
  });

  it.each(['system', 'cuda'] as const)(
    'a client step with %s shared memory has the /dev/shm of Triton, and no other wall is down',
    async (sharedMemory) => {
      const run = await createRun(`memory-${sharedMemory}`, {}, sharedMemory);
      const server = await run.startTriton();
      try {
        const serverId = server.containerId;
        const triton = own().docker.getContainer(serverId);
        const shareable = { ...walls, ipcMode: 'shareable' };
        expect(hardening(await triton.inspect())).toMatchObject(shareable);

        const ofStep = { image: images.client, serverId, adoptable: false, mounts: run.mounts };
        const plan = run.containers.client({
          ...ofStep,
          sharedMemory,
          task: 'share',
          command: ['sleep', '600'],
        });
        const id = await createContainer(own(), plan.name, plan.body, run);
        await startContainer(own(), id, run);
        const found = await own().docker.getContainer(id).inspect();
        await removeContainer(own(), id);
        const joined = `container:${serverId}`;
        expect(hardening(found)).toEqual({
          ...walls,
          ipcMode: joined,
          pidMode: sharedMemory === 'cuda' ? joined : '',
          networkMode: joined,
          hostAddresses: [],
          mounts: clientMounts(run.dir),
        });

        // What one step writes there, a later one finds: it is Triton's, of the size that the run gives it.
        const says = async (task: string, memory: PerformanceSpec['sharedMemory'], program: string) => {
          const said: string[] = [];
          const end = await runContainer({
            client: own(),
            ...run.containers.client({
              ...ofStep,
              sharedMemory: memory,
              task,
              command: ['python', '-c', program],
            }),
            signal: run.signal,
            onTrouble: (text) => said.push(text),
            onLine: (_channel, line) => said.push(line),
          });
          expect(end, said.join('\n')).toMatchObject({ exitCode: 0 });
          return JSON.parse(said.join('\n')) as unknown;
        };
        const write = `open("/dev/shm/by-a-step", "w").write("x"); print(1)`;
        expect(await says('write', sharedMemory, write)).toBe(1);
        expect(await says('read', sharedMemory, memoryProbe)).toEqual({
          found: true,
          mebibytes: 64,
          triton: sharedMemory === 'cuda',
        });
        expect(await says('apart', 'none', memoryProbe)).toEqual({
          found: false,
          mebibytes: 1024,
          triton: false,
        });
      } finally {
        await server.stop();
      }
    },
  );
});

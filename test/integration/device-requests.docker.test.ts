import { readFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runContainer } from '../../main/docker/run-container';
import { ensureIdleImage } from '../support/docker';
import { dockerdMajor, dockerdProblem, type OwnDockerd, startOwnDockerd } from '../support/own-dockerd';
import { containersHere, quietFiles } from '../support/run-containers';
import { specFixture } from '../support/run-state';

/**
 * The engine has the driver "nvidia" when a program of this name is on its PATH. This one only records what it is
 * handed: it makes no device, and the containers see none.
 */
const recorder = (records: string) => `#!/bin/sh
record="$(mktemp '${records}/XXXXXXXX')"
{ echo "$@"; cat; } > "$record"
`;

/** Devices as nvidia-ctk names them, which put a variable and a file into the container in place of a GPU. */
const cdiSpec = (file: string, names: readonly string[]) => ({
  cdiVersion: '0.5.0',
  kind: 'nvidia.com/gpu',
  devices: names.map((name) => ({
    name,
    containerEdits: {
      env: [`CDI_DEVICE=${name}`],
      mounts: [{ hostPath: file, containerPath: '/cdi-file', options: ['ro', 'nosuid', 'nodev', 'bind'] }],
    },
  })),
});

const gpu = 'GPU-513536b6-7d19-9063-b049-1e69664bb298';
const slice = 'MIG-6e95ef19-5145-571b-b040-7e731f1c1af3';
/** From this version on an engine takes CDI devices as device requests. */
const cdiMajor = 25;

/** CAP_SYS_RESOURCE, which root of a sandbox may lack: without it no engine starts a container with unlimited memlock. */
const raisesLimits =
  ((BigInt(`0x${/^CapEff:\s*(\w+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '0'}`) >> 24n) &
    1n) ===
  1n;

const problem = dockerdProblem();
if (problem !== null) process.stderr.write(`Device requests are not tested: ${problem}\n`);

describe.skipIf(problem !== null)("GPUs of a run's containers, on a real engine", () => {
  let folder: string;
  let dockerd: OwnDockerd;
  let image: string;
  const takesCdi = problem === null && dockerdMajor() >= cdiMajor;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'workbench-devices-'));
    for (const name of ['tools', 'records', 'cdi', 'run']) await mkdir(join(folder, name));
    const program = join(folder, 'tools', 'nvidia-container-runtime-hook');
    await writeFile(program, recorder(join(folder, 'records')));
    await chmod(program, 0o755);
    const file = join(folder, 'cdi-file');
    await writeFile(file, 'injected\n');
    await chmod(file, 0o644);
    await writeFile(join(folder, 'cdi', 'nvidia.json'), JSON.stringify(cdiSpec(file, ['all', gpu, slice])));
    const cdi = { features: { cdi: true }, 'cdi-spec-dirs': [join(folder, 'cdi')] };
    dockerd = await startOwnDockerd({ tools: join(folder, 'tools'), settings: takesCdi ? cdi : {} });
    image = await ensureIdleImage(dockerd.client.docker);
  });
  afterAll(async () => {
    await dockerd.stop();
    await rm(folder, { recursive: true, force: true });
  });

  /** What a step of a run that has these GPUs finds in its container, and what the engine did for it. */
  async function stepWith(gpus: readonly string[], gpuAccess: 'runtime' | 'cdi', command: string) {
    const before = await readdir(join(folder, 'records'));
    const { containers, files } = containersHere({
      facts: { memoryBytes: 2 ** 30, rootless: false, remapsUsers: false, gpuAccess },
      instance: '0123456789abcdef',
      run: { runId: 'r1', dir: join(folder, 'run'), framework: 'pyt', step: () => 'export' },
      spec: specFixture(),
      engine: { kind: 'docker', gpus: [...gpus], shmSizeMiB: 64 },
      resources: resolve('resources'),
      bundles: resolve('main'),
    });
    const { name, body } = containers.client({
      image,
      task: 'export',
      command: ['/bin/busybox', 'sh', '-c', command],
      serverId: null,
      adoptable: false,
      mounts: await files.openClient(quietFiles),
      sharedMemory: 'none',
    });
    const { HostConfig = {} } = body;
    const limits = (HostConfig.Ulimits ?? []).filter(({ Name }) => raisesLimits || Name !== 'memlock');
    const lines: string[] = [];
    const end = await runContainer({
      client: dockerd.client,
      name,
      body: { ...body, HostConfig: { ...HostConfig, Ulimits: limits } },
      signal: new AbortController().signal,
      onLine: (_channel, line) => lines.push(line),
      onTrouble: (text) => lines.push(text),
    });
    expect({ end: end.exitCode, lines }).toEqual({ end: 0, lines });
    const records = (await readdir(join(folder, 'records'))).filter((one) => !before.includes(one));
    const texts = await Promise.all(records.map((one) => readFile(join(folder, 'records', one), 'utf8')));
    return { lines, records: texts, request: HostConfig.DeviceRequests };
  }

  it.each([
    ['all', 'all GPUs'],
    [gpu, 'one GPU by its UUID'],
    [slice, 'a MIG device by its UUID'],
  ])('are given as %s: %s', async (id) => {
    const { lines, records } = await stepWith([id], 'runtime', 'busybox env; busybox id -u');
    expect(lines).toContain(`NVIDIA_VISIBLE_DEVICES=${id}`);
    // Not root, as without GPUs.
    expect(lines.at(-1)).not.toBe('0');
    expect(records).toHaveLength(1);
    const [call, ...state] = (records[0] ?? '').split('\n');
    expect(call).toBe('prestart');
    // The state of the container, by the OCI runtime specification: what the hook finds its devices and root by.
    expect(JSON.parse(state.join('\n'))).toMatchObject({
      id: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
      pid: expect.any(Number) as number,
      bundle: expect.stringContaining('/') as string,
    });
  });

  it('may run code that is written to /tmp, as compilers for GPUs do', async () => {
    const program = 'cp /bin/busybox /tmp/busybox && /tmp/busybox echo runs';
    expect((await stepWith([gpu], 'runtime', `busybox ${program}`)).lines).toEqual(['runs']);
  });

  it('are not asked for where a run has none', async () => {
    const { lines, records, request } = await stepWith([], 'runtime', 'busybox env');
    expect(lines.filter((line) => line.startsWith('NVIDIA_'))).toEqual(['NVIDIA_VISIBLE_DEVICES=void']);
    expect({ records, request }).toEqual({ records: [], request: [] });
  });

  it.for(['all', gpu, slice])('are given by CDI as nvidia.com/gpu=%s', async (id, { skip }) => {
    skip(!takesCdi, `dockerd ${String(dockerdMajor())} takes no CDI devices, ${String(cdiMajor)} does`);
    const { lines, records } = await stepWith([id], 'cdi', 'busybox env; busybox cat /cdi-file');
    expect(lines).toContain(`CDI_DEVICE=${id}`);
    expect(lines.at(-1)).toBe('injected');
    expect(records).toEqual([]);
  });
});

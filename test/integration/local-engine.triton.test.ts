import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Executor, ServerHandle } from '../../main/engine/engine';
import {
  engineIdVariable,
  processesOfEngine,
  readEngineRecords,
  sweepLocalEngines,
  writeEngineRecord,
} from '../../main/engine/local/engine-record';
import { createLocalTriton, detectLocalTriton } from '../../main/engine/local/local-triton';
import { attachTriton } from '../../main/engine/remote/remote-triton';
import { loadAndCheckModel } from '../../main/engine/serving';
import { type HomeLayout, homeLayout } from '../../main/platform/layout';
import { processStartTime } from '../../main/platform/process';
import { createTritonClient } from '../../main/triton/client';
import { compareServedConfig } from '../../main/triton/served-config';
import { type Tensor, tensorValues } from '../../main/triton/tensor';
import { createTestHome, type TestHome } from '../support/home';
import { rejection } from '../support/rejection';
import { tinyConfig, writeTinyRepository } from '../support/tiny-model';
import { until } from '../support/until';

let home: TestHome;
let layout: HomeLayout;
let folder: string;
let engine: Pick<Executor, 'startServer'>;
const handles: ServerHandle[] = [];

beforeAll(async () => {
  home = await createTestHome();
  layout = homeLayout(home.path);
  folder = await mkdtemp(join(tmpdir(), 'twb-engine-'));
  await writeTinyRepository(join(folder, 'repository'));
  engine = createLocalTriton({ layout, resources: 'resources', env: process.env });
});
afterEach(async () => {
  await Promise.all(handles.splice(0).map((handle) => handle.stop()));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await home.remove();
});

let count = 0;
async function start(options: { httpPort?: number; grpcPort?: number; signal?: AbortSignal } = {}) {
  count += 1;
  const lines: string[] = [];
  const commands: (readonly string[])[] = [];
  const logPath = join(folder, `triton-${count}.log`);
  const handle = await engine.startServer({
    key: 'k',
    runId: `run-${count}`,
    repository: join(folder, 'repository'),
    logPath,
    signal: new AbortController().signal,
    onLog: (batch) => lines.push(...batch),
    onCommand: (argv) => commands.push(argv),
    ...options,
  });
  handles.push(handle);
  return { handle, client: createTritonClient(handle.httpAddress), lines, commands, logPath };
}

const input = (values: readonly number[]): Tensor => ({
  name: 'INPUT__0',
  datatype: 'FP32',
  shape: [values.length / 3, 3],
  data: new Uint8Array(new Float32Array(values).buffer),
});

const model = { modelName: 'tiny', modelVersion: '1', config: tinyConfig, load: true };

async function idOf(handle: ServerHandle): Promise<string> {
  const record = (await readEngineRecords(layout.engines)).find((one) => one.server?.pid === handle.pid);
  if (record === undefined) throw new Error('The server has no record');
  return record.id;
}

const sharedMemoryOf = async (id: string) => (await readdir('/dev/shm')).filter((name) => name.includes(id));

async function nothingLeftOf(id: string): Promise<void> {
  expect(await processesOfEngine(id)).toEqual([]);
  expect(await sharedMemoryOf(id)).toEqual([]);
  expect((await readEngineRecords(layout.engines)).map((record) => record.id)).not.toContain(id);
}

describe('the local Triton', () => {
  it('starts, serves a model as configured, counts what it did, and leaves nothing behind', async () => {
    const { handle, client, lines, commands, logPath } = await start();
    expect(handle.tritonVersion).toMatch(/^\d+\.\d+\.\d+$/);
    expect(await client.serverReady()).toBe(true);
    expect((await client.serverMetadata()).version).toBe(handle.tritonVersion);
    expect((await detectLocalTriton(layout)).version).toBe(handle.tritonVersion);
    for (const address of [handle.httpAddress, handle.grpcAddress, handle.metricsAddress]) {
      expect(address).toMatch(/^127\.0\.0\.1:\d+$/);
    }
    expect(new Set([handle.httpAddress, handle.grpcAddress, handle.metricsAddress]).size).toBe(3);
    const metrics = await fetch(`http://${String(handle.metricsAddress)}/metrics`);
    expect(await metrics.text()).toContain('nv_cpu_utilization');
    expect(commands).toHaveLength(1);
    expect(commands[0]?.[0]).toBe(layout.tritonServer);

    expect(await client.modelReady('tiny')).toBe(false);
    await loadAndCheckModel({ client, ...model });
    expect(await client.modelReady('tiny', '1')).toBe(true);
    expect((await client.modelMetadata('tiny')).inputs).toEqual([
      { name: 'INPUT__0', datatype: 'FP32', shape: [-1, 3] },
    ]);

    const served = await client.modelConfig('tiny', '1');
    expect(compareServedConfig(tinyConfig, served)).toEqual([]);
    expect(
      compareServedConfig({ ...tinyConfig, maxBatchSize: 8, instanceGroup: [{ count: 3 }] }, served),
    ).toEqual([
      { field: 'max_batch_size', configured: '8', served: '4' },
      { field: 'instance_group[0].count', configured: '3', served: '2' },
    ]);

    // Triton counts a request when it releases it, which can be just after the answer.
    const counted = async (executions: number) => {
      const statistics = async () => (await client.modelStatistics('tiny', '1'))[0];
      await until(
        `${executions} executions are counted`,
        async () => ((await statistics())?.executionCount ?? 0) >= executions,
      );
      return statistics();
    };
    const before = await counted(1);
    const reply = await client.infer({ modelName: 'tiny', inputs: [input([1, 2, 3, 4, 5, 6])] });
    expect(reply.outputs[0]?.shape).toEqual([2, 3]);
    expect(reply.outputs.map(tensorValues)).toEqual([[2, 4, 6, 8, 10, 12]]);
    const after = await counted((before?.executionCount ?? 0) + 1);
    expect((after?.inferenceCount ?? 0) - (before?.inferenceCount ?? 0)).toBe(2);
    expect((after?.executionCount ?? 0) - (before?.executionCount ?? 0)).toBe(1);
    expect(after?.computeInfer.ns).toBeGreaterThan(before?.computeInfer.ns ?? 0);
    expect(after?.batches.map((batch) => batch.batchSize)).toEqual([1, 2]);
    expect(await client.repositoryIndex()).toContainEqual(
      expect.objectContaining({ name: 'tiny', version: '1', state: 'READY' }),
    );

    const id = await idOf(handle);
    // The server and the stubs of two instances.
    expect(await processesOfEngine(id)).toHaveLength(3);
    expect((await sharedMemoryOf(id)).length).toBeGreaterThan(0);
    await client.unloadModel('tiny');
    await until('the model is unloaded', async () => !(await client.modelReady('tiny')));
    await client.loadModel('tiny');
    await handle.stop();
    await handle.stop();
    expect(await handle.exited).toMatchObject({ exitCode: 0, signal: null });
    await nothingLeftOf(id);
    expect(lines.join('\n')).toContain("successfully loaded 'tiny'");
    expect(await readFile(logPath, 'utf8')).toContain("successfully loaded 'tiny'");
  });

  it('gives Triton’s reason when a model cannot be loaded', async () => {
    const { client } = await start();
    const broken = await rejection(loadAndCheckModel({ client, ...model, modelName: 'broken' }));
    expect(broken.code).toBe('model-load-failed');
    expect(broken.details).toContain('the weights of this model are on the moon');
    const missing = await rejection(loadAndCheckModel({ client, ...model, modelName: 'nothing' }));
    expect(missing.code).toBe('model-load-failed');
    const unloaded = await rejection(loadAndCheckModel({ client, ...model, load: false }));
    expect(unloaded.code).toBe('model-not-ready');
  });

  it('does not call a model ready that says so but does not answer, or answers nonsense', async () => {
    const { client } = await start();
    const nonsense = await rejection(loadAndCheckModel({ client, ...model, canary: [input([1, 7, 3])] }));
    expect(nonsense.code).toBe('inference-failed');
    expect(nonsense.message).toContain('NaN');
    const wrongShape = await rejection(
      client.infer({ modelName: 'tiny', inputs: [{ ...input([1, 2, 3, 4]), shape: [1, 4] }] }),
    );
    expect([wrongShape.code, wrongShape.details]).toEqual([
      'inference-failed',
      expect.stringContaining('INPUT__0'),
    ]);
    // Ends the stub of an instance; one after the other until no instance is left.
    const died = await rejection(client.infer({ modelName: 'tiny', inputs: [input([13, 0, 0])] }));
    expect(died.code).toBe('inference-failed');
    const again = await rejection(client.infer({ modelName: 'tiny', inputs: [input([13, 0, 0])] }));
    expect(again.code).toBe('inference-failed');
    expect(await client.serverReady()).toBe(true);
    const dead = await rejection(loadAndCheckModel({ client, ...model, load: false }));
    expect(['inference-failed', 'model-not-ready']).toContain(dead.code);
  });

  it('serves two at once, each on ports of its own', async () => {
    const [first, second] = await Promise.all([start(), start()]);
    await Promise.all([
      loadAndCheckModel({ client: first.client, ...model }),
      loadAndCheckModel({ client: second.client, ...model }),
    ]);
    const ids = [await idOf(first.handle), await idOf(second.handle)];
    await first.handle.stop();
    await nothingLeftOf(ids[0] ?? '');
    // Asked to unload before it was told to end: an ending Triton that finds models waits for whole seconds.
    const log = await readFile(first.logPath, 'utf8');
    expect(log).toContain('Found 0 live models');
    expect(log).not.toMatch(/Found [1-9]\d* live models/);
    expect(await processesOfEngine(ids[1] ?? '')).toHaveLength(3);
    await loadAndCheckModel({ client: second.client, ...model, load: false });
  });

  it('uses the ports that are asked for, and says who has a port that is taken', async () => {
    const foreign = createServer();
    await new Promise<void>((resolve) => foreign.listen(0, '127.0.0.1', resolve));
    const taken = (foreign.address() as AddressInfo).port;
    const error = await rejection(start({ httpPort: taken }));
    expect(error.code).toBe('port-taken');
    expect(error.message).toContain(String(taken));
    expect(error.message).toContain(`process ${process.pid} (`);
    expect((await rejection(start({ grpcPort: taken }))).code).toBe('port-taken');
    await new Promise((resolve) => foreign.close(resolve));
    const { handle, client } = await start({ httpPort: taken });
    expect(handle.httpAddress).toBe(`127.0.0.1:${taken}`);
    expect(await client.serverReady()).toBe(true);
    expect((await rejection(start({ httpPort: taken }))).message).toContain(
      `process ${String(handle.pid)} (`,
    );
  });

  it('says how it ended when it is killed, and cleans up what it had started', async () => {
    const { handle, client } = await start();
    await loadAndCheckModel({ client, ...model });
    const id = await idOf(handle);
    process.kill(handle.pid ?? 0, 'SIGKILL');
    const exit = await handle.exited;
    expect(exit).toMatchObject({ exitCode: null, signal: 'SIGKILL' });
    expect(exit.tail.join('\n')).toContain("successfully loaded 'tiny'");
    await nothingLeftOf(id);
    expect((await rejection(client.serverReady())).code).toBe('server-unreachable');
    await handle.stop();
  });

  it('ends a server that does not listen to SIGTERM', async () => {
    const { handle, client } = await start();
    await loadAndCheckModel({ client, ...model });
    const id = await idOf(handle);
    process.kill(handle.pid ?? 0, 'SIGSTOP');
    await handle.stop();
    expect((await handle.exited).signal).toBe('SIGKILL');
    await nothingLeftOf(id);
  });

  it('says why it does not start', async () => {
    const error = await rejection(
      engine.startServer({
        key: 'k',
        runId: 'r',
        repository: join(folder, 'no', 'such', 'repository'),
        logPath: join(folder, 'failed.log'),
        signal: new AbortController().signal,
        onLog: () => undefined,
        onCommand: () => undefined,
      }),
    );
    expect(error.code).toBe('server-start-failed');
    expect(`${error.message}${error.details ?? ''}`).toContain('no/such/repository');
    expect(await readEngineRecords(layout.engines)).toEqual([]);
  });

  it('leaves nothing when it is cancelled while it starts', async () => {
    const cancel = new AbortController();
    const starting = rejection(start({ signal: cancel.signal }));
    let id = '';
    await until('the server process runs', async () => {
      id = (await readEngineRecords(layout.engines)).find((record) => record.server !== null)?.id ?? '';
      return id !== '';
    });
    cancel.abort();
    expect((await starting).code).toBe('cancelled');
    await nothingLeftOf(id);
  });
});

describe('sweep', () => {
  it('ends what a dead workbench left, and nothing else', async () => {
    const own = await start();
    const orphan = await start();
    await loadAndCheckModel({ client: own.client, ...model });
    await loadAndCheckModel({ client: orphan.client, ...model });
    const [ownId, orphanId] = [await idOf(own.handle), await idOf(orphan.handle)];
    // A workbench that is dead: an id that runs (ours) under a start time that is not its own, as after reuse.
    const record = (await readEngineRecords(layout.engines)).find((one) => one.id === orphanId);
    if (record === undefined) throw new Error('no record');
    const dead = { pid: process.pid, startTime: '1' };
    await writeEngineRecord(layout.engines, { ...record, workbench: dead });

    // Decoys: a process whose id stands in a stale record, one with another id, and somebody's shared memory.
    const decoy = spawn('sleep', ['600'], { env: { ...process.env, [engineIdVariable]: 'f'.repeat(32) } });
    const decoyPid = decoy.pid ?? 0;
    const startTime = processStartTime(decoyPid) ?? '';
    await writeEngineRecord(layout.engines, {
      ...record,
      id: 'a'.repeat(32),
      workbench: dead,
      server: { pid: decoyPid, startTime },
    });
    const decoyMemory = join('/dev/shm', `twb-${'b'.repeat(32)}-decoy`);
    await writeFile(decoyMemory, 'x');
    await mkdir(layout.engines, { recursive: true });
    await writeFile(join(layout.engines, 'damaged.json'), '{');
    try {
      const { ended } = await sweepLocalEngines(layout.engines);
      expect(ended).toEqual([orphan.handle.pid]);
      await orphan.handle.exited;
      await nothingLeftOf(orphanId);
      expect(processStartTime(decoyPid)).toBe(startTime);
      expect(await readFile(decoyMemory, 'utf8')).toBe('x');
      expect(await processesOfEngine(ownId)).toHaveLength(3);
      await loadAndCheckModel({ client: own.client, ...model, load: false });
      expect((await sweepLocalEngines(layout.engines)).ended).toEqual([]);
    } finally {
      decoy.kill('SIGKILL');
      await rm(decoyMemory, { force: true });
      await rm(join(layout.engines, 'damaged.json'), { force: true });
    }
  });

  it('ends the stubs and shared memory of a server that is dead itself', async () => {
    const { handle, client } = await start();
    await loadAndCheckModel({ client, ...model });
    const id = await idOf(handle);
    const stubs = (await processesOfEngine(id)).filter((pid) => pid !== handle.pid);
    expect(stubs).toHaveLength(2);
    // Stopped stubs cannot notice by themselves that their server is gone.
    for (const pid of stubs) process.kill(pid, 'SIGSTOP');
    const leftover = join('/dev/shm', `twb-${id}-left`);
    await writeFile(leftover, 'x');
    process.kill(handle.pid ?? 0, 'SIGKILL');
    await handle.exited;
    await nothingLeftOf(id);
  });
});

describe('the remote engine', () => {
  it('attaches to a Triton that runs, and stops nothing', async () => {
    const { handle, client } = await start();
    await loadAndCheckModel({ client, ...model });
    const grpcPort = handle.grpcAddress.split(':')[1] ?? '';
    const url = `http://${handle.httpAddress}?grpcPort=${grpcPort}`;
    const attach = () => attachTriton({ url }, new AbortController().signal);
    const attached = await attach();
    expect(attached).toMatchObject({
      httpAddress: handle.httpAddress,
      grpcAddress: handle.grpcAddress,
      tritonVersion: handle.tritonVersion,
      pid: null,
    });
    await attached.stop();
    await loadAndCheckModel({ client, ...model, load: false });
    await handle.stop();
    expect((await rejection(attach())).code).toBe('server-unreachable');
  });
});

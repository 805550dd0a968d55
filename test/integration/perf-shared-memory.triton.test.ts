import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadPointSchema } from '../../main/contract/measured/results';
import type { MeasureInput } from '../../main/perf/load-tool';
import { createLoadTools } from '../../main/perf/load-tools';
import { defaultHome, homeLayout } from '../../main/platform/layout';
import {
  registerSystemRegion,
  systemRegionNames,
  unregisterSystemRegion,
} from '../../main/triton/shared-memory';
import { rejection } from '../support/rejection';
import { startTestTriton, type TestTriton } from '../support/triton';
import { until } from '../support/until';

const workerFile = join(process.cwd(), 'out', 'main', 'load-worker.cjs');
const tools = createLoadTools({ layout: homeLayout(defaultHome(process.env)), workerFile, env: process.env });

let triton: TestTriton;
const server = () => ({ httpAddress: triton.httpAddress, tls: null });
let dir: string;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'workbench-shared-'));
  for (const value of [1, 2, 3]) {
    await writeFile(join(dir, `${value}.bin`), Buffer.from(new Float32Array(1024).fill(value).buffer));
  }
  triton = await startTestTriton([
    { name: 'double', execute: 'return values * 2', maxBatchSize: 0 },
    { name: 'nan', execute: "return values * float('nan')", maxBatchSize: 0 },
    {
      name: 'moody',
      // Answers the first requests of a level rightly, and later ones not.
      setUp: 'self.count = 0',
      execute: `self.count += 1
        return values * (2 if self.count < 10 else 3)`,
      maxBatchSize: 0,
    },
  ]);
});
afterAll(async () => {
  await triton.stop();
  await rm(dir, { recursive: true, force: true });
});

async function levelOf(model: string, change: Partial<MeasureInput> = {}): Promise<MeasureInput> {
  return {
    httpAddress: triton.httpAddress,
    grpcAddress: triton.grpcAddress,
    protocol: 'grpc',
    modelName: model,
    modelVersion: '1',
    inputData: {
      source: 'dataset',
      tensors: [{ name: 'INPUT', datatype: 'FP32', shape: [1024], files: ['1.bin', '2.bin', '3.bin'] }],
    },
    inputDataDir: dir,
    level: { batchSize: 1, concurrency: 4 },
    batched: false,
    settings: {
      measurementMode: 'time_windows',
      measurementIntervalMs: 400,
      measurementRequestCount: 50,
      stabilityPercentage: 1e6,
      maxTrials: 3,
      warmupMs: 100,
      sharedMemory: 'system',
    },
    workDir: await mkdtemp(join(dir, 'work-')),
    signal: new AbortController().signal,
    onWindow: () => undefined,
    onLog: () => undefined,
    onCommand: () => undefined,
    ...change,
  };
}

const ownFiles = async () =>
  (await readdir('/dev/shm')).filter((name) => name.startsWith(`triton-workbench-${process.pid}-`));

/** As another client does it. Triton refuses (500) while a request holds a region just then. */
const unregisterEverything = () =>
  until('every region is unregistered', async () => {
    const answer = await fetch(`http://${triton.httpAddress}/v2/systemsharedmemory/unregister`, {
      method: 'POST',
    });
    return answer.ok;
  });

describe.each(['grpc', 'http'] as const)('system shared memory over %s', (protocol) => {
  it('carries inputs and outputs, checked against the wire, and leaves nothing behind', async () => {
    const point = await tools.native.measure(await levelOf('double', { protocol }));
    loadPointSchema.parse(point);
    expect(point).toMatchObject({
      errorCount: 0,
      sharedMemory: { kind: 'system', wrongCount: 0, repairs: 0 },
    });
    expect(point.requestCount).toBeGreaterThan(0);
    expect(point.sharedMemory?.checkedCount).toBeGreaterThan(0);
    expect(await systemRegionNames(server())).toEqual(new Set());
    expect(await ownFiles()).toEqual([]);
  });

  it('is repaired when another client unregisters everything, and leaves the regions of others alone', async () => {
    const path = join('/dev/shm', `someone-else-${process.pid}`);
    await writeFile(path, Buffer.alloc(64));
    const other = { name: 'someone-else', key: `/someone-else-${process.pid}`, bytes: 64 };
    const measured = { windows: 0, mostWindows: Infinity };
    let others = Promise.resolve();
    const actAsOther = async () => {
      try {
        await unregisterEverything();
      } finally {
        // The next request falls into the window under way or the one after it.
        measured.mostWindows = measured.windows + 2;
      }
      await registerSystemRegion(server(), other);
    };
    try {
      const level = await levelOf('double', {
        protocol,
        // One request at a time: between two of them no region is in use.
        level: { batchSize: 1, concurrency: 1 },
        onWindow: () => {
          measured.windows += 1;
          if (measured.windows === 1) others = actAsOther();
        },
      });
      const settings = {
        ...level.settings,
        stabilityPercentage: 1e-6,
        // How long it takes the other client to come between two requests nobody knows.
        get maxTrials() {
          return measured.mostWindows;
        },
      };
      const point = await tools.native.measure({ ...level, settings });
      await others;
      expect(point.sharedMemory).toMatchObject({ wrongCount: 0, repairs: 1 });
      // The next request found the regions gone.
      expect(point.errorCount).toBeGreaterThan(0);
      expect(point.errorCount).toBeLessThanOrEqual(2);
      expect(await systemRegionNames(server())).toEqual(new Set(['someone-else']));
    } finally {
      await unregisterSystemRegion(server(), 'someone-else');
      await rm(path, { force: true });
    }
  });
});

it('counts answers that are not those of the wire', async () => {
  const input = await levelOf('moody');
  const point = await tools.native.measure(input);
  expect(point.sharedMemory?.wrongCount).toBeGreaterThan(0);
  expect(point.wrongByKind?.map(({ kind }) => kind)).toContain('wrong output');
  expect(point.flags).toContain('wrong-responses');
});

it('counts answers with values that are not finite, where that is asked for', async () => {
  const input = await levelOf('nan');
  const plain = await tools.native.measure(input);
  expect(plain).toMatchObject({ errorCount: 0, sharedMemory: { wrongCount: 0 } });
  expect(plain.flags).toContain('not-finite');
  const settings = { ...input.settings, checkOutputs: 'finite' as const };
  const point = await tools.native.measure({ ...input, settings });
  expect(point.sharedMemory?.wrongCount).toBeGreaterThan(0);
  expect(point.wrongByKind?.map(({ kind }) => kind)).toEqual(['output not finite']);
});

it('says that an output does not fit', async () => {
  const input = await levelOf('double');
  const error = await rejection(
    tools.native.measure({ ...input, settings: { ...input.settings, outputSharedMemoryBytes: 64 } }),
  );
  expect(error).toMatchObject({ code: 'input-invalid', where: 'performance.outputSharedMemoryBytes' });
  expect(await ownFiles()).toEqual([]);
});

it('is measured by perf_analyzer too', async () => {
  const input = await levelOf('double');
  const settings = { ...input.settings, outputSharedMemoryBytes: 4096 };
  const point = await tools.perf_analyzer.measure({ ...input, settings });
  expect(point).toMatchObject({ loadTool: 'perf_analyzer', sharedMemory: { kind: 'system' } });
  expect(point.requestCount).toBeGreaterThan(0);
});

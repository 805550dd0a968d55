import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LoadPoint } from '../../main/contract/measured/results';
import type { Protocol, RunSpec } from '../../main/contract/run/run-spec';
import { limitsOf } from '../../main/domain/measured/limits/limits';
import { measureLevel } from '../../main/perf/native/level/measure-level';
import {
  createdBodies,
  environmentFixture,
  measurementBody,
  specFixture,
  stateOf,
} from '../support/run-state';
import { startTestTriton, type TestModel, type TestTriton } from '../support/triton';

const workerFile = join(process.cwd(), 'out', 'main', 'load-worker.cjs');

/** 8 ms for an execution, however many rows it has: batches pay. */
const paying = (name: string, config: string): TestModel => ({
  name,
  execute: '',
  maxBatchSize: 16,
  config,
  source: `import time

import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        time.sleep(0.008)
        inputs = [pb_utils.get_input_tensor_by_name(request, "INPUT").as_numpy() for request in requests]
        return [pb_utils.InferenceResponse([pb_utils.Tensor("OUTPUT", values)]) for values in inputs]
`,
});

const single = paying('single', '');
const delayed = paying('delayed', 'dynamic_batching { max_queue_delay_microseconds: 60000 }');
/** Answers at once, with as much as it gets. */
const large: TestModel = { name: 'large', execute: 'return values', maxBatchSize: 0 };

let triton: TestTriton;
let dir: string;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'workbench-limits-'));
  triton = await startTestTriton([single, delayed, large]);
});
afterAll(async () => {
  await triton.stop();
  await rm(dir, { recursive: true, force: true });
});

interface Asked {
  readonly batchSize?: number;
  readonly concurrency: number;
  readonly protocol?: Protocol;
  readonly shape?: readonly number[];
}

async function measured(
  { name, maxBatchSize }: TestModel,
  { batchSize = 1, concurrency, protocol = 'grpc', shape = [16] }: Asked,
): Promise<LoadPoint> {
  const workDir = await mkdtemp(join(dir, `${name}-`));
  const elements = shape.reduce((product, size) => product * size, 1);
  await writeFile(join(workDir, 'input.bin'), Buffer.from(new Float32Array(elements).buffer));
  const { point } = await measureLevel(workerFile, {
    httpAddress: triton.httpAddress,
    grpcAddress: triton.grpcAddress,
    protocol,
    modelName: name,
    modelVersion: '1',
    inputData: {
      source: 'random',
      tensors: [{ name: 'INPUT', datatype: 'FP32', shape: [...shape], files: ['input.bin'] }],
    },
    inputDataDir: workDir,
    level: { batchSize, concurrency },
    batched: maxBatchSize > 0,
    settings: {
      measurementMode: 'time_windows',
      measurementIntervalMs: 400,
      measurementRequestCount: 50,
      stabilityPercentage: 60,
      maxTrials: 3,
      warmupMs: 300,
    },
    workDir,
    signal: new AbortController().signal,
    onWindow: () => undefined,
    onLog: () => undefined,
    onCommand: () => undefined,
  });
  return { ...point, loadTool: 'native', protocol, elapsedUs: null };
}

/** What limits the last of these levels of a model that was served so. */
function judged(configure: Partial<RunSpec['configure']>, levels: readonly LoadPoint[], budgetMs?: number) {
  const spec = specFixture((made) => {
    made.configure = {
      ...made.configure,
      preferredBatchSizes: [],
      maxQueueDelayUs: 0,
      instances: 1,
      threads: 0,
      ...configure,
    };
  });
  const point = levels.at(-1);
  if (point === undefined) throw new Error('no level');
  return limitsOf(
    stateOf([
      ...createdBodies(spec, environmentFixture({ cpuCount: cpus().length })),
      ...levels.map((one) => measurementBody(one.batchSize > 1 ? 'offline' : 'online', one)),
      ...(budgetMs === undefined ? [] : [{ type: 'p99-budget' as const, p99BudgetMs: budgetMs }]),
    ]),
    { scenario: 'online', point },
  );
}

// Windows of 0.4 s: what else the machine does may cover a difference.
describe('planted mistakes on a real Triton', { retry: 2 }, () => {
  it('no batching where it pays: dynamic batching is suggested, with its effect', async () => {
    const levels = [
      await measured(single, { concurrency: 1, batchSize: 8 }),
      await measured(single, { concurrency: 8 }),
    ];
    expect(levels[1]?.executedBatches).toMatchObject([{ batchSize: 1 }]);
    const found = judged({ batching: 'disabled', maxBatchSize: 16 }, levels);
    expect(found?.limits[0]?.kind).toBe('queue');
    expect(found?.suggestions[0]?.change.configure).toMatchObject({ batching: 'dynamic' });
  });

  it('a queue delay above the target: to shorten it is suggested, and predicted to help', async () => {
    const levels = [
      await measured(single, { concurrency: 1, batchSize: 8 }),
      await measured(delayed, { concurrency: 2 }),
    ];
    const configure = { batching: 'dynamic' as const, maxBatchSize: 16, maxQueueDelayUs: 60_000 };
    const found = judged(configure, levels, 40);
    expect(found?.limits[0]?.kind).toBe('batch-formation');
    expect(found?.suggestions[0]?.change.configure).toMatchObject({ maxQueueDelayUs: 0 });
  });

  it('HTTP with large payloads: another transport is suggested', async () => {
    const point = await measured(large, { concurrency: 2, protocol: 'http', shape: [2 ** 20] });
    const found = judged({ batching: 'disabled', maxBatchSize: 0 }, [point]);
    expect(found?.limits[0]?.kind).toBe('transfer');
    expect(found?.suggestions[0]?.change.performance).toEqual({ protocol: 'grpc' });
  });
});

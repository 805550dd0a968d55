import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadPointSchema } from '../../main/contract/measured/results';
import { modelParts } from '../../main/domain/measured/limits/model-parts';
import type { MeasureInput } from '../../main/perf/load-tool';
import { createLoadTools } from '../../main/perf/load-tools';
import { defaultHome, homeLayout } from '../../main/platform/layout';
import { createTritonClient } from '../../main/triton/client';
import { startTestTriton, type TestEnsemble, type TestTriton } from '../support/triton';

const workerFile = join(process.cwd(), 'out', 'main', 'load-worker.cjs');
const tools = createLoadTools({ layout: homeLayout(defaultHome(process.env)), workerFile, env: process.env });

const ensemble = (name: string, steps: readonly string[]): TestEnsemble => ({
  name,
  config: `name: "${name}"
platform: "ensemble"
max_batch_size: 0
input [ { name: "INPUT" data_type: TYPE_FP32 dims: [ -1 ] } ]
output [ { name: "OUTPUT" data_type: TYPE_FP32 dims: [ -1 ] } ]
ensemble_scheduling {
  step [ ${steps
    .map((step, index) => {
      const from = index === 0 ? 'INPUT' : `between_${index}`;
      const to = index === steps.length - 1 ? 'OUTPUT' : `between_${index + 1}`;
      return `{
    model_name: "${step}" model_version: -1
    input_map { key: "INPUT" value: "${from}" }
    output_map { key: "OUTPUT" value: "${to}" }
  }`;
    })
    .join(', ')} ]
}
`,
});

/** Two steps that read the same, of which the slow one is waited for; its output is the answer's. */
const sideBySide: TestEnsemble = {
  name: 'side-by-side',
  config: `name: "side-by-side"
platform: "ensemble"
max_batch_size: 0
input [ { name: "INPUT" data_type: TYPE_FP32 dims: [ -1 ] } ]
output [
  { name: "OUTPUT" data_type: TYPE_FP32 dims: [ -1 ] },
  { name: "OTHER" data_type: TYPE_FP32 dims: [ -1 ] }
]
ensemble_scheduling { step [
  { model_name: "double" model_version: -1
    input_map { key: "INPUT" value: "INPUT" } output_map { key: "OUTPUT" value: "OTHER" } },
  { model_name: "slow" model_version: -1
    input_map { key: "INPUT" value: "INPUT" } output_map { key: "OUTPUT" value: "OUTPUT" } }
] }
`,
};

let triton: TestTriton;
let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'workbench-ensemble-'));
  await writeFile(join(dir, '0.bin'), Buffer.alloc(64));
  triton = await startTestTriton([
    { name: 'double', execute: 'return values * 2', maxBatchSize: 0 },
    {
      name: 'slow',
      execute: `time.sleep(0.01)
        return -values`,
      maxBatchSize: 0,
    },
    {
      name: 'logic',
      execute: `asked = pb_utils.InferenceRequest(
            model_name="slow", requested_output_names=["OUTPUT"],
            inputs=[pb_utils.Tensor("INPUT", values)])
        return pb_utils.get_output_tensor_by_name(asked.exec(), "OUTPUT").as_numpy()`,
      maxBatchSize: 0,
    },
    ensemble('inner', ['double', 'slow']),
    ensemble('outer', ['double', 'inner']),
    sideBySide,
  ]);
});
afterAll(async () => {
  await triton.stop();
  await rm(dir, { recursive: true, force: true });
});

async function levelOf(modelName: string): Promise<MeasureInput> {
  return {
    httpAddress: triton.httpAddress,
    grpcAddress: triton.grpcAddress,
    protocol: 'grpc',
    modelName,
    modelVersion: '',
    inputData: {
      source: 'zero',
      tensors: [{ name: 'INPUT', datatype: 'FP32', shape: [16], files: ['0.bin'] }],
    },
    inputDataDir: dir,
    level: { batchSize: 1, concurrency: 4 },
    batched: false,
    settings: {
      measurementMode: 'time_windows',
      measurementIntervalMs: 500,
      measurementRequestCount: 50,
      stabilityPercentage: 1e6,
      maxTrials: 3,
      warmupMs: 100,
    },
    workDir: await mkdtemp(join(dir, 'work-')),
    signal: new AbortController().signal,
    onWindow: () => undefined,
    onLog: () => undefined,
    onCommand: () => undefined,
  };
}

describe('the models of an ensemble', () => {
  it('have columns of their own, those of an ensemble inside it too', async () => {
    const point = loadPointSchema.parse(await tools.native.measure(await levelOf('outer')));
    const { composing = [], requestCount } = point;
    expect(composing.map(({ modelName, modelVersion }) => [modelName, modelVersion])).toEqual([
      ['double', '1'],
      ['inner', '1'],
      ['slow', '1'],
    ]);
    const [double, inner, slow] = composing;
    const answered = requestCount ?? 0;
    // Once by itself and once inside; the requests under way at a window's bounds fall on either side.
    expect(Math.abs((double?.requestCount ?? 0) - 2 * answered)).toBeLessThanOrEqual(24);
    expect(Math.abs((inner?.requestCount ?? 0) - answered)).toBeLessThanOrEqual(24);
    expect(slow?.executionCount).toBe(slow?.inferenceCount);
    expect(slow?.computeInferUs).toBeGreaterThan(9_000);
    expect(double?.computeInferUs).toBeLessThan(slow?.computeInferUs ?? 0);
    // Four requests at a time and one instance: the slow model is waited for, by three of them less what they do elsewhere.
    expect(slow?.queueUs).toBeGreaterThan(5_000);
    expect(slow).toMatchObject({ cacheHitCount: 0, cacheMissCount: 0 });
  });

  it('give the parts of the ensemble: of the longest path, with the queue of the step that queues', async () => {
    const point = loadPointSchema.parse(await tools.native.measure(await levelOf('side-by-side')));
    expect(point.ensemblePath).toEqual(['slow']);
    expect(point.serverQueueUs).toBeGreaterThan(5_000);
    expect(point.serverQueueUs).toBe(point.composing?.find(({ modelName }) => modelName === 'slow')?.queueUs);
    const chained = loadPointSchema.parse(await tools.native.measure(await levelOf('outer')));
    expect(chained.ensemblePath).toEqual(['double', 'double', 'slow']);
    const { serverQueueUs, serverComputeInferUs, avgUs } = chained;
    expect((serverQueueUs ?? 0) + (serverComputeInferUs ?? 0)).toBeLessThan(1.1 * (avgUs ?? 0));
  });

  it('account for the ensemble, and others have none', async () => {
    const plain = await tools.native.measure(await levelOf('slow'));
    expect(plain.composing).toBeUndefined();
    const client = createTritonClient(triton.httpAddress);
    expect((await client.modelMetadata('inner')).platform).toBe('ensemble');
  });

  it('are those that a model calls by BLS too, where they are named, by both load tools', async () => {
    const input = await levelOf('logic');
    const named = { ...input, settings: { ...input.settings, blsModels: ['slow'] } };
    for (const tool of [tools.native, tools.perf_analyzer]) {
      const point = loadPointSchema.parse(await tool.measure(named));
      expect(point.composing?.map(({ modelName }) => modelName)).toEqual(['slow']);
      expect(point.composing?.[0]?.computeInferUs).toBeGreaterThan(9_000);
      // Within the compute of the one that calls it.
      expect(point.serverComputeInferUs).toBeGreaterThan(point.composing?.[0]?.computeInferUs ?? 0);
    }
    const [slow] = modelParts(loadPointSchema.parse(await tools.native.measure(named)));
    expect(slow).toMatchObject({ modelName: 'slow', bls: true, instances: 1 });
  });

  it('are told by perf_analyzer too', async () => {
    const point = loadPointSchema.parse(await tools.perf_analyzer.measure(await levelOf('outer')));
    const slow = point.composing?.find(({ modelName }) => modelName === 'slow');
    expect(slow?.computeInferUs).toBeGreaterThan(9_000);
    expect(slow?.requestCount).toBeGreaterThan(0);
    expect(point.composing?.map(({ modelName }) => modelName).sort()).toContain('double');
  });
});

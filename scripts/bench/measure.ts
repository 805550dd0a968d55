import { execFile } from 'node:child_process';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { LoadPoint } from '../../main/contract/measured/results';
import type { LoadTool, MeasureInput } from '../../main/perf/load-tool';
import { createTritonClient } from '../../main/triton/client';
import type { TestTriton } from '../../test/support/triton';
import { endedChildrenCpuUs } from './children-cpu';
import type { ChildInput, ChildOutput } from './native-child';
import type { BenchScenario } from './scenarios';

export interface Sample {
  readonly point: LoadPoint;
  /** Of the load tool's own process for each request, over its windows but the first, by the same clock for both. */
  readonly clientCpuUs: number;
  /** Of the load tool's own process from its start to its end, for each request that it sent. */
  readonly wholeCpuUs: number;
  /** Of the built-in load generator alone. */
  readonly own?: {
    /** Most memory that its process ever held, bytes. */
    readonly memoryBytes: number;
    /** Requests that it counted, and by how many the server's own count of successes grew. */
    readonly counted: number;
    readonly served: number;
  };
}

export async function levelInput(
  scenario: BenchScenario,
  triton: TestTriton,
  dir: string,
): Promise<ChildInput['measure']> {
  const work = await mkdtemp(join(dir, `${scenario.model}-`));
  const values = Float32Array.from(
    { length: scenario.elements },
    (_unused, index) => ((index * 37) % 101) / 101,
  );
  await writeFile(join(work, 'values.bin'), Buffer.from(values.buffer));
  return {
    httpAddress: triton.httpAddress,
    grpcAddress: triton.grpcAddress,
    protocol: scenario.protocol,
    modelName: scenario.model,
    modelVersion: '1',
    inputData: {
      source: 'random',
      tensors: [{ name: 'INPUT', datatype: 'FP32', shape: [scenario.elements], files: ['values.bin'] }],
    },
    inputDataDir: work,
    level: { batchSize: 1, concurrency: scenario.concurrency },
    batched: false,
    settings: {
      measurementMode: 'time_windows',
      measurementIntervalMs: scenario.windowMs ?? 1000,
      measurementRequestCount: 50,
      stabilityPercentage: 10,
      maxTrials: 5,
      warmupMs: 1000,
      ...(scenario.sharedMemory === undefined
        ? {}
        : { sharedMemory: scenario.sharedMemory, outputSharedMemoryBytes: scenario.elements * 4 }),
    },
    workDir: work,
  };
}

/** Requests that the server has answered with success. */
async function servedBy(measure: ChildInput['measure']): Promise<number> {
  const statistics = await createTritonClient(measure.httpAddress).modelStatistics(measure.modelName, '1');
  return statistics.reduce((sum, model) => sum + model.success.count, 0);
}

export async function measureNative(
  measure: ChildInput['measure'],
  files: { readonly childFile: string; readonly workerFile: string },
): Promise<Sample> {
  const inputFile = join(measure.workDir, 'native-input.json');
  const outputFile = join(measure.workDir, 'native-output.json');
  const input: ChildInput = { workerFile: files.workerFile, measure };
  await writeFile(inputFile, JSON.stringify(input));
  const before = await servedBy(measure);
  await promisify(execFile)(process.execPath, [files.childFile, inputFile, outputFile]);
  const served = (await servedBy(measure)) - before;
  const { point, requests, cpuUs, warmCpuUs, memoryBytes } = JSON.parse(
    await readFile(outputFile, 'utf8'),
  ) as ChildOutput;
  // With shared memory one more goes over the wire beforehand: the answer that is compared with.
  const references = measure.settings.sharedMemory === undefined ? 0 : 1;
  return {
    point,
    clientCpuUs: warmCpuUs ?? NaN,
    wholeCpuUs: cpuUs / requests,
    own: { memoryBytes, counted: requests, served: served - references },
  };
}

/** perf_analyzer does not say how many requests it sent in all: the server's counter does. */
export async function measureAnalyzer(measure: ChildInput['measure'], tool: LoadTool): Promise<Sample> {
  const before = { requests: await servedBy(measure), cpuUs: endedChildrenCpuUs() };
  const input: MeasureInput = {
    ...measure,
    signal: new AbortController().signal,
    onWindow: () => undefined,
    onLog: () => undefined,
    onCommand: () => undefined,
  };
  const point = await tool.measure(input);
  const requests = (await servedBy(measure)) - before.requests;
  return {
    point,
    clientCpuUs: point.clientCpuUsPerRequest ?? NaN,
    wholeCpuUs: (endedChildrenCpuUs() - before.cpuUs) / requests,
  };
}

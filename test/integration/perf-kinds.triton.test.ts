import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LoadPoint, loadPointSchema } from '../../main/contract/measured/results';
import { loadAndCheckModel } from '../../main/engine/serving';
import type { MeasureInput } from '../../main/perf/load-tool';
import { createLoadTools } from '../../main/perf/load-tools';
import { defaultHome, homeLayout } from '../../main/platform/layout';
import { createTritonClient } from '../../main/triton/client';
import { cli } from '../support/cli';
import { createTestHome, type TestHome } from '../support/home';
import { accumulatingModel, talkativeModel } from '../support/kind-models';
import { rejection } from '../support/rejection';
import { startTestTriton, type TestTriton } from '../support/triton';

const workerFile = join(process.cwd(), 'out', 'main', 'load-worker.cjs');
const tools = createLoadTools({ layout: homeLayout(defaultHome(process.env)), workerFile, env: process.env });
const sequences = { length: 5, lengthVariation: 40, concurrent: 3, firstId: 1 };

let home: TestHome;
let triton: TestTriton;
let dir: string;

const floats = (...values: number[]) => Buffer.from(new Float32Array(values).buffer);

beforeAll(async () => {
  home = await createTestHome();
  dir = await mkdtemp(join(tmpdir(), 'workbench-kinds-'));
  for (let step = 1; step <= 40; step += 1) {
    await writeFile(join(dir, `step-${step}.bin`), floats(step, ...Array<number>(15).fill(0)));
    await writeFile(join(dir, `jump-${step}.bin`), floats(step, 1, ...Array<number>(14).fill(0)));
  }
  await writeFile(join(dir, 'three.bin'), floats(3, 0));
  await writeFile(join(dir, 'none.bin'), floats(0, 0));
  await writeFile(join(dir, 'fails.bin'), floats(1, 1));
  await writeFile(join(dir, 'nan.bin'), floats(3, 2));
  triton = await startTestTriton([
    accumulatingModel,
    talkativeModel,
    { name: 'echo', execute: 'return values.copy()', maxBatchSize: 0 },
  ]);
});
afterAll(async () => {
  await triton.stop();
  await home.remove();
  await rm(dir, { recursive: true, force: true });
});

type Change = Partial<Omit<MeasureInput, 'settings'>> & {
  readonly settings?: Partial<MeasureInput['settings']>;
};

async function levelOf(modelName: string, files: readonly string[], change: Change): Promise<MeasureInput> {
  const stateful = modelName === 'accumulate';
  return {
    ...{ httpAddress: triton.httpAddress, grpcAddress: triton.grpcAddress, protocol: 'grpc' },
    ...{ modelName, modelVersion: '1', inputDataDir: dir, batched: stateful },
    inputData: {
      source: 'dataset',
      tensors: [{ name: 'INPUT', datatype: 'FP32', shape: [stateful ? 16 : 2], files: [...files] }],
    },
    level: { batchSize: 1, concurrency: 3 },
    workDir: await mkdtemp(join(dir, 'work-')),
    signal: new AbortController().signal,
    ...{ onWindow: () => undefined, onLog: () => undefined, onCommand: () => undefined },
    ...change,
    settings: {
      ...{ measurementMode: 'time_windows', measurementIntervalMs: 400, measurementRequestCount: 50 },
      ...{ stabilityPercentage: 1e6, maxTrials: 3, warmupMs: 100 },
      ...change.settings,
    },
  };
}

const steps = Array.from({ length: 40 }, (_unused, index) => `step-${index + 1}.bin`);
const measureSteps = async (change: Change = {}) =>
  loadPointSchema.parse(
    await tools.native.measure(
      await levelOf('accumulate', steps, { ...change, settings: { sequences, ...change.settings } }),
    ),
  );

const statisticsOf = async (model: string) => {
  const [statistics] = await createTritonClient(triton.httpAddress).modelStatistics(model, '1');
  return statistics;
};

describe('a stateful model', () => {
  it.each([
    ['grpc', {}],
    ['http', { protocol: 'http' as const }],
    ['a gRPC stream', { settings: { streaming: true } }],
    ['ids that are used again', { settings: { sequences: { ...sequences, firstId: 9, endId: 13 } } }],
    ['a request rate', { level: { batchSize: 1, concurrency: 3, requestRate: 150 } }],
  ])('takes every request in its order, over %s', async (_what, change: Change) => {
    const point = await measureSteps(change);
    expect(point.errorsByKind).toBeUndefined();
    expect(point).toMatchObject({
      errorCount: 0,
      sequences: { length: 5, lengthVariation: 40, concurrent: 3 },
    });
    // Lengths lie between 3 and 7.
    const rate = point.sequences?.endedPerSecond ?? 0;
    expect(rate).toBeGreaterThan(point.inferencesPerSecond / 9);
    expect(rate).toBeLessThan(point.inferencesPerSecond / 2);
    // Every sequence that a level began it has ended: else this one would be one too many.
    expect((await statisticsOf('accumulate'))?.success.count).toBeGreaterThan(point.requestCount ?? 0);
  });

  it('is left without open sequences: the same ids start anew in the next level', async () => {
    // The samples are 40: a sequence of more would begin again at the first.
    const long = { ...sequences, length: 39, lengthVariation: 0, endId: 4 };
    const settings = { sequences: long, measurementIntervalMs: 50, warmupMs: 0 };
    for (let round = 0; round < 2; round += 1) {
      expect((await measureSteps({ settings })).errorsByKind).toBeUndefined();
    }
  });

  it('refuses single requests with the remedy, and a model without state refuses sequences', async () => {
    const single = await rejection(tools.native.measure(await levelOf('accumulate', steps, {})));
    expect(single).toMatchObject({ code: 'combination-unsupported', where: 'performance.sequences' });
    expect(single.remedy).toContain('length of the sequences');
    const peer = await rejection(tools.perf_analyzer.measure(await levelOf('accumulate', steps, {})));
    expect(peer.code).toBe('combination-unsupported');
  });

  it.each(['native', 'perf_analyzer'] as const)(
    'takes streams of input data as sequences from %s',
    async (tool) => {
      // A request of another stream, or beyond the end of its own, would be out of order.
      const streams = [2, 5, 3];
      const files = streams
        .flatMap((length) => steps.slice(0, length))
        .map((file) => (tool === 'native' ? file : file.replace('step', 'jump')));
      const level = await levelOf('accumulate', files, { settings: { sequences } });
      const inputData = { ...level.inputData, streams };
      const point = loadPointSchema.parse(await tools[tool].measure({ ...level, inputData }));
      expect(point.errorCount).toBe(0);
      expect(point.sequences).toMatchObject({ length: 3 });
      expect(point.sequences?.lengthVariation).toBeCloseTo(50, 6);
      const length = point.inferencesPerSecond / (point.sequences?.endedPerSecond ?? 0);
      expect(length).toBeGreaterThan(2);
      expect(length).toBeLessThan(5);
    },
  );

  it('is measured by perf_analyzer with its own flags', async () => {
    const point = await tools.perf_analyzer.measure(
      // It sends the first sample alone: whether the sums are right is not what is asked here.
      await levelOf('accumulate', ['step-1.bin'], {
        settings: { sequences: { ...sequences, length: 1, lengthVariation: 0 } },
      }),
    );
    expect(point.sequences?.endedPerSecond).toBeGreaterThan(0);
    expect(point.errorCount).toBe(0);
  });
});

describe('a decoupled model', () => {
  const talk = async (files: readonly string[], change: Change = {}) =>
    tools.native.measure(
      await levelOf('talk', files, { ...change, settings: { streaming: true, ...change.settings } }),
    );

  it('tells when the first, each further and the final answer came', async () => {
    const point = loadPointSchema.parse(
      await talk(['three.bin'], { level: { batchSize: 1, concurrency: 1 } }),
    );
    expect(point).toMatchObject({
      errorCount: 0,
      streaming: { decoupled: true, responsesPerRequest: 3, fewestResponses: 3, mostResponses: 3 },
    });
    const { firstResponse, interResponse, finalResponse } = point.streaming ?? {};
    // The model waits 10 ms before each answer, and before the end.
    expect(firstResponse?.p50Us).toBeGreaterThan(10_000);
    expect(interResponse?.p50Us).toBeGreaterThan(9000);
    expect(point.p50Us).toBeGreaterThan(30_000);
    expect(finalResponse?.p50Us).toBeGreaterThan((point.p50Us ?? NaN) + 9000);
    expect(firstResponse?.p50Us).toBeLessThan(point.p50Us ?? NaN);
  });

  it('may answer nothing but the end', async () => {
    const point = await talk(['none.bin', 'three.bin']);
    expect(point.errorsByKind).toBeUndefined();
    expect(point.streaming).toMatchObject({ fewestResponses: 0, mostResponses: 3 });
  });

  it('that fails on the way is counted with its words', async () => {
    const point = await talk(['fails.bin', 'three.bin']);
    expect(point.errorsByKind).toMatchObject([{ kind: 'error answer', message: 'asked to fail' }]);
    expect(point.flags).toContain('errors');
  });

  it('has its intermediate answers decoded and checked', async () => {
    // The first answer to each entry is looked at, whenever it comes.
    const files = Array.from({ length: 20 }, () => ['nan.bin', 'three.bin']).flat();
    const point = await talk(files, { settings: { checkOutputs: 'finite' } });
    expect(point.wrongByKind?.map(({ kind }) => kind)).toEqual(['output not finite']);
    const { checkedCount = 0, wrongCount = 0 } = point.outputChecks ?? {};
    // Whole requests of three answers, of which one is wrong in half of them.
    expect([checkedCount % 3, wrongCount < checkedCount / 3]).toEqual([0, true]);
    expect(wrongCount).toBeGreaterThan(0);
    expect((await talk(['nan.bin'])).wrongByKind).toBeUndefined();
  });

  it('has every request in the counts of the server', async () => {
    const before = (await statisticsOf('talk'))?.success.count ?? 0;
    const point = await talk(['three.bin']);
    const after = (await statisticsOf('talk'))?.success.count ?? 0;
    expect(after - before).toBeGreaterThanOrEqual(point.requestCount ?? Infinity);
  });

  it('refuses single calls with the remedy', async () => {
    const error = await rejection(tools.native.measure(await levelOf('talk', ['three.bin'], {})));
    expect(error).toMatchObject({ code: 'combination-unsupported', where: 'performance.streaming' });
    expect(error.remedy).toContain('streaming');
  });

  it('is measured by perf_analyzer with its own flag', async () => {
    const input = await levelOf('talk', ['three.bin'], { settings: { streaming: true } });
    const point = loadPointSchema.parse(await tools.perf_analyzer.measure(input));
    expect(point.streaming?.decoupled).toBe(true);
    expect(point.streaming?.responsesPerRequest).toBeCloseTo(3, 0);
    expect(point.streaming?.firstResponse).toBeNull();
  });
});

describe('the canary', () => {
  const canary = async (modelName: string, ...values: number[]) => {
    const client = createTritonClient(triton.httpAddress);
    const shape = modelName === 'accumulate' ? [1, values.length] : [values.length];
    await loadAndCheckModel({
      ...{ client, modelName, modelVersion: '1', load: false },
      grpc: { address: triton.grpcAddress, tls: null },
      config: await client.modelConfig(modelName, '1'),
      canary: [{ name: 'INPUT', datatype: 'FP32', shape, data: floats(...values) }],
    });
  };

  it('of a stateful model is a sequence of its own', async () => {
    const first = [1, ...Array<number>(15).fill(0)];
    for (let round = 0; round < 2; round += 1) await canary('accumulate', ...first);
    const error = await rejection(canary('accumulate', 2, ...first.slice(1)));
    expect([error.code, error.details]).toEqual([
      'inference-failed',
      expect.stringContaining('out of order'),
    ]);
  });

  it('of a decoupled model waits for the final answer, and several are refused', async () => {
    await canary('talk', 1, 0);
    await canary('talk', 0, 0);
    expect((await rejection(canary('talk', 1, 1))).details).toContain('asked to fail');
    const several = await rejection(canary('talk', 3, 0));
    expect([several.code, several.message]).toEqual([
      'combination-unsupported',
      expect.stringContaining('3 responses'),
    ]);
  });
});

describe('a model with one answer over a stream', () => {
  it('has one response a request', async () => {
    const point = await tools.native.measure(
      await levelOf('echo', ['three.bin'], { settings: { streaming: true } }),
    );
    expect(point.errorsByKind).toBeUndefined();
    expect(point.streaming).toMatchObject({ decoupled: false, responsesPerRequest: 1, interResponse: null });
  });
});

describe('the verb', () => {
  const perf = (...args: string[]) =>
    cli(
      home.path,
      ...['perf', '--url', `http://${triton.httpAddress}`, '--grpc-url', triton.grpcAddress, '--json'],
      ...['--measurement-interval-ms', '200', '--warmup-ms', '50', '--max-trials', '3', ...args],
    );

  it('measures a decoupled model and prints what a stream has', async () => {
    const result = await perf('--model', 'talk', '--shape', 'INPUT:2', '--streaming', '--input-data', 'zero');
    expect(result.code).toBe(0);
    const { points } = JSON.parse(result.stdout) as { points: LoadPoint[] };
    expect(points[0]?.streaming).toMatchObject({ mostResponses: 0, firstResponse: null });
  });

  it.each([
    ['a stateful model without sequences', ['--model', 'accumulate'], 'combination-unsupported'],
    [
      'sequences of a model without state',
      ['--model', 'echo', '--sequence-length', '3'],
      'combination-unsupported',
    ],
    ['an empty range of ids', ['--model', 'accumulate', '--sequence-id-range', '5:5'], 'input-invalid'],
    ['a length that is none', ['--model', 'accumulate', '--sequence-length', '0'], 'input-invalid'],
    ['TLS options without TLS', ['--model', 'echo', '--tls-insecure'], 'input-invalid'],
  ])('refuses %s', async (_what, args, code) => {
    const result = await perf(...args);
    expect((JSON.parse(result.stdout) as { error: { code: string } }).error.code).toBe(code);
    expect(result.code).not.toBe(0);
  });

  it.each([
    ['--sequence-length', ['--model', 'accumulate']],
    ['--sequence-id-range', ['--model', 'echo', '--sequence-id-range', '1:9']],
    ['--streaming', ['--model', 'talk', '--shape', 'INPUT:2']],
    ['--shape', ['--model', 'talk', '--streaming']],
    ['--model', ['--model', 'nothing']],
  ])('names the option, also of what the server refuses: %s', async (where, args) => {
    const result = await perf(...args);
    expect((JSON.parse(result.stdout) as { error: { where: string } }).error.where).toBe(where);
  });
});

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { GpuReading } from '../../../main/contract/machine';
import { withReadings } from '../../../main/perf/readings';
import { pointFixture } from '../../support/run-state';

const uuid = 'GPU-1';
const loadPoint = pointFixture({});
const metrics = `nv_gpu_utilization{gpu_uuid="${uuid}"} 0.5
nv_gpu_power_usage{gpu_uuid="${uuid}"} 60
nv_gpu_memory_used_bytes{gpu_uuid="${uuid}"} 1000
nv_gpu_memory_total_bytes{gpu_uuid="${uuid}"} 4000
nv_cpu_utilization 0.25
`;

let server: Server | null = null;
afterEach(() => {
  server?.close();
  server = null;
});

/** Triton's metrics as they stand in `text`, and how often they were asked for. */
async function serve(text: string) {
  const asked = { count: 0 };
  const opened = createServer((_request, response) => {
    asked.count += 1;
    response.end(text);
  });
  server = opened;
  await new Promise<void>((resolve) => opened.listen(0, '127.0.0.1', resolve));
  return { asked, address: `127.0.0.1:${(opened.address() as AddressInfo).port}` };
}

const until = async (isTrue: () => boolean) => {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 10));
};

const reading = (change: Partial<GpuReading>): GpuReading => ({
  uuid,
  utilization: 1,
  memoryUsedBytes: 2000,
  memoryTotalBytes: 4000,
  powerW: 70,
  smClockMHz: 1500,
  throttles: [],
  ...change,
});

describe('a level', () => {
  it('carries what Triton says of its GPUs', async () => {
    const { address, asked } = await serve(metrics);
    const point = await withReadings({ metricsAddress: address }, async () => {
      await until(() => asked.count > 1);
      return loadPoint;
    });
    expect(point.gpus).toEqual([
      { uuid, utilization: 0.5, powerW: 60, maxMemoryBytes: 1000, totalMemoryBytes: 4000 },
    ]);
    expect(point.serverCpuShare).toBe(0.25);
    expect(point.flags).toEqual(loadPoint.flags);
  });

  it('carries clocks, and a mark where they were held down, of the GPUs that Triton may use', async () => {
    const { address } = await serve(metrics);
    const done = { all: false };
    const watchGpus = (onReading: (one: GpuReading) => void) => {
      onReading(reading({}));
      onReading(reading({ utilization: 0.5, smClockMHz: 1300, powerW: null, throttles: ['temperature'] }));
      onReading(reading({ uuid: 'GPU-2', throttles: ['power limit'] }));
      done.all = true;
      return Promise.resolve();
    };
    const point = await withReadings({ metricsAddress: address, watchGpus }, async () => {
      await until(() => done.all);
      return loadPoint;
    });
    expect(point.gpus).toEqual([
      {
        uuid,
        utilization: 0.75,
        powerW: 70,
        maxMemoryBytes: 2000,
        totalMemoryBytes: 4000,
        smClockMHz: 1400,
        throttledShare: 0.5,
        throttledBy: ['temperature'],
      },
    ]);
    expect(point.flags).toEqual([...loadPoint.flags, 'clocks-throttled']);
  });

  // Levels of a ResNet50 in ONNX with CUDA behind dynamic batching, on an H200.
  it.each([
    [
      'most of the time on something else than its GPU',
      { utilization: 0.003, rate: 7.78, inferUs: 718_100 },
      true,
    ],
    ['with its GPU', { utilization: 0.37, rate: 398.8, inferUs: 1590 }, false],
    ['seldom', { utilization: 0.003, rate: 7.78, inferUs: 1590 }, false],
  ])('is marked where Triton computes %s: %j', async (_what, { utilization, rate, inferUs }, isIdle) => {
    const { address } = await serve(metrics);
    const done = { all: false };
    const watchGpus = (onReading: (one: GpuReading) => void) => {
      onReading(reading({ utilization }));
      done.all = true;
      return Promise.resolve();
    };
    const point = await withReadings({ metricsAddress: address, watchGpus }, async () => {
      await until(() => done.all);
      return { ...loadPoint, batchSize: 1, inferencesPerSecond: rate, serverComputeInferUs: inferUs };
    });
    expect(point.flags.includes('gpu-idle')).toBe(isIdle);
  });

  it('leaves out what was read before its first window', async () => {
    const { address } = await serve(metrics);
    const done = { all: false };
    let emit: (one: GpuReading) => void = () => undefined;
    const watchGpus = (onReading: (one: GpuReading) => void) => {
      onReading(reading({ smClockMHz: 300 }));
      emit = onReading;
      done.all = true;
      return Promise.resolve();
    };
    const point = await withReadings({ metricsAddress: address, watchGpus }, async (onWindow) => {
      await until(() => done.all);
      await new Promise((resolve) => setTimeout(resolve, 100));
      emit(reading({ smClockMHz: 1500 }));
      onWindow(50_000);
      return loadPoint;
    });
    expect(point.gpus?.[0]?.smClockMHz).toBe(1500);
  });

  it.each([
    ['a CPU alone', 'nv_cpu_utilization 0.25\n', 0.25],
    ['a server that says something else', '<html>', undefined],
  ])('says nothing of GPUs on %s', async (_name, text, share) => {
    const { address, asked } = await serve(text);
    const watchGpus = () => Promise.reject(new Error('nobody asks for GPUs'));
    const point = await withReadings({ metricsAddress: address, watchGpus }, async () => {
      await until(() => asked.count > 1);
      return loadPoint;
    });
    expect(point).not.toHaveProperty('gpus');
    expect(point.serverCpuShare).toBe(share);
  });

  it('ends as its measurement does, with metrics or without', async () => {
    const failing = () => Promise.reject(new Error('no result'));
    await expect(withReadings({ metricsAddress: null }, failing)).rejects.toThrow('no result');
    const { address } = await serve(metrics);
    await expect(withReadings({ metricsAddress: address }, failing)).rejects.toThrow('no result');
  });
});

import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { GpuFacts } from '../../../../main/contract/machine';
import type { Preset } from '../../../../main/contract/run/preset';
import { parseNvidiaSmi } from '../../../../main/machine/nvidia-smi';
import { readPresets } from '../../../../main/presets/presets';
import { readCapture } from '../../machine/captures';

interface Device {
  readonly id: string;
  readonly gpu: string;
  readonly slice: number | null;
}
interface Job {
  readonly id: string;
  readonly preset: string;
  readonly device: Device;
  readonly published: string | null;
  readonly args: readonly string[];
}
interface Suite {
  gpuProblem(answer: { started: boolean; code: number; output: string }): string | null;
  devicesOf(gpus: readonly GpuFacts[], wanted: string | null): readonly Device[];
  jobsOf(
    presets: readonly Preset[],
    devices: readonly Device[],
    options?: { wanted: string[] },
  ): readonly Job[];
  levelArgs(spec: { performance: { batchSizes: number[]; concurrency: number[] } }): readonly string[];
  rowOf(job: Job, spec: object | null, end: object): Record<string, unknown>;
  tablesOf(rows: readonly Record<string, unknown>[]): string;
  dockerFacts(info: object): object;
}

const suite = (await import(resolve('scripts/lib/gpu-suite.mjs'))) as Suite;
const presets = [...readPresets(resolve('resources')).values()].map(({ preset }) => preset);

async function gpusOf(...names: readonly string[]): Promise<readonly GpuFacts[]> {
  const reports = await Promise.all(names.map(async (name) => parseNvidiaSmi(await readCapture(name))));
  return reports.flatMap((report) => report?.gpus ?? []).map((gpu, index) => ({ ...gpu, index }));
}

/** With the UUIDs that `nvidia-smi -L` adds to the report. */
const withSliceIds = (gpus: readonly GpuFacts[]): readonly GpuFacts[] =>
  gpus.map((gpu) => ({
    ...gpu,
    mig: {
      ...gpu.mig,
      devices: gpu.mig.devices.map((slice) => ({ ...slice, uuid: `MIG-${String(slice.index)}` })),
    },
  }));

describe('npm run test:gpu without a GPU', () => {
  it('refuses at once, with what is missing and a failure for a shell', async () => {
    const end = await new Promise<{ code: unknown; stderr: string }>((done) => {
      const env = { ...process.env, PATH: '/nonexistent' };
      execFile(process.execPath, ['scripts/gpu.mjs'], { env }, (error, _stdout, stderr) => {
        done({ code: error?.code, stderr });
      });
    });
    expect(end).toEqual({
      code: 1,
      stderr:
        'error: npm run test:gpu needs an NVIDIA GPU: nvidia-smi is not installed. Install the NVIDIA driver on a machine with a GPU and run the command again there.\n',
    });
  });

  it('tells a driver that fails from a machine without a GPU', async () => {
    expect(suite.gpuProblem({ started: true, code: 9, output: '' })).toContain('exit code 9');
    expect(suite.gpuProblem({ started: true, code: 0, output: '<nvidia_smi_log/>' })).toContain('lists none');
    const output = await readCapture('tesla-t4.xml');
    expect(suite.gpuProblem({ started: true, code: 0, output })).toBe(null);
  });
});

describe('the device of the suite', () => {
  it('is the idlest GPU, or the one that is named by index or UUID', async () => {
    const gpus = await gpusOf('tesla-t4.xml', 'rtx-3080-v13.xml');
    const [t4, rtx] = gpus;
    const busy = gpus.map((gpu, index) => ({
      ...gpu,
      load: { ...gpu.load, gpuPercent: index === 0 ? 80 : 3 },
    }));
    expect(suite.devicesOf(busy, null)).toEqual([{ id: rtx?.uuid, gpu: rtx?.name, slice: null }]);
    for (const wanted of ['0', t4?.uuid ?? ''])
      expect(suite.devicesOf(busy, wanted)).toEqual([{ id: t4?.uuid, gpu: t4?.name, slice: null }]);
    expect(() => suite.devicesOf(busy, '7')).toThrow(/this machine has 0 \(Tesla T4, GPU-.*\), 1 \(/);
  });

  it('is each slice of a GPU in MIG mode, or the one that is named; without slices there is none', async () => {
    const gpus = await gpusOf('a100-sxm4-v12.xml');
    const slices = withSliceIds(gpus);
    expect(suite.devicesOf(slices, '0').map(({ id, slice }) => [id, slice])).toEqual(
      slices[0]?.mig.devices.map(({ uuid, index }) => [uuid, index]),
    );
    expect(suite.devicesOf(slices, 'MIG-1').map(({ id }) => id)).toEqual(['MIG-1']);
    // The report of this driver has no UUIDs of slices.
    expect(() => suite.devicesOf(gpus, null)).toThrow('create one');
  });
});

describe('the runs of the suite', () => {
  it('are every preset as published for the GPU, and as a plan where that is another format', async () => {
    const devices = suite.devicesOf(await gpusOf('tesla-t4.xml'), null);
    const jobs = suite.jobsOf(presets, devices);
    expect(jobs.map(({ id }) => id)).toEqual([
      ...['fastpitch-published', 'nnunet-published', 'nnunet-trt', 'resnet50-published', 'resnet50-trt'],
      ...['tft-published', 'wide-and-deep-published', 'wide-and-deep-trt'],
    ]);
    for (const { published, args } of jobs) {
      expect(published).toBe('T4');
      expect(args.join(' ')).toContain(
        `--profile full --gpu T4 --engine docker --images ngc --gpus ${devices[0]?.id ?? ''}`,
      );
    }
  });

  it('are one on each further slice, and of what is asked for only', async () => {
    const devices = suite.devicesOf(withSliceIds(await gpusOf('a100-sxm4-v12.xml')), null);
    const jobs = suite.jobsOf(presets, devices, { wanted: ['tft'] });
    expect(jobs.map(({ id }) => id)).toEqual(
      devices.map(({ slice }) => `tft-published-slice-${String(slice)}`),
    );
    expect(devices.length).toBeGreaterThan(1);
    expect(() => suite.jobsOf(presets, devices, { wanted: ['other'] })).toThrow('Unknown preset "other"');
  });

  it('take the defaults of a published GPU on one of which nothing is published', async () => {
    const jobs = suite.jobsOf(presets, suite.devicesOf(await gpusOf('rtx-3080-v13.xml'), null));
    expect(new Set(jobs.map(({ published }) => published))).toEqual(new Set(['A100']));
  });

  it('measure the least and the most of each sweep', () => {
    const level = (batchSizes: number[], concurrency: number[]) =>
      suite.levelArgs({ performance: { batchSizes, concurrency } });
    expect(level([1, 2, 4], [1, 8, 256])).toEqual(['--batch-sizes', '1,4', '--concurrency', '1,256']);
    expect(level([4], [1, 2])).toEqual(['--batch-sizes', '4', '--concurrency', '1,2']);
  });
});

describe('the table', () => {
  const job: Job = {
    id: 'tft-published',
    preset: 'tft',
    device: { id: 'GPU-1', gpu: 'Tesla T4', slice: null },
    published: 'T4',
    args: [],
  };
  const spec = { format: 'trt', precision: 'fp16', release: '26.07' };
  const gpu = { uuid: 'GPU-1', utilization: 0.9, powerW: 60, maxMemoryBytes: 5, totalMemoryBytes: 9 };
  const point = { batchSize: 1, concurrency: 1, inferencesPerSecond: 1234.567, p99Us: 1500 };

  it('has steps, accuracy, levels and the readings that came', () => {
    const row = suite.rowOf(job, spec, {
      code: 0,
      errors: '',
      document: {
        steps: [{ id: 'export', status: 'done' }],
        accuracy: {
          passed: true,
          reasons: [],
          outputs: [{ maxAbsDiff: 0.25 }],
          metrics: [{ name: 'top1', framework: 0.5, triton: 0.75 }],
        },
        offline: [{ ...point, gpus: [gpu] }],
        online: [point],
      },
    });
    expect(row).toMatchObject({
      ...{ gpu: 'Tesla T4', release: '26.07', result: 'done', ok: true, steps: { export: 'done' } },
      accuracy: 'passed; top1 0.5 / 0.75; largest difference 0.25',
      offline: 'b1 c1: 1235/s, p99 1.5 ms',
      readings: 'utilization, power, memory in 1 of 2 levels',
    });
    const [head = '', , line = ''] = suite.tablesOf([row]).split('\n');
    expect(head.split('|')).toHaveLength(line.split('|').length);
  });

  it('has the reason of a run that failed, and of one that was refused before it began', () => {
    const failed = { steps: [{ id: 'deploy', status: 'failed', error: { message: 'No | memory' } }] };
    const row = suite.rowOf(job, spec, { code: 1, errors: 'x', document: failed });
    expect(row).toMatchObject({ ok: false, result: 'exit code 1: No | memory', readings: '–' });
    expect(suite.tablesOf([row])).toContain('exit code 1: No / memory');
    const refused = suite.rowOf(job, null, { code: 2, errors: 'a\nno driver\n', document: null });
    expect(refused).toMatchObject({ ok: false, result: 'exit code 2: no driver', release: '–' });
  });
});

it('leaves names, proxies and registries of the engine out of the bundle', () => {
  const facts = suite.dockerFacts({
    ...{ Name: 'secret', HttpProxy: 'http://user:secret@proxy', Labels: ['secret'], ServerVersion: '28.0' },
    RegistryConfig: { secret: true },
    Runtimes: { nvidia: { path: 'nvidia-container-runtime', runtimeArgs: ['secret'] } },
  });
  expect(facts).toEqual({
    ServerVersion: '28.0',
    Runtimes: { nvidia: { path: 'nvidia-container-runtime' } },
  });
});

import { resolve } from 'node:path';
import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { addFieldOptions, flagOf, impliedEngine, readFieldOptions } from '../../../main/cli/field-options';
import { fields } from '../../../main/contract/fields/fields';

const read = (verb: 'run' | 'perf', ...args: string[]) => {
  const command = addFieldOptions(new Command(verb).exitOverride(), verb);
  command.parse(args, { from: 'user' });
  return readFieldOptions(command.opts(), verb);
};
const flagsOf = (verb: 'run' | 'perf') =>
  addFieldOptions(new Command(verb), verb)
    .options.filter(({ hidden }) => !hidden)
    .map(({ long }) => long);

describe('the options of fields', () => {
  it('are those of the load for perf, and all for run', () => {
    const ofRuns = fields.filter(({ serverOnly }) => serverOnly !== true);
    expect(flagsOf('run')).toEqual(ofRuns.flatMap(({ option }) => option?.split(' ')[0] ?? []));
    const load = fields.filter(({ path, runOnly }) => path.startsWith('performance.') && runOnly !== true);
    expect(flagsOf('perf')).toEqual(load.flatMap(({ option }) => option?.split(' ')[0] ?? []));
  });

  it('are read as the schema takes them, for both verbs alike', async () => {
    const args = [
      ...['--batch-sizes', '1:5:2', '--concurrency', '2,4', '--request-rate', '0.5:1.5:0.5'],
      ...['--protocol', 'http', '--warmup-ms', '0', '--cross-check', '--sequence-id-range', '3:9'],
    ];
    const performance = {
      ...{ batchSizes: [1, 3, 5], concurrency: [2, 4], requestRates: [0.5, 1, 1.5] },
      ...{ protocol: 'http', warmupMs: 0, crossCheck: true, sequences: { firstId: 3, endId: 9 } },
    };
    expect(await read('run', ...args)).toEqual({ performance });
    expect(await read('perf', ...args)).toEqual({ performance });
  });

  it('say paths from where the command is given, lists, and names of outputs', async () => {
    expect(
      await read(
        ...(['run', '--checkpoint', 'w.pt', '--gpus', 'GPU-1, GPU-2', '--atol', '1e-3'] as const),
        ...['--atol', 'OUTPUT__0=0.5', '--allow-unverified', '--input-data', 'values.npz'],
      ),
    ).toEqual({
      model: { checkpoint: resolve('w.pt') },
      engine: { gpus: ['GPU-1', 'GPU-2'] },
      accuracy: { atol: { '*': 1e-3, OUTPUT__0: 0.5 }, allowUnverified: true },
      performance: { inputData: 'file', inputDataFile: resolve('values.npz') },
    });
  });

  it('take names with texts where the field has texts', async () => {
    const args = [
      '--slurm-option',
      'qos=high',
      '--slurm-option',
      'cpus-per-task=8',
      '--slurm-option',
      'comment=a=b',
    ];
    const label = ['--kubernetes-node-selector', 'nvidia.com/gpu.product=NVIDIA-A30'];
    expect(await read('run', ...args, ...label)).toEqual({
      engine: {
        options: { qos: 'high', 'cpus-per-task': '8', comment: 'a=b' },
        nodeSelector: { 'nvidia.com/gpu.product': 'NVIDIA-A30' },
      },
    });
    for (const value of ['qos', '=high', 'qos=']) {
      await expect(read('run', '--slurm-option', value)).rejects.toMatchObject({ where: '--slurm-option' });
    }
  });

  it.each([
    ['docker', ['--gpus', 'idlest']],
    ['docker', ['--release', '26.07', '--http-port', '8000']],
    ['remote', ['-u', 'localhost:8000']],
    ['slurm', ['--slurm-profile', 'gpu', '--slurm-partition', 'gpu']],
    ['slurm', ['--slurm-container', 'pyxis', '--slurm-image', 'a.sqsh']],
    ['kubernetes', ['--kubernetes-gpus', '1']],
    [null, []],
    [null, ['--batch-sizes', '1']],
    [null, ['--http-port', '8000']],
    // Fields of both schedulers, and a name for each.
    ['slurm', ['--slurm-profile', 'gpu']],
    ['kubernetes', ['--kubernetes-profile', 'gpu', '--kubernetes-pause-ahead', '90']],
    [null, ['--gpus', 'all', '--slurm-partition', 'gpu']],
  ])('imply the engine %s: %j', (engine, args) => {
    const command = addFieldOptions(new Command('run').exitOverride(), 'run');
    command.parse(args, { from: 'user' });
    expect(impliedEngine(command.opts())).toBe(engine);
  });

  it('take times with a unit, and addresses without a scheme', async () => {
    const args = ['--measurement-interval-ms', '2s', '--warmup-ms', '250', '--latency-threshold', '500us'];
    expect(await read('perf', ...args)).toEqual({
      performance: { measurementIntervalMs: 2000, warmupMs: 250, latencyThresholdMs: 0.5 },
    });
    expect(await read('run', '--max-queue-delay-us', '1.5ms', '-u', 'triton:8000')).toEqual({
      configure: { maxQueueDelayUs: 1500 },
      engine: { url: 'http://triton:8000' },
    });
    await expect(read('run', '--warmup-ms', '2 weeks')).rejects.toMatchObject({ where: '--warmup-ms' });
  });

  it('have each name once, those of perf_analyzer too', () => {
    const names = fields.flatMap(({ option, aliases = [] }) =>
      [option?.split(' ')[0] ?? [], ...aliases].flat(),
    );
    expect(new Set(names).size).toBe(names.length);
  });

  it('are named where a value is refused', async () => {
    await expect(read('run', '--max-trials', 'many')).rejects.toMatchObject({ where: '--max-trials' });
    expect(flagOf('performance.batchSizes.0')).toBe('--batch-sizes');
    expect(flagOf('performance.outputSharedMemoryBytes')).toBe('--output-shared-memory-size');
    expect(flagOf('performance.nothing')).toBe('performance.nothing');
  });
});

import { describe, expect, it } from 'vitest';
import { visibleGpus } from '../../../../main/contract/run/engine-kinds';
import type { RunSpec } from '../../../../main/contract/run/run-spec';
import { instanceGroupOf, instancesText } from '../../../../main/domain/run/serving';
import { specFixture } from '../../../support/run-state';

const { configure: base } = specFixture();

type Engine = RunSpec['engine'];
const docker = (...gpus: string[]): Engine => ({ kind: 'docker', gpus, shmSizeMiB: 1024 });
const mig = 'nvidia.com/mig-1g.10gb';
const remote: Engine = { kind: 'remote', url: 'http://h:8000' };

const spec = (engine: Engine, configure: Partial<RunSpec['configure']> = {}) => ({
  engine,
  configure: { ...base, instances: 2, instanceKind: 'KIND_AUTO' as const, configPatch: {}, ...configure },
});

describe('GPUs as Triton sees them', () => {
  it.each<[string, Engine, readonly number[] | null]>([
    ['none of a Triton started here', { kind: 'local' }, []],
    ['none in images for the CPU', { kind: 'docker', images: 'cpu', gpus: ['GPU-1'], shmSizeMiB: 64 }, []],
    ['the idlest', docker('idlest'), [0]],
    ['two, and one of them twice', docker('GPU-b', 'GPU-a', 'GPU-b'), [0, 1]],
    ['one MIG device per process', docker('MIG-1', 'MIG-2'), [0]],
    ['a MIG device by its number', docker('0:1'), [0]],
    ['an unknown number of a machine', docker('all'), null],
    ['an unknown number elsewhere', remote, null],
    ['those that a pod asks for', { kind: 'kubernetes', gpuCount: 2 }, [0, 1]],
    ['one of the MIG devices of a pod', { kind: 'kubernetes', gpuCount: 2, gpuResource: mig }, [0]],
    ['none of a pod that asks for none', { kind: 'kubernetes', gpuCount: 0 }, []],
    ['none of a pod with the Triton of the home', { kind: 'kubernetes', gpuCount: 1, triton: 'home' }, []],
    ['an unknown number of a pod that does not say', { kind: 'kubernetes' }, null],
  ])('%s', (_what, engine, expected) => {
    expect(visibleGpus(engine)).toEqual(expected);
  });
});

describe('model instances', () => {
  it.each<[string, Engine, Partial<RunSpec['configure']>, unknown, string]>([
    ['on the CPU', { kind: 'local' }, {}, { count: 2, kind: 'KIND_CPU' }, '2, KIND_CPU'],
    ['on one GPU', docker('GPU-a'), {}, { count: 2, kind: 'KIND_GPU', gpus: [0] }, '2 on 1 GPU'],
    [
      'on several GPUs',
      docker('GPU-a', 'GPU-b'),
      { instanceKind: 'KIND_GPU' },
      { count: 2, kind: 'KIND_GPU', gpus: [0, 1] },
      '2 GPUs × 2 instances = 4',
    ],
    [
      'on the CPU of a container with GPUs',
      docker('GPU-a', 'GPU-b'),
      { instanceKind: 'KIND_CPU' },
      { count: 2, kind: 'KIND_CPU' },
      '2, KIND_CPU',
    ],
    [
      'on all GPUs of a machine that is not known',
      docker('all'),
      { instances: 1 },
      { count: 1, kind: 'KIND_AUTO' },
      '1 per GPU of the machine, KIND_AUTO',
    ],
    ['elsewhere', remote, {}, { count: 2, kind: 'KIND_AUTO' }, '2 per GPU of the server, KIND_AUTO'],
    [
      'as edited by hand',
      docker('GPU-a', 'GPU-b', 'GPU-c'),
      {
        configPatch: {
          instanceGroup: [
            { count: 3, kind: 'KIND_GPU', gpus: [1] },
            { kind: 'KIND_AUTO' },
            { kind: 'KIND_CPU' },
          ],
        },
      },
      { count: 2, kind: 'KIND_GPU', gpus: [0, 1, 2] },
      '3 on 1 GPU; 3 GPUs × 1 instance = 3; 1, KIND_CPU',
    ],
  ])('%s', (_what, engine, configure, group, text) => {
    expect(instanceGroupOf(spec(engine, configure))).toEqual(group);
    expect(instancesText(spec(engine, configure))).toBe(text);
  });
});

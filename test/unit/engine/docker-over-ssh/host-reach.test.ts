import { describe, expect, it } from 'vitest';
import type { GpuFacts, GpuReport } from '../../../../main/contract/machine';
import type { DockerEngineSpec } from '../../../../main/contract/run/run-spec';
import { releaseNeeds } from '../../../../main/engine/docker/run-images';
import { hostFit, type HostNeeds } from '../../../../main/engine/docker-over-ssh/host-reach';
import { gibibyte, gpuWith, localDocker, releases } from '../../machine/preflight-input';

const a30 = gpuWith({ name: 'NVIDIA A30', uuid: 'GPU-a30', memoryTotalBytes: 24 * gibibyte });
const t4 = gpuWith({
  ...{ name: 'Tesla T4', uuid: 'GPU-t4', computeCapability: '7.5', architecture: 'Turing' },
  memoryTotalBytes: 15 * gibibyte,
});
const busy = (gpu: GpuFacts): GpuFacts => ({ ...gpu, load: { ...gpu.load, gpuPercent: 90 } });

const hostWith = (gpus: readonly GpuFacts[] | null, driverVersion = '580.82.07') => ({
  docker: localDocker,
  gpus:
    gpus === null ? null : ({ driverVersion, cudaVersion: null, gpus, problem: null } satisfies GpuReport),
});

const needing = (change: Partial<DockerEngineSpec> = {}, more: Partial<HostNeeds> = {}): HostNeeds => {
  const engine: DockerEngineSpec = { kind: 'docker', gpus: ['idlest'], shmSizeMiB: 1024, ...change };
  const release = { needs: releaseNeeds(engine, 'onnx'), releases };
  return { engine, targetGpu: null, gpuMemoryBytes: null, release, ...more };
};
const asked = { gpus: null, misfit: null };

describe('a host for a run', () => {
  it('is any for a run without GPUs', () => {
    expect(
      hostFit(needing({ gpus: [] }, { targetGpu: 'A30', gpuMemoryBytes: gibibyte }), hostWith([])),
    ).toEqual(asked);
  });

  it('has a GPU that is known', () => {
    expect(hostFit(needing(), hostWith([t4]))).toEqual(asked);
    expect(hostFit(needing(), hostWith([])).misfit).toBe('It has no NVIDIA GPU');
    expect(hostFit(needing(), hostWith(null)).misfit).toBe('Its GPUs are not known');
  });

  it('has the GPU that is asked for by its UUID', () => {
    expect(hostFit(needing({ gpus: ['GPU-t4'] }), hostWith([a30, t4]))).toEqual(asked);
    expect(hostFit(needing({ gpus: ['GPU-x', 'GPU-t4'] }), hostWith([t4])).misfit).toBe(
      'It has no GPU GPU-x',
    );
  });

  it('has the model of GPU that the run is for; of several GPUs the idlest one that is', () => {
    const forA30 = needing({}, { targetGpu: 'A30' });
    expect(hostFit(forA30, hostWith([a30]))).toEqual(asked);
    expect(hostFit(forA30, hostWith([t4])).misfit).toBe('Tesla T4 is not the A30 that the run is for');
    const other = { ...a30, uuid: 'GPU-other' };
    expect(hostFit(forA30, hostWith([t4, busy(a30), other]))).toEqual({ gpus: ['GPU-other'], misfit: null });
    // All of them means all of them.
    expect(hostFit(needing({ gpus: ['all'] }, { targetGpu: 'A30' }), hostWith([t4, a30])).misfit).toMatch(
      /^Tesla T4 is not/,
    );
  });

  it('has enough GPU memory where it is known how much the model requires', () => {
    const large = needing({}, { gpuMemoryBytes: 20 * gibibyte });
    expect(hostFit(large, hostWith([t4])).misfit).toBe(
      'Tesla T4 has 15.0 GiB of memory, the model requires 20.0 GiB',
    );
    expect(hostFit(large, hostWith([t4, a30]))).toEqual({ gpus: ['GPU-a30'], misfit: null });
    expect(hostFit(large, hostWith([{ ...t4, memoryTotalBytes: null }]))).toEqual(asked);
  });

  it('runs a release that fits its GPUs and its driver', () => {
    expect(hostFit(needing(), hostWith([a30], '450.51.05')).misfit).toMatch(/^Driver 450\.51\.05 is too old/);
    const old = gpuWith({ name: 'Tesla K80', computeCapability: '3.7', architecture: 'Kepler' });
    expect(hostFit(needing(), hostWith([old])).misfit).toContain('Tesla K80 (compute capability 3.7)');
    // Of several the one that fits is not sought here: the release is judged by the GPU that the run would have.
    expect(hostFit(needing({ release: '26.07' }), hostWith([a30]))).toEqual(asked);
    expect(hostFit(needing({ release: '26.07' }), hostWith([a30], '450.51.05')).misfit).toBe(
      'Release 26.07 does not support NVIDIA A30 with driver 450.51.05',
    );
    expect(hostFit(needing({}, { release: null }), hostWith([a30], '450.51.05'))).toEqual(asked);
  });
});

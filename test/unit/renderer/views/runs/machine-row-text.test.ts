import { describe, expect, it } from 'vitest';
import type { EngineStatus, GpuFacts } from '../../../../../main/contract/machine';
import { machineRows } from '../../../../../renderer/views/runs/machine-row-text';

const docker = (available: boolean): EngineStatus => ({
  ...{ kind: 'docker', available, version: available ? '27.5.1' : null, note: '', remedy: null },
});
const rows = (available: boolean, gpus: readonly GpuFacts[], missing: readonly 'triton'[]) =>
  machineRows({
    tools: { missing, installable: true },
    engines: [docker(available)],
    gpus: { driverVersion: null, cudaVersion: null, gpus, problem: null },
  });

describe('the machine before the first run', () => {
  it('is told in three rows where everything is there', () => {
    const gpu = { name: 'NVIDIA A100' } as GpuFacts;
    expect(rows(true, [gpu], []).map(({ state, text }) => [state, text])).toEqual([
      ['here', 'Installed: the Python environment, Triton and perf_analyzer.'],
      ['here', 'Version 27.5.1.'],
      ['here', 'NVIDIA A100.'],
    ]);
  });

  it('misses the tools, and does without Docker and a GPU', () => {
    expect(rows(false, [], ['triton'])).toMatchObject([
      { id: 'tools', state: 'missing', text: 'Not installed: Triton.' },
      { id: 'docker', state: 'absent' },
      { id: 'gpu', state: 'absent' },
    ]);
  });
});

import { describe, expect, it } from 'vitest';
import { toolIds } from '../../../../main/contract/machine';
import {
  askedGpus,
  askedPorts,
  backendSets,
  backendsOf,
  enginePlace,
  engineSummary,
  engineWords,
  hostOf,
  inContainers,
  isElsewhere,
  isProcess,
  neededTools,
  visibleGpus,
} from '../../../../main/contract/run/engine-kinds';
import { engines, type RunSpec } from '../../../../main/contract/run/run-spec';

/** One that a person could choose, of each kind: a new kind does not compile without. */
const chosen: { readonly [Kind in RunSpec['engine']['kind']]: RunSpec['engine'] } = {
  local: { kind: 'local', httpPort: 8000 },
  docker: { kind: 'docker', gpus: ['all'], shmSizeMiB: 64, host: 'gpu1', grpcPort: 9001 },
  remote: { kind: 'remote', url: 'http://triton:8000' },
  slurm: { kind: 'slurm', container: 'apptainer' },
  kubernetes: { kind: 'kubernetes', triton: 'home' },
};

describe.each(engines)('the engine %s', (kind) => {
  const engine = chosen[kind];

  it('answers every question', () => {
    const { note, machine, toolsAreFor } = engineWords(kind);
    expect(note).toMatch(/^[A-Z].*\.$/);
    expect(['machine', 'server', 'node']).toContain(machine);
    expect(toolsAreFor).toMatch(/^$|^[A-Z].*\. $/);
    expect(engineSummary(engine)).not.toBe('');
    expect(enginePlace(engine)).toMatch(/^(on|in|at) /);
    expect(backendSets).toContain(backendsOf(engine));
    const gpus = visibleGpus(engine);
    expect(gpus === null || gpus.every((index) => Number.isSafeInteger(index))).toBe(true);
    expect(toolIds).toEqual(expect.arrayContaining([...neededTools(engine)]));
  });

  it('is asked for what it can do', () => {
    expect([isProcess(engine), inContainers(engine), isElsewhere(engine)].filter(Boolean).length).toBe(
      kind === 'slurm' || kind === 'kubernetes' ? 0 : 1,
    );
    expect(hostOf(engine)).toBe(kind === 'docker' ? 'gpu1' : undefined);
    expect(askedGpus(engine)).toEqual(kind === 'docker' ? ['all'] : []);
    expect(askedPorts(engine)).toEqual(
      kind === 'local' ? { httpPort: 8000 } : kind === 'docker' ? { grpcPort: 9001 } : {},
    );
  });
});

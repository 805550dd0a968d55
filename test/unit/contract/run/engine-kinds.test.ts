import { describe, expect, it } from 'vitest';
import { rowOf } from '../../../../main/contract/fields/fields';
import { jobEngines } from '../../../../main/contract/job/job-engines';
import { toolIds } from '../../../../main/contract/machine';
import {
  askedGpus,
  askedPorts,
  backendsOf,
  engineDraft,
  enginePlace,
  engineSummary,
  engineWords,
  hostOf,
  inContainers,
  isElsewhere,
  isInJob,
  isProcess,
  jobAbilities,
  neededTools,
  visibleGpus,
} from '../../../../main/contract/run/engine-kinds';
import { backendSets, engineRows } from '../../../../main/contract/run/engine-rows';
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
    const { title, name, note, machine, toolsAreFor, commandsAre } = engineWords(kind);
    expect(`${title} ${name}`).toMatch(/^[A-Z]\w+( \w+)* [A-Z]\w+( \w+)*$/);
    expect(commandsAre).toSatisfy((text: string | null) => text === null || text.startsWith('in '));
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

  it('has fields of its own that the specification has', () => {
    const { form, machineFields, imageFields } = engineRows[kind];
    const names = form.flatMap(({ fields }) => fields);
    expect(names.length).toBeGreaterThan(0);
    expect(new Set(names).size).toBe(names.length);
    for (const name of [...names, ...Object.keys(machineFields), ...imageFields]) {
      expect(rowOf(`engine.${name}`), name).toBeDefined();
    }
  });

  it('is asked as far as it is chosen in a form', () => {
    expect(backendSets).toContain(backendsOf(engineDraft({ kind })));
    expect(engineDraft({ kind }).kind).toBe(kind);
    expect(backendsOf(engineDraft(engine))).toBe(backendsOf(engine));
  });

  it('is asked for what it can do', () => {
    expect([isProcess(engine), inContainers(engine), isElsewhere(engine)].filter(Boolean).length).toBe(
      jobAbilities(kind) === null ? 1 : 0,
    );
    expect(hostOf(engine)).toBe(kind === 'docker' ? 'gpu1' : undefined);
    expect(askedGpus(engine)).toEqual(kind === 'docker' ? ['all'] : []);
    expect(askedPorts(engine)).toEqual(
      kind === 'local' ? { httpPort: 8000 } : kind === 'docker' ? { grpcPort: 9001 } : {},
    );
  });
});

it('a form without an engine is of the local one', () => {
  expect(engineDraft(undefined)).toEqual({ kind: 'local' });
  expect(engineDraft({ kind: 'no-such-engine' })).toEqual({ kind: 'local' });
});

describe.each(jobEngines)('jobs of %s', (kind) => {
  it('are known by a variable, and ended by a command that names them', () => {
    const { variable, endCommand } = jobAbilities(kind) ?? {};
    expect(isInJob({})).toBe(false);
    expect(isInJob({ [variable ?? '']: '12' })).toBe(true);
    const log = 'kubectl --context a -n ml logs job/tw-a';
    expect(endCommand?.({ id: '12', name: 'tw-a', log })).toMatch(/12|tw-a/);
  });
});

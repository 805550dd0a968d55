import { describe, expect, it } from 'vitest';
import { jobEngines } from '../../../main/contract/job/job-engines';
import type { RunJob } from '../../../main/contract/job/run-job';
import type { EngineStatus } from '../../../main/contract/machine';
import type { JobScheduler } from '../../../main/engine/job';
import { createJobSchedulers } from '../../../main/engine/job-schedulers';

const job = (scheduler: RunJob['scheduler'], id: string): RunJob => ({
  ...{ scheduler, id, name: `tw-${id}`, log: '/log', partition: null },
});
const slurm = job('slurm', '12');
const kubernetes = job('kubernetes', 'ml/tw-a');

/** Says which scheduler was asked for what. */
const asked: string[] = [];
const recording = (kind: RunJob['scheduler']): JobScheduler => ({
  detect: () => {
    const status: EngineStatus = { kind, available: false, version: null, note: kind, remedy: null };
    return Promise.resolve([status]);
  },
  refusal: () => Promise.resolve({ field: 'engine.kind', message: kind }),
  submit: ({ runIds }) => Promise.resolve(runIds.map((runId) => job(kind, runId))),
  readStatuses: (jobs) => {
    asked.push(`look ${kind} ${jobs.map(({ id }) => id).join()}`);
    const status = { phase: 'running', partition: '', reason: null, node: kind, end: null } as const;
    return Promise.resolve(new Map(jobs.map(({ id, name }) => [id, { ...status, name }])));
  },
  cancel: (jobs) => {
    asked.push(`cancel ${kind} ${jobs.map(({ id }) => id).join()}`);
    return Promise.resolve();
  },
});

describe('the schedulers of a workbench', () => {
  const both = createJobSchedulers(recording);

  it('are each asked for their own jobs, and only those that have some', async () => {
    asked.length = 0;
    const statuses = await both.readStatuses([slurm, kubernetes]);
    expect([statuses.get(slurm.id)?.node, statuses.get(kubernetes.id)?.node]).toEqual([
      'slurm',
      'kubernetes',
    ]);
    await both.cancel([kubernetes]);
    expect(asked).toEqual(['look slurm 12', 'look kubernetes ml/tw-a', 'cancel kubernetes ml/tw-a']);
  });

  it('are chosen by the engine of a run', async () => {
    const engine = { kind: 'kubernetes' } as const;
    expect((await both.refusal(engine))?.message).toBe('kubernetes');
    const request = { name: 'tw-x', runIds: ['r'], engine, program: { argv: [], env: {} } };
    expect((await both.submit(request))[0]?.scheduler).toBe('kubernetes');
    expect(() => both.refusal({ kind: 'local' })).toThrow('no engine of jobs: local');
    expect((await both.detect()).map(({ kind }) => kind)).toEqual(jobEngines);
  });
});

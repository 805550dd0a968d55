import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { JobScheduler } from '../../../main/engine/job';
import { JobRuns } from '../../../main/pipeline/jobs/job-runs';
import { RunKey } from '../../../main/store/run-key';
import { RunStore } from '../../../main/store/run-store';
import { NotingRuns } from '../../support/noting-runs';
import { rejection } from '../../support/rejection';
import { environmentFixture, noServers, specFixture } from '../../support/run-state';

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'twb-handed-over-'));
});
afterEach(() => rm(home, { recursive: true, force: true }));

/** A cluster in whose queue every job waits until it is cancelled; it calls this while it takes jobs. */
function createCluster(whileTaking: () => Promise<void> = () => Promise.resolve()) {
  const taken: string[] = [];
  const cancelled: string[] = [];
  const notAsked = () => Promise.reject(new Error('not asked'));
  const queued = { phase: 'queued', partition: 'work', reason: null, node: null, end: null } as const;
  const scheduler: JobScheduler = {
    ...{ detect: notAsked, refusal: notAsked },
    submit: async ({ name, runIds }) => {
      await whileTaking();
      return runIds.map(() => {
        const id = `${taken.push(name)}`;
        return { scheduler: 'slurm', id, name, log: `/jobs/${id}.log`, partition: 'work' };
      });
    },
    readStatuses: (jobs) => Promise.resolve(new Map(jobs.map(({ id, name }) => [id, { ...queued, name }]))),
    cancel: (jobs) => {
      cancelled.push(...jobs.map(({ id }) => id));
      return Promise.resolve();
    },
  };
  return { scheduler, taken, cancelled };
}

/** A process of the workbench on the home. */
function workbench(scheduler: JobScheduler) {
  const store = new RunStore(join(home, 'runs'), new RunKey(join(home, 'run-key')), scheduler);
  const jobs = new JobRuns({
    ...{ store, scheduler, ownJob: null, emitsEntries: false, emit: () => undefined },
    program: { argv: [], env: {} },
  });
  return { store, runs: new NotingRuns(home, {}, noServers, () => jobs).runs };
}

const created = async (store: RunStore): Promise<string> => {
  const spec = specFixture((own) => {
    own.engine = { kind: 'slurm' };
  });
  return (await store.create(spec, environmentFixture())).state.runId;
};

describe('a run that another process stops while the cluster takes its job', () => {
  it.each([
    ['requestCancel', 'cancelled'],
    ['requestPause', 'paused'],
  ] as const)('by %s is %s: the job is taken back', async (request, outcome) => {
    const asked = { runId: '' };
    const cluster = createCluster(() => store[request](asked.runId));
    const { store, runs } = workbench(cluster.scheduler);
    asked.runId = await created(store);
    const { end } = await runs.execute(asked.runId);
    expect(cluster.cancelled).toEqual(['1']);
    expect(await end).toMatchObject({ outcome });
    expect((await store.load(asked.runId)).state).toMatchObject({ status: outcome, job: { id: '1' } });
  });

  it('is the only one of its matrix that is stopped', async () => {
    const runIds: string[] = [];
    const cluster = createCluster(() => store.requestCancel(runIds[1] ?? ''));
    const { store, runs } = workbench(cluster.scheduler);
    while (runIds.length < 3) runIds.push(await created(store));
    await runs.submit(runIds, 'nights');
    const states = await Promise.all(runIds.map(async (runId) => (await store.load(runId)).state.status));
    expect(states).toEqual(['running', 'cancelled', 'running']);
    expect(cluster.cancelled).toEqual(['2']);
  });
});

describe('a run that two processes start at the same time', () => {
  /** The second has looked at the run, and begins with it once the first has handed it over. */
  const twice = async () => {
    const cluster = createCluster();
    const [first, second] = [workbench(cluster.scheduler), workbench(cluster.scheduler)];
    const runId = await created(first.store);
    const load = second.store.load.bind(second.store);
    vi.spyOn(second.store, 'load').mockImplementationOnce(async (id) => {
      const seen = await load(id);
      await first.runs.execute(id);
      return seen;
    });
    return { cluster, runId, second, close: () => Promise.all([first.runs.close(), second.runs.close()]) };
  };

  it('has one job, which both follow', async () => {
    const { cluster, runId, second, close } = await twice();
    await second.runs.execute(runId);
    expect(cluster.taken).toEqual([`tw-${runId}`]);
    await close();
  });

  it('is left as it is where the second has it changed', async () => {
    const { cluster, runId, second, close } = await twice();
    expect((await rejection(second.runs.execute(runId, { from: 'export' }))).code).toBe('run-busy');
    expect(cluster.taken).toEqual([`tw-${runId}`]);
    expect((await second.store.load(runId)).state).toMatchObject({ status: 'running', forgotten: [] });
    await close();
  });
});

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RunJob } from '../../../main/contract/job/run-job';
import { ownKubernetesJob } from '../../../main/engine/kubernetes/kubernetes.engine';
import { JobRuns } from '../../../main/pipeline/jobs/job-runs';
import { NotingRuns } from '../../support/noting-runs';
import { rejection } from '../../support/rejection';
import { environmentFixture, noServers, specFixture } from '../../support/run-state';

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'twb-stops-'));
});
afterEach(() => rm(home, { recursive: true, force: true }));

const silent = () => Promise.reject(new Error('the pod does not ask the cluster'));
const job: RunJob = {
  ...{ scheduler: 'kubernetes', id: 'ml/tw-a', name: 'tw-a', log: 'kubectl logs', partition: 'test' },
};

/** As in the pod of the Job. */
const inPod = () =>
  new NotingRuns(
    home,
    {},
    noServers,
    (store) =>
      new JobRuns({
        ...{ store, emitsEntries: false, emit: () => undefined, program: { argv: [], env: {} } },
        ownJob: ownKubernetesJob({ TRITON_WORKBENCH_JOB: job.id, TRITON_WORKBENCH_JOB_NODE: 'n1' }),
        scheduler: { detect: silent, refusal: silent, submit: silent, readStatuses: silent, cancel: silent },
      }),
  );
const handedOver = async ({ store }: NotingRuns, to: RunJob | null) => {
  const spec = specFixture((own) => {
    own.engine = { kind: 'kubernetes' };
  });
  const { runId } = (await store.create(spec, environmentFixture())).state;
  if (to !== null) await store.append(runId, { type: 'job-submitted', job: to });
  return runId;
};

describe('a stop that is asked for while a run begins', () => {
  it.each([
    ['cancel', 'cancelled'],
    ['pause', 'paused'],
  ] as const)('%s counts once the run is worked on', async (stop, outcome) => {
    const noting = new NotingRuns(home, {});
    const runId = await noting.create();
    const begun = noting.runs.execute(runId);
    await noting.runs[stop](runId);
    expect(await (await begun).end).toMatchObject({ outcome });
    expect(noting.done).toEqual([]);
  });

  it.each([
    ['soon', 'time-limit'],
    ['now', 'stopped'],
  ] as const)('by the scheduler, %s, is in the journal with the reason', async (when, end) => {
    const pod = inPod();
    const runId = await handedOver(pod, job);
    const begun = pod.runs.execute(runId);
    await pod.runs.jobEnds(runId, when);
    expect(await (await begun).end).toMatchObject({ outcome: 'paused' });
    expect((await pod.store.load(runId)).state).toMatchObject({ status: 'paused', job: { end } });
    expect(pod.done).toEqual([]);
  });

  it('ends the wait of a job for its own run', async () => {
    const pod = inPod();
    const runId = await handedOver(pod, { ...job, id: 'ml/tw-other', name: 'tw-other' });
    const begun = rejection(pod.runs.execute(runId));
    await pod.runs.jobEnds(runId, 'now');
    expect(await begun).toMatchObject({
      code: 'cancelled',
      message: 'The job was stopped before it began the run',
    });
  });
});

describe('a job that begins', () => {
  it('leaves a run that was cancelled meanwhile as it is', async () => {
    const pod = inPod();
    const runId = await handedOver(pod, job);
    await pod.store.append(runId, { type: 'run-finished', outcome: 'cancelled' });
    expect((await rejection(pod.runs.execute(runId))).code).toBe('cancelled');
    expect((await pod.store.load(runId)).state).toMatchObject({ status: 'cancelled', attempt: 0 });
    // The same run is wanted again by the next one.
    await pod.store.append(runId, { type: 'job-submitted', job });
    expect(await pod.attempt(runId)).toMatchObject({ outcome: 'done' });
  });
});

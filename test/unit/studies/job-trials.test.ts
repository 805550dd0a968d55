import { describe, expect, it } from 'vitest';
import type { RunState } from '../../../main/contract/run/run-state';
import { workAsJobs } from '../../../main/studies/job-trials';
import { createdBodies, specFixture, stateOf } from '../../support/run-state';
import { placedTrial, studySession } from '../../support/study-session';

const spec = specFixture((own) => {
  own.engine = { kind: 'slurm' };
});
const job = (id: string) => ({
  type: 'job-submitted' as const,
  job: { scheduler: 'slurm' as const, id, name: 'tw-night', log: '/log', partition: null },
});

/** Hands whose jobs never end; `at` is told of each thing that is asked of them. */
function handsWith(at: (what: string) => void) {
  const states = new Map<string, RunState>();
  const submitted: string[] = [];
  const hands = {
    resolve: () => Promise.resolve(spec),
    store: { load: (runId: string) => Promise.resolve({ state: states.get(runId), folder: {} }) },
    runs: {
      annotate: () => Promise.resolve(),
      create: () => {
        const runId = `run-${states.size + 1}`;
        states.set(runId, stateOf(createdBodies(spec)));
        at(`created ${runId}`);
        return Promise.resolve(runId);
      },
      submit: (runIds: readonly string[], _name: string, signal: AbortSignal) => {
        for (const runId of runIds) {
          if (signal.aborted) continue;
          submitted.push(runId);
          states.set(runId, stateOf([...createdBodies(spec), job(String(submitted.length))]));
          at(`submitted ${runId}`);
        }
        return Promise.resolve();
      },
      follow: (runId: string) => {
        at(`follows ${runId}`);
        return new Promise(() => undefined);
      },
    },
  };
  return { hands, states, submitted };
}

/** Three runs, and a stop that leaves them once this is asked. */
async function stoppedAt(moment: string) {
  const leave: { now: () => void } = { now: () => undefined };
  const { hands, ...made } = handsWith((what) => {
    if (what === moment) leave.now();
  });
  const { session, recorded } = studySession(hands);
  leave.now = () => session.stops.leave.abort();
  const due = [1, 2, 3].map((number) => placedTrial(number, null));
  const { ended, isCutShort } = await workAsJobs(session, due, { detach: false });
  return { ...made, recorded, isCutShort, outcomes: ended?.map(({ outcome }) => outcome) };
}

const cancelled = [1, 2, 3].map(() => 'cancelled');

describe('Ctrl-C of a matrix of jobs', () => {
  it('while its runs are created: no further run, and no job', async () => {
    const { states, submitted, outcomes, isCutShort } = await stoppedAt('created run-2');
    expect([states.size, submitted, outcomes]).toEqual([2, [], cancelled]);
    expect(isCutShort).toBe(true);
  });

  it('while they are submitted: no further job, and nobody waits for those that there are', async () => {
    const { states, submitted, outcomes } = await stoppedAt('submitted run-1');
    expect([states.size, submitted, outcomes]).toEqual([3, ['run-1'], cancelled]);
  });

  it('while they are followed: all jobs are left to themselves', async () => {
    const { submitted, outcomes, isCutShort, recorded } = await stoppedAt('follows run-3');
    expect([submitted.length, outcomes]).toEqual([3, cancelled]);
    expect(isCutShort).toBe(false);
    expect(recorded).toContainEqual({ type: 'trial-run', number: 3, runId: 'run-3', job: '3' });
  });
});

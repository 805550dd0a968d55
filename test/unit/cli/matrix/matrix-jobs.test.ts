import { describe, expect, it } from 'vitest';
import { workedOffAsJobs } from '../../../../main/cli/matrix/matrix-jobs';
import { listenForStop, type PlannedRun, type Session } from '../../../../main/cli/matrix/matrix-session';
import { exitCodes, type Output } from '../../../../main/cli/output';
import type { RunState } from '../../../../main/contract/run/run-state';
import type { Core } from '../../../../main/core';
import { createdBodies, specFixture, stateOf } from '../../../support/run-state';

const spec = specFixture((own) => {
  own.engine = { kind: 'slurm' };
});
const job = (id: string) => ({
  type: 'job-submitted' as const,
  job: { scheduler: 'slurm' as const, id, name: 'tw-night', log: '/log', partition: null },
});

interface Run {
  readonly runId: string;
}

/** A core whose jobs never end; `at` is told of each thing that is asked of it. */
function coreWith(at: (what: string) => void) {
  const states = new Map<string, RunState>();
  const submitted: string[] = [];
  const core = {
    handlers: {
      'settings.get': () => Promise.resolve({ values: { 'deployment.p99BudgetMs': null } }),
      'runs.annotate': () => Promise.resolve(null),
      'spec.resolve': () => Promise.resolve(spec),
      'runs.create': () => {
        const runId = `run-${states.size + 1}`;
        states.set(runId, stateOf(createdBodies(spec)));
        at(`created ${runId}`);
        return Promise.resolve({ runId });
      },
      'runs.show': ({ runId }: Run) => Promise.resolve({ state: states.get(runId), dir: '' }),
      'jobs.submit': ({ runIds, signal }: Parameters<Core['handlers']['jobs.submit']>[0]) => {
        for (const runId of runIds) {
          if (signal?.aborted === true) continue;
          submitted.push(runId);
          states.set(runId, stateOf([...createdBodies(spec), job(String(submitted.length))]));
          at(`submitted ${runId}`);
        }
        return Promise.resolve();
      },
      'jobs.follow': ({ runId }: Run) => {
        at(`follows ${runId}`);
        return new Promise(() => undefined);
      },
    },
    subscribe: () => () => undefined,
  };
  return { core: core as unknown as Core, states, submitted };
}

const run = (number: number): PlannedRun => ({
  ...{ number, axes: [], spec, state: null, leftOut: null, error: null },
  ...{ choice: { preset: 'resnet50', overrides: {} }, typed: {}, entry: String(number) },
});

/** Three runs, and Ctrl-C once this is asked of the core. */
async function stoppedAt(moment: string) {
  const said: string[] = [];
  const output: Output = {
    ...{ json: false, live: false },
    say: (line) => said.push(line),
    document: () => undefined,
    rewrite: () => undefined,
    clearScreen: () => undefined,
  };
  const stop = listenForStop(output, () => undefined);
  const made = coreWith((what) => {
    if (what === moment) process.emit('SIGINT');
  });
  const { core } = made;
  try {
    const session: Session = { core, output, options: { matrix: '' }, name: 'night', hosts: null, stop };
    const ended = await workedOffAsJobs(session, [run(1), run(2), run(3)]);
    return { ...made, said, codes: ended?.map(({ code }) => code) };
  } finally {
    stop.dispose();
  }
}

const cancelled = [1, 2, 3].map(() => exitCodes.cancelled);

describe('Ctrl-C of a matrix of jobs', () => {
  it('while its runs are created: no further run, and no job', async () => {
    const { states, submitted, codes, said } = await stoppedAt('created run-2');
    expect([states.size, submitted, codes]).toEqual([2, [], cancelled]);
    expect(said.join('\n')).toContain('To submit the others, run the same command with --resume.');
  });

  it('while they are submitted: no further job, and nobody waits for those that there are', async () => {
    const { states, submitted, codes } = await stoppedAt('submitted run-1');
    expect([states.size, submitted, codes]).toEqual([3, ['run-1'], cancelled]);
  });

  it('while they are followed: all jobs are left to themselves', async () => {
    const { submitted, codes, said } = await stoppedAt('follows run-3');
    expect([submitted.length, codes]).toEqual([3, cancelled]);
    expect(said.join('\n')).not.toContain('no further run is started');
  });
});

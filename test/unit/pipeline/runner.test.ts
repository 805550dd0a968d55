import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WorkbenchError } from '../../../main/contract/errors';
import type { JournalBody, StepId } from '../../../main/contract/run-events';
import { stepsOf } from '../../../main/contract/run-events';
import type { RunState } from '../../../main/contract/run-state';
import { reduceRun } from '../../../main/contract/run-state';
import { stepKeys, withDependents } from '../../../main/pipeline/plan';
import { runPipeline } from '../../../main/pipeline/runner';
import type { RunContext, Step, StepContext, StepOutcome } from '../../../main/pipeline/step';
import { ArtefactCache } from '../../../main/store/artefact-cache';
import { runFolder } from '../../../main/store/run-folder';
import { runCreated, specFixture } from '../../support/run-state';

/** Of a run without containers, as the state in these tests is. */
const stepIds = stepsOf(specFixture());

let dir: string;
let done: string[];
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'pipeline-'));
  done = [];
});
afterEach(async () => {
  await rm(dir, { recursive: true });
});

type Doing = (context: StepContext) => Promise<StepOutcome>;

/** Steps that only note that they ran: the machinery is under test, not the steps. */
function notingSteps(doing: Partial<Record<StepId, Doing>> = {}, extra: Partial<Step> = {}): Step[] {
  return stepIds.map((id, index) => ({
    id,
    kind: id === 'deploy' ? 'session' : id === 'export' ? 'files' : 'record',
    needs: [
      ...stepIds.slice(Math.max(0, index - 1), index),
      ...(id === 'offline' ? (['deploy'] as const) : []),
    ],
    deadlineS: 60,
    inputs: () => Promise.resolve(id),
    run: async (context) => {
      done.push(id);
      return (await doing[id]?.(context)) ?? {};
    },
    undo: () => {
      done.push(`undo ${id}`);
      return Promise.resolve();
    },
    ...extra,
  }));
}

async function attempt(
  steps: readonly Step[],
  before: RunState | null,
  signal = new AbortController().signal,
  pauseAsked = () => false,
) {
  let state = before ?? runCreated();
  const seen: JournalBody[] = [];
  const partial = {
    runId: state.runId,
    folder: runFolder(join(dir, 'run')),
    spec: state.spec,
    state: () => state,
    append: (body: JournalBody) => {
      seen.push(body);
      state = reduceRun(state, { seq: state.seq + 1, at: '2026-01-01T00:00:00.000Z', ...body }) ?? state;
      return Promise.resolve();
    },
    emit: () => undefined,
    pauseAsked,
    server: null,
  };
  const keys = await stepKeys(steps, partial as unknown as RunContext);
  const run = { ...partial, keys } as unknown as RunContext;
  await run.append({ type: 'run-started', attempt: state.attempt + 1, pid: 1 });
  const end = await runPipeline(run, steps, signal, new ArtefactCache(join(dir, 'cache')));
  return { ...end, state, seen };
}

/** The state after these steps were asked for again. */
function forgetting(state: RunState, forgotten: readonly StepId[]): RunState {
  const body = { type: 'steps-forgotten' as const, steps: [...forgotten] };
  const entry = { seq: state.seq + 1, at: '2026-01-01T00:00:00.000Z', ...body };
  return reduceRun(state, entry) ?? state;
}

const working = () => done.filter((entry) => !entry.startsWith('undo'));
const undone = () => done.filter((entry) => entry.startsWith('undo'));

describe('what a step works from', () => {
  const changing = () => {
    const inputs = { version: 1 };
    const steps = notingSteps({
      export: async ({ dir: folder }) => {
        await writeFile(join(folder, 'model'), 'of nobody knows what');
        inputs.version += 1;
        return {};
      },
    }).map((step) =>
      step.id === 'export' ? { ...step, inputs: () => Promise.resolve({ ...inputs }) } : step,
    );
    return { steps, inputs };
  };

  it('must not change while it runs: nothing of it is kept, and it is done again', async () => {
    const { steps } = changing();
    const first = await attempt(steps, null);
    expect(first).toMatchObject({ outcome: 'failed', error: { code: 'input-invalid', where: 'export' } });
    expect(first.state.forgotten).toContain('export');
    expect(working()).not.toContain('offline');
    const cache = new ArtefactCache(join(dir, 'cache'));
    for (const body of first.seen) {
      if (body.type === 'step-finished') expect(await cache.restore(body.key, join(dir, 'other'))).toBeNull();
    }
    done = [];
    // In the second attempt it stands still.
    const still = steps.map((step) =>
      step.id === 'export' ? { ...step, inputs: () => Promise.resolve(1) } : step,
    );
    const second = await attempt(still, first.state);
    expect(second.outcome).toBe('done');
    expect(working()).toContain('export');
  });
});

describe('runPipeline', () => {
  it('does the steps in order and releases in reverse, a session as soon as nothing to come needs it', async () => {
    const { outcome, state } = await attempt(notingSteps(), null);
    expect(outcome).toBe('done');
    expect(working()).toEqual([...stepIds]);
    const others = [...stepIds].reverse().filter((id) => id !== 'deploy');
    expect(undone()).toEqual(['deploy', ...others].map((id) => `undo ${id}`));
    expect(done.indexOf('undo deploy')).toBe(done.indexOf('offline') + 1);
    expect(state.status).toBe('done');
  });

  it('goes on while a session is released, and does not end before it is', async () => {
    let release: () => void = () => undefined;
    const steps = notingSteps({
      report: () => {
        release();
        return Promise.resolve({});
      },
    }).map((step) => {
      if (step.id !== 'deploy') return step;
      const undo = () =>
        new Promise<void>((resolve) => {
          release = () => {
            setTimeout(() => {
              done.push('undo deploy');
              resolve();
            }, 20);
          };
        });
      return { ...step, undo };
    });
    expect((await attempt(steps, null)).outcome).toBe('done');
    expect(done.at(-1)).toBe('undo deploy');
  });

  it('fails the run with the step and does nothing after it', async () => {
    const steps = notingSteps({ accuracy: () => Promise.reject(new WorkbenchError('toolkit-failed', 'no')) });
    const { outcome, error, state } = await attempt(steps, null);
    expect(outcome).toBe('failed');
    expect(error?.code).toBe('toolkit-failed');
    expect(done).not.toContain('profile-data');
    expect(undone()[0]).toBe('undo accuracy');
    expect(state.steps.find((step) => step.id === 'accuracy')?.status).toBe('failed');
  });

  it('stops at the gate with an outcome of its own', async () => {
    const steps = notingSteps({ accuracy: () => Promise.resolve({ gate: { reasons: ['too far'] } }) });
    const { outcome, error } = await attempt(steps, null);
    expect(outcome).toBe('gate-failed');
    expect(error?.message).toBe('too far');
    expect(done).not.toContain('offline');
  });

  it('goes on after a failure with what is left, and starts the session again for it', async () => {
    let broken = true;
    const steps = notingSteps({
      offline: () => (broken ? Promise.reject(new Error('once')) : Promise.resolve({})),
    });
    const first = await attempt(steps, null);
    expect(first.outcome).toBe('failed');
    broken = false;
    done = [];
    const second = await attempt(steps, first.state);
    expect(second.outcome).toBe('done');
    expect(done.filter((entry) => !entry.startsWith('undo'))).toEqual([
      'deploy',
      'offline',
      'online',
      'report',
    ]);
  });

  it('does nothing at all when a finished run is resumed', async () => {
    const first = await attempt(notingSteps(), null);
    done = [];
    const second = await attempt(notingSteps(), first.state);
    expect(second.outcome).toBe('done');
    expect(done).toEqual([]);
    expect(second.state.steps.every((step) => step.status === 'done' || step.id === 'deploy')).toBe(true);
  });

  it('reruns exactly what depends on a changed input', async () => {
    const first = await attempt(notingSteps(), null);
    done = [];
    const changed = notingSteps().map((step) =>
      step.id === 'profile-data' ? { ...step, inputs: () => Promise.resolve('changed') } : step,
    );
    await attempt(changed, first.state);
    expect(done.filter((entry) => !entry.startsWith('undo'))).toEqual([
      'deploy',
      'profile-data',
      'offline',
      'online',
      'report',
    ]);
  });

  it('takes files of an earlier run from the cache', async () => {
    const steps = notingSteps({
      export: async (context) => {
        await writeFile(join(context.dir, 'model'), 'bytes');
        context.fact('Model file', 'model');
        return { output: { path: 'model' } };
      },
    });
    await attempt(steps, null);
    await rm(join(dir, 'run'), { recursive: true });
    done = [];
    const { state } = await attempt(steps, null);
    expect(done).not.toContain('export');
    expect(await readFile(join(dir, 'run', 'steps', 'export', 'model'), 'utf8')).toBe('bytes');
    const step = state.steps.find((candidate) => candidate.id === 'export');
    expect(step?.skippedBecause).toBe('cached');
    expect(step?.facts).toEqual([{ name: 'Model file', value: 'model' }]);
  });

  it('cancels the step under way', async () => {
    const controller = new AbortController();
    const steps = notingSteps({
      convert: (context) =>
        new Promise((_, reject) => {
          context.signal.addEventListener('abort', () => {
            reject(new Error('stopped'));
          });
          controller.abort();
        }),
    });
    const { outcome, state } = await attempt(steps, null, controller.signal);
    expect(outcome).toBe('cancelled');
    expect(state.steps.find((step) => step.id === 'convert')?.status).toBe('cancelled');
    expect(done).not.toContain('configure');
  });

  it('ends a step at its deadline and says so', async () => {
    const steps = notingSteps(
      {
        convert: (context) =>
          new Promise((_, reject) => {
            context.signal.addEventListener('abort', () => {
              reject(new Error('stopped'));
            });
          }),
      },
      { deadlineS: 0.05 },
    );
    const { outcome, error } = await attempt(steps, null);
    expect(outcome).toBe('failed');
    expect(error?.code).toBe('deadline-exceeded');
  });

  it('tries a step again for the codes it names, and no more often than it says', async () => {
    const failing = (code: 'server-start-failed' | 'port-taken') =>
      notingSteps({ deploy: () => Promise.reject(new WorkbenchError(code, 'no')) }).map((step) =>
        step.id === 'deploy' ? { ...step, retry: { times: 1, codes: ['server-start-failed'] } } : step,
      );
    await attempt(failing('server-start-failed'), null);
    expect(done.filter((entry) => entry === 'deploy')).toHaveLength(2);
    done = [];
    await attempt(failing('port-taken'), null);
    expect(done.filter((entry) => entry === 'deploy')).toHaveLength(1);
  });

  it('pauses before the next step, goes on with the rest, and repeats nothing', async () => {
    let asked = false;
    const steps = notingSteps({
      accuracy: () => {
        asked = true;
        return Promise.resolve({});
      },
    });
    const first = await attempt(steps, null, undefined, () => asked);
    expect(first).toMatchObject({ outcome: 'paused', error: null });
    expect(first.state.status).toBe('paused');
    expect(first.state.steps.map(({ id, status }) => `${id} ${status}`)).toContain('accuracy done');
    expect(first.state.steps.map(({ id, status }) => `${id} ${status}`)).toContain('profile-data waiting');
    expect(undone()[0]).toBe('undo accuracy');
    done = [];
    const second = await attempt(steps, first.state);
    expect(second.outcome).toBe('done');
    expect(working()).toEqual(['deploy', 'profile-data', 'offline', 'online', 'report']);
  });

  it('leaves a step that stopped between two levels as one that is still to be done', async () => {
    const steps = notingSteps({ offline: () => Promise.resolve({ paused: true }) });
    const { outcome, state } = await attempt(steps, null);
    expect(outcome).toBe('paused');
    expect(done).not.toContain('online');
    expect(state.steps.find((step) => step.id === 'offline')).toMatchObject({
      status: 'waiting',
      startedAt: null,
    });
    expect(state.error).toBeNull();
  });

  it('ends well when the pause comes with the last step', async () => {
    const asked = () => done.includes('report');
    expect((await attempt(notingSteps(), null, undefined, asked)).outcome).toBe('done');
  });

  it('does forgotten steps again and nothing else', async () => {
    const first = await attempt(notingSteps(), null);
    const state = forgetting(first.state, withDependents(notingSteps(), 'online'));
    expect(state.forgotten).toEqual(['online', 'report']);
    done = [];
    const second = await attempt(notingSteps(), state);
    expect(working()).toEqual(['online', 'report']);
    expect(second.state.forgotten).toEqual([]);
  });

  it('does not take the files of a forgotten step from the cache, nor leaves the old ones in it', async () => {
    let bytes = 'first';
    const steps = notingSteps({
      export: async (context) => {
        await writeFile(join(context.dir, 'model'), bytes);
        return {};
      },
    });
    const first = await attempt(steps, null);
    bytes = 'second';
    const model = join(dir, 'run', 'steps', 'export', 'model');
    const second = await attempt(steps, forgetting(first.state, ['export']));
    expect(second.state.steps.find((step) => step.id === 'export')?.skippedBecause).toBeNull();
    expect(await readFile(model, 'utf8')).toBe('second');
    await rm(join(dir, 'run'), { recursive: true });
    const third = await attempt(steps, null);
    expect(third.state.steps.find((step) => step.id === 'export')?.skippedBecause).toBe('cached');
    expect(await readFile(model, 'utf8')).toBe('second');
  });

  it('still does a forgotten step itself when the attempt that should do so was cut', async () => {
    const controller = new AbortController();
    const before = await attempt(notingSteps(), null);
    controller.abort();
    const cut = await attempt(notingSteps(), forgetting(before.state, ['export']), controller.signal);
    expect(cut.outcome).toBe('cancelled');
    done = [];
    await attempt(notingSteps(), cut.state);
    expect(working()).toContain('export');
  });
});

import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { WorkbenchError } from '../../../main/contract/errors';
import { withDependents } from '../../../main/pipeline/plan';
import { attempt, forgetting, noted, noteSteps, notingSteps, stepIds, undone, working } from './noting-steps';

noteSteps();

describe('runPipeline', () => {
  it('does the steps in order and releases in reverse, a session as soon as nothing to come needs it', async () => {
    const { outcome, state } = await attempt(notingSteps(), null);
    expect(outcome).toBe('done');
    expect(working()).toEqual([...stepIds]);
    const others = [...stepIds].reverse().filter((id) => id !== 'deploy');
    expect(undone()).toEqual(['deploy', ...others].map((id) => `undo ${id}`));
    expect(noted.done.indexOf('undo deploy')).toBe(noted.done.indexOf('offline') + 1);
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
              noted.done.push('undo deploy');
              resolve();
            }, 20);
          };
        });
      return { ...step, undo };
    });
    expect((await attempt(steps, null)).outcome).toBe('done');
    expect(noted.done.at(-1)).toBe('undo deploy');
  });

  it('pauses behind the step that it was to go up to, and continues there', async () => {
    const steps = notingSteps();
    const until = 'accuracy';
    const part = await attempt(steps, null, undefined, undefined, until);
    expect(part.outcome).toBe('paused');
    expect(working()).toEqual(stepIds.slice(0, stepIds.indexOf(until) + 1));
    expect(undone()).toContain('undo deploy');
    noted.done = [];
    // Nothing is left up to there, so that no session is opened for it.
    const again = await attempt(steps, part.state, undefined, undefined, until);
    expect([again.outcome, working()]).toEqual(['paused', []]);
    const whole = await attempt(steps, again.state);
    expect(whole.outcome).toBe('done');
    expect(working()).not.toContain(until);
    expect((await attempt(steps, whole.state, undefined, undefined, until)).outcome).toBe('done');
  });

  it('fails the run with the step and does nothing after it', async () => {
    const steps = notingSteps({ accuracy: () => Promise.reject(new WorkbenchError('toolkit-failed', 'no')) });
    const { outcome, error, state } = await attempt(steps, null);
    expect(outcome).toBe('failed');
    expect(error?.code).toBe('toolkit-failed');
    expect(noted.done).not.toContain('profile-data');
    expect(undone()[0]).toBe('undo accuracy');
    expect(state.steps.find((step) => step.id === 'accuracy')?.status).toBe('failed');
  });

  it('stops at the gate with an outcome of its own', async () => {
    const steps = notingSteps({ accuracy: () => Promise.resolve({ gate: { reasons: ['too far'] } }) });
    const { outcome, error } = await attempt(steps, null);
    expect(outcome).toBe('gate-failed');
    expect(error?.message).toBe('too far');
    expect(noted.done).not.toContain('offline');
  });

  it('goes on after a failure with what is left, and starts the session again for it', async () => {
    let broken = true;
    const steps = notingSteps({
      offline: () => (broken ? Promise.reject(new Error('once')) : Promise.resolve({})),
    });
    const first = await attempt(steps, null);
    expect(first.outcome).toBe('failed');
    broken = false;
    noted.done = [];
    const second = await attempt(steps, first.state);
    expect(second.outcome).toBe('done');
    expect(noted.done.filter((entry) => !entry.startsWith('undo'))).toEqual([
      'deploy',
      'offline',
      'online',
      'report',
    ]);
  });

  it('does nothing at all when a finished run is resumed', async () => {
    const first = await attempt(notingSteps(), null);
    noted.done = [];
    const second = await attempt(notingSteps(), first.state);
    expect(second.outcome).toBe('done');
    expect(noted.done).toEqual([]);
    expect(second.state.steps.every((step) => step.status === 'done' || step.id === 'deploy')).toBe(true);
  });

  it('reruns exactly what depends on a changed input', async () => {
    const first = await attempt(notingSteps(), null);
    noted.done = [];
    const changed = notingSteps().map((step) =>
      step.id === 'profile-data' ? { ...step, inputs: () => Promise.resolve('changed') } : step,
    );
    await attempt(changed, first.state);
    expect(noted.done.filter((entry) => !entry.startsWith('undo'))).toEqual([
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
    await rm(join(noted.dir, 'run'), { recursive: true });
    noted.done = [];
    const { state } = await attempt(steps, null);
    expect(noted.done).not.toContain('export');
    expect(await readFile(join(noted.dir, 'run', 'steps', 'export', 'model'), 'utf8')).toBe('bytes');
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
    expect(noted.done).not.toContain('configure');
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
    expect(noted.done.filter((entry) => entry === 'deploy')).toHaveLength(2);
    noted.done = [];
    await attempt(failing('port-taken'), null);
    expect(noted.done.filter((entry) => entry === 'deploy')).toHaveLength(1);
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
    noted.done = [];
    const second = await attempt(steps, first.state);
    expect(second.outcome).toBe('done');
    expect(working()).toEqual(['deploy', 'profile-data', 'offline', 'online', 'report']);
  });

  it('leaves a step that stopped between two levels as one that is still to be done', async () => {
    const steps = notingSteps({ offline: () => Promise.resolve({ paused: true }) });
    const { outcome, state } = await attempt(steps, null);
    expect(outcome).toBe('paused');
    expect(noted.done).not.toContain('online');
    expect(state.steps.find((step) => step.id === 'offline')).toMatchObject({
      status: 'waiting',
      startedAt: null,
    });
    expect(state.error).toBeNull();
  });

  it('ends well when the pause comes with the last step', async () => {
    const asked = () => noted.done.includes('report');
    expect((await attempt(notingSteps(), null, undefined, asked)).outcome).toBe('done');
  });

  it('does forgotten steps again and nothing else', async () => {
    const first = await attempt(notingSteps(), null);
    const state = forgetting(first.state, withDependents(notingSteps(), 'online'));
    expect(state.forgotten).toEqual(['online', 'report']);
    noted.done = [];
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
    const model = join(noted.dir, 'run', 'steps', 'export', 'model');
    const second = await attempt(steps, forgetting(first.state, ['export']));
    expect(second.state.steps.find((step) => step.id === 'export')?.skippedBecause).toBeNull();
    expect(await readFile(model, 'utf8')).toBe('second');
    await rm(join(noted.dir, 'run'), { recursive: true });
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
    noted.done = [];
    await attempt(notingSteps(), cut.state);
    expect(working()).toContain('export');
  });
});

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { WorkbenchError } from '../../../main/contract/errors';
import type { Step, StepContext } from '../../../main/pipeline/step';
import { ArtefactCache } from '../../../main/store/artefact-cache';
import { attempt, noted, noteSteps, notingSteps, working } from './noting-steps';

noteSteps();

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

  it('costs what was made of it, and ends the run before its next step', async () => {
    const inputs = { version: 1 };
    const written = (id: string) => async (context: StepContext) => {
      await writeFile(join(context.dir, 'model'), id);
      return {};
    };
    const steps = notingSteps({
      export: async (context) => {
        inputs.version += 1;
        return written('export')(context);
      },
      convert: written('convert'),
      configure: written('configure'),
    }).map((step): Step =>
      step.id === 'export'
        ? { ...step, inputs: () => Promise.resolve({ ...inputs }) }
        : ['convert', 'configure'].includes(step.id)
          ? { ...step, kind: 'files' }
          : step,
    );
    const { outcome, state, seen } = await attempt(steps, null);
    expect(outcome).toBe('failed');
    expect(working()).not.toContain('accuracy');
    const cache = new ArtefactCache(join(noted.dir, 'cache'));
    for (const body of seen) {
      if (body.type !== 'step-finished' || !['export', 'convert', 'configure'].includes(body.step)) continue;
      expect([body.step, await cache.restore(body.key, join(noted.dir, 'other'))]).toEqual([body.step, null]);
    }
    expect(state.forgotten).toEqual(expect.arrayContaining(['export', 'convert', 'configure', 'report']));
  });

  it('must not change while it runs: nothing of it is kept, and it is done again', async () => {
    const { steps } = changing();
    const first = await attempt(steps, null);
    expect(first).toMatchObject({ outcome: 'failed', error: { code: 'input-invalid', where: 'export' } });
    expect(first.state.forgotten).toContain('export');
    expect(working()).not.toContain('offline');
    const cache = new ArtefactCache(join(noted.dir, 'cache'));
    for (const body of first.seen) {
      if (body.type === 'step-finished')
        expect(await cache.restore(body.key, join(noted.dir, 'other'))).toBeNull();
    }
    noted.done = [];
    // In the second attempt it stands still.
    const still = steps.map((step) =>
      step.id === 'export' ? { ...step, inputs: () => Promise.resolve(1) } : step,
    );
    const second = await attempt(still, first.state);
    expect(second.outcome).toBe('done');
    expect(working()).toContain('export');
  });
});

describe('levels that gave nothing', () => {
  const hole = () => Promise.reject(new WorkbenchError('measurement-failed', '1 of 2 levels gave no result'));

  it('fail the run, and cost neither the other levels nor the report', async () => {
    const { outcome, error, state } = await attempt(notingSteps({ offline: hole }), null);
    expect([outcome, error?.code]).toEqual(['failed', 'measurement-failed']);
    expect(working().slice(-3)).toEqual(['offline', 'online', 'report']);
    expect(state.steps.find(({ id }) => id === 'report')?.status).toBe('done');
    noted.done = [];
    const next = await attempt(notingSteps(), state);
    expect(next.outcome).toBe('done');
    // The report is of what there is now.
    expect(working()).toEqual(expect.arrayContaining(['offline', 'report']));
  });

  it('are the only failure that a run goes on after', async () => {
    const gone = () => Promise.reject(new WorkbenchError('server-gone', 'Triton ended'));
    await attempt(notingSteps({ offline: gone }), null);
    expect(working().at(-1)).toBe('offline');
  });
});

describe('what cannot be given back', () => {
  it('does not change how the run ended', async () => {
    const steps = notingSteps().map((step) =>
      step.id === 'deploy'
        ? { ...step, undo: () => Promise.reject(new WorkbenchError('docker-unreachable', 'away')) }
        : step,
    );
    expect((await attempt(steps, null)).outcome).toBe('done');
  });
});

describe('a step that may write to its inputs', () => {
  it('goes on with the keys of what it left, which the next attempt finds unchanged', async () => {
    const inputs = { dataset: 1, code: 1 };
    const steps = notingSteps({
      'prepare-data': () => {
        inputs.dataset = 2;
        return Promise.resolve({});
      },
    }).map((step) =>
      step.id === 'prepare-data'
        ? { ...step, writesInputs: () => true, inputs: () => Promise.resolve({ ...inputs }) }
        : step,
    );
    const first = await attempt(steps, null);
    expect(first.outcome).toBe('done');
    const prepared = first.state.steps.find(({ id }) => id === 'prepare-data');
    expect(prepared?.warnings.join(' ')).toContain('changed while it was prepared');
    noted.done = [];
    await attempt(steps, first.state);
    expect(working()).toEqual([]);
  });

  it('is refused where something else than its data changed', async () => {
    const inputs = { dataset: 1, code: 1 };
    const steps = notingSteps({
      'prepare-data': () => {
        inputs.code = 2;
        return Promise.resolve({});
      },
    }).map((step): Step =>
      step.id === 'prepare-data'
        ? { ...step, kind: 'files', writesInputs: () => true, inputs: () => Promise.resolve({ ...inputs }) }
        : step,
    );
    const { outcome, error } = await attempt(steps, null);
    expect([outcome, error?.code]).toEqual(['failed', 'input-invalid']);
  });
});

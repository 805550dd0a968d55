import { describe, expect, it } from 'vitest';
import { WorkbenchError } from '../../../main/contract/errors';
import { createDraft, overridesOf } from '../../../renderer/stores/draft';
import { createResource } from '../../../renderer/stores/resource';
import { createRoute } from '../../../renderer/stores/route';
import { createStepLog, overlap } from '../../../renderer/stores/step-log';
import { createWorkbench } from '../../../renderer/workbench';
import { routeEvents } from '../../../renderer/events';
import { specFixture } from '../../support/run-state';
import { createClientDouble, createStorage } from './client-double';

describe('a resource', () => {
  it('keeps its value when a later fetch fails', async () => {
    const answers = [() => 1, () => Promise.reject(new WorkbenchError('internal', 'No'))];
    const store = createResource(() => Promise.resolve(answers.shift()?.()));
    await store.getState().load();
    await store.getState().load();
    expect(store.getState()).toMatchObject({ value: 1, error: { code: 'internal' }, loading: false });
  });

  it('joins calls made meanwhile to one more fetch', async () => {
    let count = 0;
    const store = createResource(() => {
      count += 1;
      return Promise.resolve(count);
    });
    const { load } = store.getState();
    await Promise.all([load(), load(), load()]);
    expect({ count, value: store.getState().value }).toEqual({ count: 2, value: 2 });
  });
});

describe('the draft of a deployment', () => {
  it('asks for the specification of what was changed, and survives the window', async () => {
    const storage = createStorage();
    const { client, calls } = createClientDouble({ 'presets.resolve': () => specFixture() });
    const draft = createDraft(client, storage);
    draft.getState().change('model.profile', 'full');
    draft.getState().change('performance.batchSizes', [1, 2]);
    await expect.poll(() => draft.getState().spec).not.toBeNull();
    const overrides = { model: { profile: 'full' }, performance: { batchSizes: [1, 2] } };
    expect(calls.at(-1)).toEqual(['presets.resolve', { preset: 'resnet50', overrides }]);
    expect(createDraft(client, storage).getState().values).toEqual(draft.getState().values);
    draft.getState().resetAll();
    expect(createDraft(client, storage).getState().values).toEqual({});
  });

  it('shows the answer to the last question only', async () => {
    const waiting: ((fails: boolean) => void)[] = [];
    const { client } = createClientDouble({
      'presets.resolve': () =>
        new Promise((resolve, reject) =>
          waiting.push((fails) => {
            if (fails) reject(new WorkbenchError('spec-invalid', 'No', { where: 'format' }));
            else resolve(specFixture());
          }),
        ),
    });
    const draft = createDraft(client, createStorage());
    const older = draft.getState().resolve();
    const newer = draft.getState().resolve();
    await expect.poll(() => waiting.length).toBe(2);
    waiting[1]?.(false);
    await newer;
    waiting[0]?.(true);
    await older;
    expect(draft.getState()).toMatchObject({ error: null, spec: { version: 1 } });
  });

  it('begins anew when what was stored cannot be read', () => {
    const { client } = createClientDouble({});
    for (const text of ['{', '{"preset":1}', '{"preset":"resnet50","values":{"a":{}}}']) {
      const storage = createStorage({ 'workbench.draft': text });
      expect(createDraft(client, storage).getState().values).toEqual({});
    }
  });

  it('keeps fields that cannot be read apart from values', () => {
    const { client } = createClientDouble({ 'presets.resolve': () => specFixture() });
    const draft = createDraft(client, createStorage());
    draft.getState().setProblem('performance.batchSizes', 'no number');
    expect(draft.getState()).toMatchObject({
      values: {},
      problems: { 'performance.batchSizes': 'no number' },
    });
    draft.getState().change('performance.batchSizes', [1]);
    expect(draft.getState().problems).toEqual({});
  });

  it('makes a tree of dotted fields', () => {
    expect(overridesOf({ 'a.b.c': 1, 'a.d': true, e: 'f' })).toEqual({ a: { b: { c: 1 }, d: true }, e: 'f' });
  });
});

describe('the page that is shown', () => {
  it('is the same when the window is opened again', () => {
    const storage = createStorage();
    createRoute(storage).getState().go({ page: 'run', runId: 'a' });
    expect(createRoute(storage).getState().route).toEqual({ page: 'run', runId: 'a' });
  });

  it('is the list of runs when nothing sensible was stored', () => {
    for (const text of ['', 'x', '{"page":"nowhere"}', '{"page":"run"}']) {
      const storage = createStorage({ 'workbench.route': text });
      expect(createRoute(storage).getState().route).toEqual({ page: 'runs' });
    }
  });
});

describe('the log of a step', () => {
  it('joins what stands on disk with what was told meanwhile, without saying a line twice', async () => {
    let answer: (lines: string[]) => void = () => undefined;
    const { client } = createClientDouble({
      'runs.log': () =>
        new Promise<string[]>((resolve) => {
          answer = resolve;
        }),
    });
    const log = createStepLog(client);
    const opened = log.getState().open('a', 'export');
    const tell = (...lines: string[]) => {
      log.getState().hear({ type: 'log', runId: 'a', step: 'export', lines });
    };
    tell('3', '4');
    log.getState().hear({ type: 'log', runId: 'a', step: 'convert', lines: ['of another step'] });
    answer(['1', '2', '3']);
    await opened;
    tell('5');
    expect(log.getState().lines).toEqual(['1', '2', '3', '4', '5']);
  });

  it('finds how far two lists overlap', () => {
    expect(overlap(['a', 'b', 'c'], ['b', 'c', 'd'])).toBe(2);
    expect(overlap(['a', 'a'], ['a', 'a', 'a'])).toBe(2);
    expect(overlap(['a'], ['b'])).toBe(0);
    expect(overlap([], ['b'])).toBe(0);
  });
});

describe('events of the core', () => {
  it('fetch the list of runs again when a row would read differently, and only then', async () => {
    const { client, calls, tell } = createClientDouble({ 'runs.list': () => [] });
    const stop = routeEvents(createWorkbench(client, createStorage()));
    tell({ type: 'log', runId: 'a', step: 'export', lines: ['x'] });
    expect(calls).toEqual([]);
    tell({ type: 'runs-changed' });
    await expect.poll(() => calls.length).toBe(1);
    stop();
    tell({ type: 'runs-changed' });
    expect(calls).toHaveLength(1);
  });

  it('bring up the question before closing', () => {
    const { client, tell } = createClientDouble({});
    const workbench = createWorkbench(client, createStorage());
    routeEvents(workbench);
    tell({ type: 'close-asked', runIds: ['a'] });
    expect(workbench.closing.getState().runIds).toEqual(['a']);
    workbench.closing.getState().stay();
    expect(workbench.closing.getState().runIds).toBeNull();
  });
});

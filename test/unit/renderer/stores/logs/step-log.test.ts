import { describe, expect, it } from 'vitest';
import { WorkbenchError } from '../../../../../main/contract/errors';
import { routeEvents } from '../../../../../renderer/events';
import { createStepLog, overlap } from '../../../../../renderer/stores/logs/step-log';
import { createResource } from '../../../../../renderer/stores/resource';
import { createRoute } from '../../../../../renderer/stores/route';
import { createWorkbench } from '../../../../../renderer/workbench';
import { createClientDouble, createStorage } from '../../client-double';
import { runList } from '../../window-fixtures';

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
    const emit = (...lines: string[]) => {
      log.getState().onEvent({ type: 'log', runId: 'a', step: 'export', lines });
    };
    emit('3', '4');
    log.getState().onEvent({ type: 'log', runId: 'a', step: 'convert', lines: ['of another step'] });
    answer(['1', '2', '3']);
    await opened;
    emit('5');
    const { lines } = log.getState();
    expect(Array.from({ length: lines.length }, (_unused, index) => lines.at(index))).toEqual([
      '1',
      '2',
      '3',
      '4',
      '5',
    ]);
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
    const { client, calls, emit } = createClientDouble({ 'runs.list': () => runList() });
    const stop = routeEvents(createWorkbench(client, createStorage()));
    emit({ type: 'log', runId: 'a', step: 'export', lines: ['x'] });
    expect(calls).toEqual([]);
    emit({ type: 'runs-changed' });
    await expect.poll(() => calls.length).toBe(1);
    stop();
    emit({ type: 'runs-changed' });
    expect(calls).toHaveLength(1);
  });

  it('bring up the question before closing', () => {
    const { client, emit } = createClientDouble({});
    const workbench = createWorkbench(client, createStorage());
    routeEvents(workbench);
    const work = { runIds: ['a'], images: [], fetches: [], tools: [], deployments: [], studies: [] };
    emit({ type: 'close-asked', work });
    expect(workbench.closing.getState().work).toEqual(work);
    workbench.closing.getState().stay();
    expect(workbench.closing.getState().work).toBeNull();
  });
});

import { describe, expect, it } from 'vitest';
import { WorkbenchError } from '../../../../main/contract/errors';
import type { RunState } from '../../../../main/contract/run/run-state';
import { createComparedRuns } from '../../../../renderer/stores/compared-runs';
import { completeBodies, stateOf } from '../../../support/run-state';
import { createClientDouble } from '../client-double';

const state = stateOf(completeBodies());
const { runId } = state;

describe('the compared runs', () => {
  it('are asked for once more where the list changed while an answer was on its way', async () => {
    const answers: ((state: RunState) => void)[] = [];
    const { client } = createClientDouble({
      'runs.get': () =>
        new Promise<RunState>((resolve) => {
          answers.push(resolve);
        }),
    });
    const store = createComparedRuns(client);
    const opened = store.getState().open([runId]);
    await expect.poll(() => answers.length).toBe(1);
    store.getState().onEvent({ type: 'runs-changed' });
    answers[0]?.({ ...state, status: 'running' });
    await expect.poll(() => answers.length).toBe(2);
    answers[1]?.({ ...state, status: 'interrupted' });
    await opened;
    expect(store.getState().states[runId]?.status).toBe('interrupted');
  });

  it('lose their error with the next answer', async () => {
    let fails = true;
    const { client } = createClientDouble({
      'runs.get': () => {
        if (fails) throw new WorkbenchError('internal', 'for a moment');
        return state;
      },
    });
    const store = createComparedRuns(client);
    await store.getState().open([runId]);
    expect(store.getState().errors[runId]?.message).toBe('for a moment');
    fails = false;
    await store.getState().open([runId]);
    expect(store.getState().errors).toEqual({});
  });
});

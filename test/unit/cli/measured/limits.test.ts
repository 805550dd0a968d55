import { expect, it } from 'vitest';
import type { Core } from '../../../../main/core';
import { said } from '../../../support/cli-program';
import { completeState, createdBodies, stateOf } from '../../../support/run-state';

const limits = (state: ReturnType<typeof stateOf>) =>
  said(
    {
      handlers: {
        'runs.all': () => Promise.resolve({ runs: [{ runId: state.runId, name: null }], unreadable: [] }),
        'runs.show': () => Promise.resolve({ state }),
      },
    } as unknown as Core,
    'limits',
    state.runId,
  );

it('says why it has nothing to say of a run without a measured level', async () => {
  const state = stateOf(createdBodies());
  const { text } = await limits(state);
  expect(text).toBe(
    [
      'What limits it is not known: the run has no measured level.',
      `To continue it: triton-workbench resume ${state.runId}`,
    ].join('\n'),
  );
});

it('has something to say of every finished run', async () => {
  expect((await limits(completeState())).text).not.toBe('');
});

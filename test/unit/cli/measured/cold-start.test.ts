import { describe, expect, it } from 'vitest';
import type { RunState } from '../../../../main/contract/run/run-state';
import type { Core } from '../../../../main/core';
import { said } from '../../../support/cli-program';
import { coldFixture, coldState, trialFixture } from '../../../support/cold-state';
import { rejection } from '../../../support/rejection';
import { completeState } from '../../../support/run-state';

async function asked(state: RunState, ...words: readonly string[]) {
  const tried: unknown[] = [];
  const core = {
    handlers: {
      'runs.all': () => Promise.resolve({ runs: [{ runId: 'a', name: null }], unreadable: [] }),
      'runs.show': () => Promise.resolve({ state }),
      'warmUps.try': ({ runId, kind, batchSizes, rounds }: Record<string, unknown>) => {
        tried.push({ runId, kind, batchSizes, rounds });
        return Promise.resolve(trialFixture);
      },
    },
    close: () => Promise.resolve(),
  } as unknown as Core;
  return { ...(await said(core, 'cold-start', 'a', ...words)), tried };
}

describe('cold-start', () => {
  it('says what a start takes and what came of a warm-up, with a table of each', async () => {
    const { text, tried } = await asked(coldState());
    expect(text).toContain('Ready to serve after 2.1 s: Triton starts in 1.6 s, the model loads in 480 ms.');
    expect(text).toContain('First request (ms)');
    expect(text).toContain('With the warm-up the cold start is gone at batch size 1.');
    expect(text).toContain('305.0 [303.0, 307.0]');
    expect(tried).toEqual([]);
  });

  it('says that a run of an earlier version recorded nothing', async () => {
    expect((await asked(completeState())).text).toBe('The cold start of this run was not recorded.');
  });

  it('has one document for programs', async () => {
    const { documents } = await asked(coldState(), '--json');
    expect(documents).toEqual([
      expect.objectContaining({
        ...{ kind: 'triton-workbench-cold-start', version: 1 },
        ...{ coldStart: coldFixture, warmUpTrial: trialFixture },
        trialText: expect.arrayContaining([
          'The warm-up does not reach batch size 16: it had no effect there.',
        ]) as unknown,
      }),
    ]);
  });

  it('tries a warm-up first where it is asked to', async () => {
    const words = ['--try', '--kind', 'random', '-b', '1,16', '--rounds', '3'];
    const { tried } = await asked(coldState(), ...words);
    expect(tried).toEqual([{ runId: 'a', kind: 'random', batchSizes: [1, 16], rounds: 3 }]);
  });

  it.each([
    [['--try', '--kind', 'ones'], '--kind'],
    [['--try', '--batch-sizes', '1,x'], '--batch-sizes'],
    [['--try', '--batch-sizes', '0'], '--batch-sizes'],
    [['--try', '--rounds', '2'], '--rounds'],
    [['--rounds', '6'], '--rounds'],
  ])('refuses %j and names the option', async (words, where) => {
    const error = await rejection(asked(coldState(), ...words));
    expect(error).toMatchObject({ code: 'input-invalid', where });
  });
});

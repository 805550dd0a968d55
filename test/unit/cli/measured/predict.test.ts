import { describe, expect, it } from 'vitest';
import type { RunState } from '../../../../main/contract/run/run-state';
import type { Core } from '../../../../main/core';
import { said } from '../../../support/cli-program';
import { predictableState } from '../../../support/predictable-run';
import { rejection } from '../../../support/rejection';
import { createdBodies, stateOf } from '../../../support/run-state';

async function asked(state: RunState, ...words: readonly string[]) {
  const core = {
    handlers: {
      'runs.all': () => Promise.resolve({ runs: [{ runId: 'a', name: null }], unreadable: [] }),
      'runs.show': () => Promise.resolve({ state }),
    },
  } as unknown as Core;
  return said(core, ...words);
}

describe('predict', () => {
  it('answers what another load and configuration would do', async () => {
    const { text, codes } = await asked(
      predictableState(),
      ...['predict', 'a', '--rate', '500', '--queue-delay-us', '500', '--instances', '2'],
    );
    expect(text).toMatch(
      /^Predicted, not measured: 500 requests\/s with Poisson arrivals on 2 instances with batches/,
    );
    expect(text).toContain('a queue delay of 500 µs');
    expect(codes).toEqual([]);
  });

  it('has one document for programs, whose figures are all named predicted', async () => {
    const { documents } = await asked(predictableState(), 'predict', 'a', '--rate', '500', '--json');
    expect(documents).toEqual([
      expect.objectContaining({
        kind: 'triton-workbench-prediction',
        asked: { rate: 500 },
        predicted: expect.objectContaining({ isOutside: false, isOverloaded: false }) as unknown,
        notes: [expect.stringContaining('off by') as unknown],
      }),
    ]);
  });

  it('ends with 3 for a run that nothing can be predicted from', async () => {
    const { text, codes } = await asked(stateOf(createdBodies()), 'predict', 'a', '--rate', '500');
    expect(text).toContain('nothing can be predicted');
    expect(codes).toEqual([3]);
  });

  it.each([
    ['--rate', '-5'],
    ['--rate', 'fast'],
    ['--instances', '1.5'],
    ['--queue-delay-us', '-1'],
  ])('refuses %s %s and names the option', async (flag, value) => {
    const error = await rejection(asked(predictableState(), 'predict', 'a', `${flag}=${value}`));
    expect(error).toMatchObject({ code: 'input-invalid', where: flag });
  });
});

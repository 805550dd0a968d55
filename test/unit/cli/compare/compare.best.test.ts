import { expect, it } from 'vitest';
import type { RunState } from '../../../../main/contract/run/run-state';
import type { Core } from '../../../../main/core';
import { said } from '../../../support/cli-program';
import { completeState } from '../../../support/run-state';

it('calls the best run by its name', async () => {
  const states: Readonly<Record<string, RunState>> = {
    a: { ...completeState(), runId: 'a', name: 'nightly' },
    b: {
      ...completeState(),
      runId: 'b',
      scenarios: { ...completeState().scenarios, offline: { points: [], missing: [] } },
    },
  };
  const core = {
    handlers: {
      'runs.all': () => Promise.resolve({ runs: Object.values(states), unreadable: [] }),
      'runs.show': ({ runId }: { readonly runId: string }) => Promise.resolve({ state: states[runId] }),
      'settings.get': () => Promise.resolve({ values: {}, problems: [] }),
    },
  } as unknown as Core;
  const { text } = await said(core, 'best', 'a', 'b', '--p99-budget-ms', '100');
  expect(text).toMatch(/^No clear best of 2 runs within a p99 of 100 ms: nightly \(a\) has /);
});

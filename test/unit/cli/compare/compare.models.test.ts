import { expect, it } from 'vitest';
import type { Core } from '../../../../main/core';
import { said } from '../../../support/cli-program';
import { completeState } from '../../../support/run-state';

it('says that two runs are of different models, and which is faster in the words of the window', async () => {
  const { source, ...rest } = completeState();
  const { spec } = source;
  const states = [
    { ...rest, source, runId: 'a' },
    {
      ...rest,
      source: { ...source, spec: { ...spec, model: { ...spec.model, preset: 'bert' } } },
      runId: 'b',
    },
  ];
  const core = {
    handlers: {
      'runs.all': () => Promise.resolve({ runs: states, unreadable: [] }),
      'runs.show': (run: { readonly runId: string }) =>
        Promise.resolve({ state: states.find(({ runId }) => runId === run.runId) }),
    },
  } as unknown as Core;
  const { text } = await said(core, 'compare', 'a', 'b');
  expect(text).toContain('The runs are of different models (resnet50 and bert): the ratios compare models');
  expect(text).toMatch(/No clear fastest of 2 runs of different models \(resnet50 and bert\): A has /);
});

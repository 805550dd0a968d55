// @vitest-environment jsdom
import { expect, it } from 'vitest';
import { CompareActions } from '../../../../../renderer/views/compare/compare-actions';
import { LimitsPanel } from '../../../../../renderer/views/run/limits-panel';
import { runA, runB } from '../../../../support/duel';
import {
  createdBodies,
  measurementBody,
  pointFixture,
  specFixture,
  stateOf,
} from '../../../../support/run-state';
import { createClientDouble } from '../../client-double';
import { mount } from '../../mounted';

const spec = { name: 'try-1', strategy: { kind: 'duel', trials: [] }, hosts: null };
const double = () =>
  createClientDouble({
    'duels.plan': () => ({ spec, duel: {}, notes: [] }),
    'studies.start': () => null,
    'studies.list': () => [],
  });

it('a suggestion is tried by one press, which opens the page of the study', async () => {
  const point = pointFixture({ concurrency: 16, serverQueueUs: 40_000, avgUs: 50_000 });
  const state = stateOf([
    ...createdBodies(specFixture(({ configure }) => void (configure.batching = 'disabled'))),
    measurementBody('online', point),
    { type: 'run-finished', outcome: 'done' },
  ]);
  const { client, calls } = double();
  const mounted = await mount(client, <LimitsPanel state={state} />);
  await mounted.click(mounted.button('Try it: Use dynamic batching (now disabled).'));
  expect(calls.map(([name]) => name)).toEqual(['duels.plan', 'studies.start', 'studies.list']);
  expect(calls[0]?.[1]).toEqual({ between: { runId: state.runId, suggestion: 1 } });
  expect(calls[1]?.[1]).toEqual({ spec });
  expect(mounted.workbench.route.getState().route).toEqual({ page: 'studies', name: 'try-1' });
  mounted.unmount();
});

it('two runs are measured in turns after a plan is shown; of three none is left out', async () => {
  const { client, calls } = double();
  const mounted = await mount(client, <CompareActions runIds={[runA, runB]} />);
  await mounted.click(mounted.button('Measure both until it is clear'));
  expect(calls).toEqual([]);
  expect(mounted.workbench.overlay.getState()).toMatchObject({
    ...{ shown: 'duel', duel: { first: runA, second: runB } },
  });
  mounted.unmount();
  const three = await mount(client, <CompareActions runIds={[runA, runB, `${runB}c`]} />);
  expect(() => three.button('Measure both until it is clear')).toThrow();
  three.unmount();
});

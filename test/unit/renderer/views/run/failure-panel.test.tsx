// @vitest-environment jsdom
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { errorText } from '../../../../../main/contract/error-text';
import type { WireError } from '../../../../../main/contract/errors';
import type { JournalBody } from '../../../../../main/contract/run/run-events';
import type { RunState, StepState } from '../../../../../main/contract/run/run-state';
import { detailsText, tailOf } from '../../../../../renderer/views/run/failure-panel';
import { emptyLogText } from '../../../../../renderer/views/run/live/log-lines';
import { RunActions } from '../../../../../renderer/views/run/run-actions';
import { RunMain } from '../../../../../renderer/views/run/run-main';
import { opensItself, showsMeasurements } from '../../../../../renderer/views/run/shown-step';
import { environmentFixture, pointFixture, specFixture, stateOf } from '../../../../support/run-state';
import { createClientDouble } from '../../client-double';
import { mount, type Mounted } from '../../mounted';

const gate: WireError = { code: 'accuracy-below-threshold', message: 'top1: 0.1 is below 0.9' };

const begun: readonly JournalBody[] = [
  { type: 'run-created', runId: 'r', spec: specFixture(), specHash: 'h', environment: environmentFixture() },
  { type: 'run-started', attempt: 1, pid: 1 },
  { type: 'step-started', step: 'accuracy', attempt: 1, key: 'k' },
];
const failing = (error: WireError, outcome: 'failed' | 'gate-failed'): readonly JournalBody[] => [
  ...begun,
  { type: 'step-failed', step: 'accuracy', durationUs: 1e6, error },
  { type: 'run-finished', outcome, error },
];
const measured: JournalBody = {
  type: 'measurement',
  scenario: 'offline',
  key: 'a',
  point: pointFixture({ batchSize: 1 }),
};

let mounted: Mounted | null = null;
let logOpened = 0;
let client: ReturnType<typeof createClientDouble>;
beforeEach(() => {
  logOpened = 0;
  client = createClientDouble({
    'runs.log': () => ['Comparing outputs', `ERROR: ${gate.message}`],
    'runs.resume': () => null,
    'runs.get': () => stateOf(failing(gate, 'gate-failed')),
  });
});
afterEach(() => {
  mounted?.unmount();
  mounted = null;
});

async function shown(state: RunState): Promise<Mounted> {
  mounted = await mount(
    client.client,
    <RunMain
      state={state}
      onOpenLog={() => {
        logOpened += 1;
      }}
    />,
  );
  return mounted;
}

describe('a run that failed before anything was measured', () => {
  it('leads with the error and the end of the log, and has neither empty charts nor empty figures', async () => {
    const { page } = await shown(stateOf(failing(gate, 'gate-failed')));
    await expect.poll(() => page.querySelector('.failure-tail')?.textContent).toBe('Comparing outputs');
    const alert = page.querySelector('[role="alert"]');
    expect(alert?.textContent).toContain(errorText[gate.code].title);
    expect(alert?.textContent).toContain(gate.message);
    expect(alert?.textContent).toContain('Step: Check accuracy');
    expect(page.querySelectorAll('.figure, [data-chart], .points-table')).toHaveLength(0);
  });

  it('measures anyway on one click: the core is told so', async () => {
    const { button, click } = await shown(stateOf(failing(gate, 'gate-failed')));
    await click(button('Measure anyway'));
    expect(client.calls).toContainEqual(['runs.resume', { runId: 'r', allowUnverified: true }]);
  });

  it('is changed and continued by the button of the error, which stands there only', async () => {
    const state = stateOf(failing(gate, 'gate-failed'));
    const { button } = await shown(state);
    expect(button('Change and continue…').title).toContain('only what depends on your changes');
    mounted?.unmount();
    mounted = await mount(client.client, <RunActions state={state} />);
    expect(() => mounted?.button('Change and continue…')).toThrow('no button');
    expect(mounted.button('Run again with changes')).toBeDefined();
  });

  it('of another home is not changed but begun anew', async () => {
    const { button } = await shown({ ...stateOf(failing(gate, 'gate-failed')), origin: 'foreign' });
    expect(() => button('Change and continue…')).toThrow('no button');
    expect(button('Run again with changes')).toBeDefined();
  });

  it('opens the log of the failed step', async () => {
    const { button, click } = await shown(stateOf(failing(gate, 'gate-failed')));
    await click(button('Open log'));
    expect(logOpened).toBe(1);
  });
});

it('a run that was changed says when, and what', async () => {
  const changes = [
    { at: '2026-01-02T03:04:05.000Z', changed: [{ path: 'performance.batchSizes', from: [1], to: [1, 2] }] },
    { at: '2026-01-03T03:04:05.000Z', changed: [{ path: 'precision', from: 'fp32', to: 'fp16' }] },
  ];
  const { page } = await shown({ ...stateOf(begun), specChanges: changes });
  const notice = page.querySelector('[aria-label="Specification changes"]');
  expect(notice?.textContent).toMatch(/performance\.batchSizes: 1 → 1, 2.*precision: fp32 → fp16/);
  mounted?.unmount();
  const fresh = await shown(stateOf(begun));
  expect(fresh.page.querySelector('[aria-label="Specification changes"]')).toBeNull();
});

it('a cancelled run is no error: a neutral notice, no alert, no empty charts', async () => {
  const cancelled = stateOf([
    ...begun,
    { type: 'step-cancelled', step: 'accuracy', durationUs: 5 },
    {
      type: 'run-finished',
      outcome: 'cancelled',
      error: { code: 'cancelled', message: 'Cancelled during "Check accuracy"' },
    },
  ]);
  const { page } = await shown(cancelled);
  expect(page.querySelector('[role="alert"]')).toBeNull();
  expect(page.querySelector('.run-notice.neutral')?.textContent).toBe(
    'Cancelled. Resume continues with the first step or level that is not done. Nothing was measured yet.',
  );
  expect(page.querySelectorAll('[data-chart]')).toHaveLength(0);
});

it('charts are shown of a run that has a level', () => {
  expect(showsMeasurements(stateOf(begun))).toBe(false);
  expect(showsMeasurements(stateOf(failing(gate, 'gate-failed')))).toBe(false);
  expect(showsMeasurements(stateOf([...failing(gate, 'failed'), measured]))).toBe(true);
});

it('the panel of a step opens by itself only below the results of a failed one', () => {
  const step = (state: RunState): StepState | undefined => state.steps.find(({ id }) => id === 'accuracy');
  const running = stateOf(begun);
  expect(opensItself(running, step(running))).toBe(false);
  const withResults = stateOf([...failing(gate, 'failed'), measured]);
  expect(opensItself(withResults, step(withResults))).toBe(true);
  const without = stateOf(failing(gate, 'gate-failed'));
  expect(opensItself(without, step(without))).toBe(false);
});

it('a log without lines: "No lines yet." only while some may come', () => {
  expect(emptyLogText('running')).toBe('No lines yet.');
  for (const status of ['done', 'failed', 'cancelled'] as const) {
    expect(emptyLogText(status)).toBe('This step wrote no log.');
  }
  expect(emptyLogText('waiting')).toBe('This step has not started.');
});

it('the end of the log leaves out what the error says itself', () => {
  const error: WireError = {
    code: 'toolkit-failed',
    message: 'exit code 1',
    where: 'train',
    details: 'a\nb',
  };
  expect(tailOf(['one', '', 'a', 'b', 'ERROR: exit code 1', 'at train'], error)).toEqual(['one']);
  expect(
    tailOf(
      Array.from({ length: 30 }, (_, index) => `line ${index}`),
      error,
    ),
  ).toHaveLength(10);
});

it('details to copy hold the error, its remedy, the step, the run and the end of the log', () => {
  const state = stateOf(failing(gate, 'gate-failed'));
  const text = detailsText(gate, errorText[gate.code], state, { id: 'accuracy' }, ['last line']);
  for (const part of [
    gate.code,
    gate.message,
    'Remedy:',
    'Check accuracy',
    'Run: r',
    'onnx fp16',
    'last line',
  ]) {
    expect(text).toContain(part);
  }
});

it('the headline of a finished run is green for a verified answer from a steady level only', async () => {
  const done = (flags: 'unstable'[]): RunState =>
    stateOf([
      ...begun,
      { ...measured, point: pointFixture({ batchSize: 1, stable: flags.length === 0, flags }) },
      { type: 'run-finished', outcome: 'done' },
    ]);
  const tone = async (state: RunState): Promise<string | undefined> =>
    (await shown(state)).page.querySelector('.answer')?.getAttribute('data-tone') ?? undefined;
  expect(await tone(done([]))).toBe('good');
  mounted?.unmount();
  expect(await tone(done(['unstable']))).toBe('warn');
  mounted?.unmount();
  expect(await tone({ ...done([]), unverified: true })).toBe('warn');
});

import { expect, it } from 'vitest';
import { toWire, WorkbenchError } from '../../../../main/contract/errors';
import type { JointStrategy } from '../../../../main/contract/study/joint';
import type { Candidate, Searched, SearchStrategy } from '../../../../main/contract/study/search';
import type { StudyBody, StudySpec } from '../../../../main/contract/study/study';
import { hashValue } from '../../../../main/platform/files';
import { type PrepareHands, prepareModels } from '../../../../main/studies/search/prepare-models';
import { createStudyStops } from '../../../../main/studies/study-hands';
import { rejection } from '../../../support/rejection';
import { completeState, specFixture } from '../../../support/run-state';
import { joint } from '../../../support/simulated-joint';

const onnx = { format: 'onnx', precision: 'fp32', backendAccelerator: 'none' } as const;
const one: Candidate = {
  ...{ ...onnx, instances: 1, maxBatchSize: 8, batching: 'dynamic', preferredBatchSizes: [] },
  ...{ maxQueueDelayUs: 0, threads: 1 },
};
const half: Candidate = { ...one, precision: 'fp16' };
const script: Candidate = { ...one, format: 'ts-script' };
const search: SearchStrategy = {
  ...{ kind: 'search', runId: 'base', candidates: [one, half, { ...half, instances: 2 }, script] },
  load: { kind: 'open', batchSize: 1 },
  target: { percentile: 99, latencyUs: 20_000, errorPercentage: 1 },
  ...{ budgetS: 300, lookMs: 1000, fullMs: 3000 },
};
const trial = (overrides: Readonly<Record<string, unknown>>) => ({
  choice: { preset: 'resnet50', overrides },
  ...{ axes: [], refusal: null },
});
const trials = [trial({ precision: 'fp16' }), trial({ format: 'ts-script' })];
const specOf = (of: SearchStrategy | JointStrategy, made = trials): StudySpec => ({
  name: 'night',
  strategy: { ...of, trials: made },
  hosts: null,
});

interface Given {
  /** What the run of a choice ends with, by the hash of the choice. */
  readonly fault?: Readonly<Record<string, WorkbenchError>>;
  readonly of?: SearchStrategy | JointStrategy;
  readonly made?: typeof trials;
  readonly searched?: Searched;
  /** Runs that earlier processes created, by the hash of their choice. */
  readonly earlier?: readonly string[];
  readonly onExecute?: (stops: ReturnType<typeof createStudyStops>) => void;
  /** Of the step that a run is executed to, where its model is not verified after it. */
  readonly unverified?: 'pending' | 'done';
}

/** Runs whose model is verified as soon as they were executed. */
function preparing({
  fault = {},
  of = search,
  made = trials,
  searched,
  earlier = [],
  onExecute,
  unverified,
}: Given = {}) {
  const journal: StudyBody[] = [];
  const runs = new Map(earlier.map((entry) => [entry, `run-${entry.slice(0, 6)}`]));
  const verified = new Set(['base']);
  const executed: string[] = [];
  const resolved: unknown[] = [];
  const stops = createStudyStops();
  const hands: PrepareHands = {
    resolve: ({ overrides }) => {
      resolved.push(overrides);
      return Promise.resolve(specFixture());
    },
    store: {
      list: () =>
        Promise.resolve({
          runs: [...runs].map(([entry, runId]) => ({ runId, matrix: { name: 'night', entry } })),
        } as never),
      load: () =>
        Promise.resolve({ state: { steps: [{ id: 'profile-data', status: unverified }] } } as never),
    },
    runs: {
      create: (_spec, _out, how) => {
        const entry = how?.matrix?.entry ?? '';
        runs.set(entry, `run-${entry.slice(0, 6)}`);
        return Promise.resolve(`run-${entry.slice(0, 6)}`);
      },
      ...{
        annotate: () => Promise.resolve(),
        cancel: () => Promise.resolve(),
        pause: () => Promise.resolve(),
      },
      execute: (runId, how) => {
        executed.push(`${runId} ${how?.until ?? ''}`);
        onExecute?.(stops);
        const error = Object.entries(fault).find(([entry]) => runId === `run-${entry.slice(0, 6)}`)?.[1];
        if (error === undefined && unverified === undefined) verified.add(runId);
        const end =
          error === undefined
            ? { outcome: 'paused' as const, error: null }
            : { outcome: 'failed' as const, error: toWire(error) };
        return Promise.resolve({ end: Promise.resolve(end) });
      },
    },
    verified: (runId) =>
      verified.has(runId)
        ? Promise.resolve({ ...completeState(), runId })
        : Promise.reject(new WorkbenchError('input-invalid', `${runId} cannot be deployed`)),
  };
  const work = () =>
    prepareModels({
      ...{ hands, spec: specOf(of, made), earlier: searched ?? { looks: [], failed: {} }, stops },
      record: (body) => {
        journal.push(body);
        return Promise.resolve();
      },
    });
  return { work, journal, executed, resolved, stops };
}

const entryOf = (at: number): string => hashValue(trials[at]?.choice);
const runOf = (at: number): string => `run-${entryOf(at).slice(0, 6)}`;

it('makes each model once, up to its check, with the engine of the run', async () => {
  const { work, journal, executed, resolved } = preparing();
  const prepared = await work();
  expect([...(prepared?.runIds ?? [])]).toEqual([
    [0, 'base'],
    [1, runOf(0)],
    [2, runOf(1)],
  ]);
  expect(executed).toEqual([`${runOf(0)} profile-data`, `${runOf(1)} profile-data`]);
  expect(resolved).toEqual([
    { precision: 'fp16', engine: { kind: 'local' } },
    { format: 'ts-script', engine: { kind: 'local' } },
  ]);
  expect(journal.map(({ type }) => type)).toEqual([
    ...['trial-begun', 'trial-run', 'trial-ended', 'trial-begun', 'trial-run', 'trial-ended'],
  ]);
});

it('fails the candidates of a model that cannot be made with its reason, and continues', async () => {
  const gate = new WorkbenchError('accuracy-below-threshold', 'OUTPUT__0 is too far off');
  const { work, journal } = preparing({ fault: { [entryOf(0)]: gate } });
  const prepared = await work();
  expect([...(prepared?.runIds.keys() ?? [])]).toEqual([0, 2]);
  const error = { code: gate.code, message: gate.message };
  expect(prepared?.searched.failed).toEqual({ 2: error, 3: error });
  expect(journal.filter(({ type }) => type === 'candidate-failed')).toEqual([
    { type: 'candidate-failed', candidate: 2, error },
    { type: 'candidate-failed', candidate: 3, error },
  ]);
});

it('repeats nothing that an earlier process made or failed with', async () => {
  const error = { code: 'accuracy-below-threshold', message: 'too far off' } as const;
  const failed = { looks: [], failed: { 2: error, 3: error } };
  const { work, executed } = preparing({ searched: failed, earlier: [entryOf(1)] });
  await work();
  // The run is there and continues; the other is not tried again.
  expect(executed).toEqual([`${runOf(1)} profile-data`]);
  const again = preparing({ earlier: [entryOf(0), entryOf(1)] });
  await again.work();
  expect(again.journal.filter(({ type }) => type === 'trial-run')).toHaveLength(2);
  expect(again.resolved).toEqual([]);
});

it('makes the run of a search that began without one first, and ends where that fails', async () => {
  const base = trial({ model: { profile: 'quick' } });
  const of = { ...search, runId: null };
  const { work, executed } = preparing({ of, made: [base, ...trials] });
  const prepared = await work();
  const first = `run-${hashValue(base.choice).slice(0, 6)}`;
  expect(executed[0]).toBe(`${first} profile-data`);
  expect(prepared?.runIds.get(0)).toBe(first);
  const refusal = new WorkbenchError('toolkit-failed', 'The export failed');
  const broken = preparing({ of, made: [base, ...trials], fault: { [hashValue(base.choice)]: refusal } });
  expect(await rejection(broken.work())).toMatchObject({
    code: 'toolkit-failed',
    message: 'The export failed',
  });
});

it('ends where the machine is to blame, and where it was stopped', async () => {
  const full = new WorkbenchError('disk-full', 'No space is left');
  const { work } = preparing({ fault: { [entryOf(0)]: full } });
  expect(await rejection(work())).toMatchObject({ code: 'disk-full' });
  const stopped = preparing({ onExecute: (stops) => stops.pause.abort() });
  expect(await stopped.work()).toBeNull();
  expect(stopped.executed).toHaveLength(1);
  expect(stopped.journal.some(({ type }) => type === 'candidate-failed')).toBe(false);
});

it('is paused with a run that a person paused, and ends with the reason of one that was made and cannot be served', async () => {
  const paused = preparing({ unverified: 'pending' });
  expect(await paused.work()).toBeNull();
  expect(paused.stops.pause.signal.aborted).toBe(true);
  const base = trial({ model: { profile: 'quick' } });
  const of = { ...search, runId: null };
  const unserved = preparing({ unverified: 'done', of, made: [base, ...trials] });
  expect(await rejection(unserved.work())).toMatchObject({
    ...{ code: 'input-invalid', message: expect.stringContaining('cannot be deployed') as string },
  });
  expect(unserved.stops.pause.signal.aborted).toBe(false);
});

it('of several models makes those without a run, with the engine of one that has one', async () => {
  const models = joint.models.map((model, at) => ({ ...model, runId: at === 0 ? null : 'base' }));
  const third = { ...joint.models[0], runId: null } as JointStrategy['models'][number];
  const { work, resolved, executed } = preparing({ of: { ...joint, models: [...models, third] } });
  const prepared = await work();
  expect([...(prepared?.runIds ?? [])]).toEqual([
    [0, runOf(0)],
    [1, 'base'],
    [2, runOf(1)],
  ]);
  expect(executed).toHaveLength(2);
  expect(resolved).toEqual([
    { precision: 'fp16', engine: { kind: 'local' } },
    { format: 'ts-script', engine: { kind: 'local' } },
  ]);
});

it('of several models one that cannot be made ends the search: the others are not what was asked for', async () => {
  const gate = new WorkbenchError('accuracy-below-threshold', 'too far off');
  const models = joint.models.map((model) => ({ ...model, runId: null }));
  const { work } = preparing({ of: { ...joint, models }, fault: { [entryOf(1)]: gate } });
  expect(await rejection(work())).toMatchObject({ code: 'accuracy-below-threshold' });
});

import { expect, it } from 'vitest';
import type { SearchedFormat } from '../../../../../main/contract/study/search';
import { planSearch } from '../../../../../main/domain/study/search/plan-search';
import { runOfCandidate, searchOf, searchWinner } from '../../../../../main/domain/study/search/search-study';
import { completeState, specFixture } from '../../../../support/run-state';

const present: SearchedFormat = { format: 'onnx', precision: 'fp16', backendAccelerator: 'none' };
const script: SearchedFormat = { ...present, format: 'ts-script' };
const base = { preset: 'resnet50', overrides: {} };
const choice = { preset: 'resnet50', overrides: { format: 'ts-script' } };
const tried = [
  { model: present, choice: base },
  { model: script, choice },
];
const request = {
  name: 'night',
  space: { instances: [2], maxQueueDelayUs: [0], threads: [1], batching: ['static' as const] },
  load: 'closed' as const,
  latencyUs: 20_000,
};
const machine = { onGpu: false, processors: 2 };

it('plans a trial for each model beside that of the run, and says so', () => {
  const { spec, search, notes } = planSearch(completeState(), request, machine, {
    base: null,
    tried,
    notes: [],
  });
  expect(search.candidates.map(({ format, instances }) => [format, instances])).toEqual([
    ['onnx', 1],
    ['onnx', 2],
    ['ts-script', 1],
    ['ts-script', 2],
  ]);
  expect(spec.strategy.trials).toEqual([
    {
      choice,
      refusal: null,
      axes: [
        { field: 'format', value: 'ts-script' },
        { field: 'precision', value: 'fp16' },
        { field: 'configure.backendAccelerator', value: 'none' },
      ],
    },
  ]);
  expect(notes).toEqual([
    'Target: p99 20.00 ms.',
    'Prepared first, each up to its accuracy check and not counted as load: TorchScript (scripted) FP16.',
  ]);
});

it('begins without a run with the trial that makes it, and needs a target', () => {
  const unmade = { runId: null, source: { spec: specFixture() }, p99BudgetMs: null };
  const models = { base, tried, notes: [] };
  const { spec } = planSearch(unmade, request, machine, models);
  expect(spec.strategy.trials.map((trial) => trial.choice)).toEqual([base, choice]);
  const { name, space, load } = request;
  const untargeted = { name, space, load };
  expect(() => planSearch(unmade, untargeted, machine, models)).toThrow(/a target cannot be derived/);
  const budgeted = { ...unmade, p99BudgetMs: 30 };
  expect(planSearch(budgeted, untargeted, machine, models).search.target.latencyUs).toBe(30_000);
});

it('knows the run of each model once it was made, and names the changes of the winner', () => {
  const unmade = { runId: null, source: { spec: specFixture() }, p99BudgetMs: null };
  const { spec } = planSearch(unmade, request, machine, { base, tried, notes: [] });
  const trial = (runId: string) => ({ leftOut: null, error: null, runId });
  expect(searchOf({ spec })?.runId).toBeNull();
  const trials = { 1: trial('base'), 2: trial('script') };
  const search = searchOf({ spec, trials });
  if (search === null) throw new Error('No search');
  expect(search.runId).toBe('base');
  expect([1, 2, 3, 4].map((number) => runOfCandidate({ spec, trials }, search, number))).toEqual([
    ...['base', 'base', 'script', 'script'],
  ]);
  const concurrency = search.load.kind === 'closed' ? (search.load.concurrency.at(-1) ?? 1) : 1;
  const looks = [1, 2, 3, 4].map((candidate) => ({
    ...{ candidate, phase: 'screen' as const, load: { concurrency }, seconds: 1 },
    ...{ inferencesPerSecond: 100 * candidate, latencyUs: 1000, requestCount: 1000, errorCount: 0 },
    ...{ meanServerBatch: null, serverQueueUs: null },
  }));
  const winner = searchWinner({ searched: { looks, failed: {} } }, search);
  expect(winner?.argv.slice(2)).toEqual([
    'base',
    ...['--set', 'format=ts-script', '--set', 'precision=fp16'],
    ...['--set', 'configure.backendAccelerator=none', '--set', 'configure.instances=2'],
    ...['--set', 'configure.batching=static', '--set', 'configure.threads=1'],
  ]);
});

import { expect, it } from 'vitest';
import { answerOf } from '../../../../main/domain/measured/answer';
import { historyOf } from '../../../../main/domain/measured/verdict';
import { toSummary } from '../../../../main/store/summary';
import {
  createdBodies,
  environmentFixture,
  measurementBody,
  pointFixture,
  stateOf,
} from '../../../support/run-state';
import { runSummary } from '../../renderer/window-fixtures';

const state = stateOf([
  ...createdBodies(),
  { type: 'p99-budget', p99BudgetMs: 20 },
  measurementBody('online', pointFixture({ concurrency: 1, inferencesPerSecond: 200, p99Us: 10_000 })),
  measurementBody('online', pointFixture({ concurrency: 8, inferencesPerSecond: 900, p99Us: 40_000 })),
]);

it('the history of a model has its runs of the same size, format and precision, newest first', () => {
  const at = (runId: string, day: number, change = {}) =>
    runSummary({ runId, createdAt: `2025-11-0${day}T08:00:00.000Z`, ...change });
  const runs = [
    at('old', 1),
    at('own', 3),
    at('new', 5),
    at('other-format', 4, { format: 'tensorrt' }),
    at('other-precision', 4, { precision: 'fp32' }),
    at('other-size', 4, { profile: 'full' }),
    at('other-model', 4, { preset: 'tft' }),
    at('imported', 4, { imported: 'CSV' }),
  ];
  expect(historyOf(runs, 'own').map(({ runId }) => runId)).toEqual(['new', 'own', 'old']);
  expect(historyOf(runs, 'imported')).toEqual([]);
  expect(historyOf(runs, 'unknown')).toEqual([]);
  const many = Array.from({ length: 60 }, (_, index) => at(`run-${String(index)}`, 1));
  expect(historyOf(many, 'run-3')).toHaveLength(50);
});

it('a row of the list has the level that the answer names, and where it was measured', () => {
  const row = toSummary(state, '/runs/a');
  expect(row.best?.inferencesPerSecond).toBe(900);
  expect(row.chosen).toMatchObject({ inferencesPerSecond: 200, p99Us: 10_000, steady: true });
  expect(row.answer?.text).toBe(answerOf(state)?.text);
  expect(row.answer?.text).toMatch(/^Best steady level within 20 ms: 200\.0 inferences\/s at p99 10\.00 ms/);
  expect(toSummary({ ...state, p99BudgetMs: 1 }, '/runs/a')).toMatchObject({
    chosen: null,
    answer: { isSure: false, mark: 'none within 1 ms' },
  });

  const gpu = { name: 'NVIDIA A100', uuid: 'GPU-1', memoryBytes: 1, driver: '1' };
  const placed = (gpus: readonly (typeof gpu)[]) =>
    toSummary(
      { ...state, environment: environmentFixture({ gpus: [...gpus], cpu: 'A CPU', image: 'triton:25.06' }) },
      '/',
    );
  expect(placed([])).toMatchObject({ machine: 'A CPU', server: 'triton:25.06' });
  expect(placed([gpu, { ...gpu, uuid: 'GPU-2' }]).machine).toBe('2 × NVIDIA A100');
});

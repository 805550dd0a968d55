import { expect, it } from 'vitest';
import { changeLines, keptLines } from '../../../main/cli/run-progress';

const change = { path: 'performance.batchSizes', from: [1, 2], to: [1, 2, 4] };
const kept = [
  { scenario: 'offline', batchSize: 1, concurrency: 1 },
  { scenario: 'offline', batchSize: 2, concurrency: 1 },
  { scenario: 'online', batchSize: 1, concurrency: 128, requestRate: 200 },
] as const;

it('a change is told by its fields, the steps to do, and the levels kept', () => {
  const plan = { changed: [change], steps: ['offline'], measured: 3, kept: 3, keptLevels: kept } as const;
  expect([...changeLines(plan, (step) => step.toUpperCase()), ...keptLines(plan)]).toEqual([
    'Changed: performance.batchSizes: 1, 2 → 1, 2, 4',
    'Steps to run: OFFLINE',
    'Measurements kept: 3',
    '    offline: batch size 1, concurrency 1; batch size 2, concurrency 1',
    '    online: batch size 1, 200 requests/s',
  ]);
});

it('a change that says nothing else names nothing, and where nothing is kept no level is listed', () => {
  expect(changeLines({ changed: [], steps: [], kept: 3 }, String)).toEqual([
    'The specification already has these values.',
  ]);
  const plan = { changed: [], steps: [], measured: 3, kept: 3, keptLevels: kept };
  expect(keptLines(plan)).toEqual([]);
  expect(keptLines({ ...plan, changed: [change], kept: 0, keptLevels: [] })).toEqual([]);
});

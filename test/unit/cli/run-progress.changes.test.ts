import { expect, it } from 'vitest';
import { planLines } from '../../../main/cli/run-progress';

const change = { path: 'performance.batchSizes', from: [1, 2], to: [1, 2, 4] };
const kept = [
  { scenario: 'offline', batchSize: 1, concurrency: 1 },
  { scenario: 'offline', batchSize: 2, concurrency: 1 },
  { scenario: 'online', batchSize: 1, concurrency: 128, requestRate: 200 },
] as const;

it('a change is told by its fields, the steps to do, and the levels kept', () => {
  const plan = { changed: [change], steps: ['offline'], measured: 3, kept: 3, keptLevels: kept } as const;
  expect(planLines(plan, (step) => step.toUpperCase(), true)).toEqual([
    'Changed: performance.batchSizes: 1, 2 → 1, 2, 4',
    'Steps to run: OFFLINE',
    'Measurements kept: 3',
    '    offline: batch size 1, concurrency 1; batch size 2, concurrency 1',
    '    online: batch size 1, 200 requests/s',
  ]);
});

it('a change that says nothing else says so, and what is left to do', () => {
  const plan = { changed: [], steps: ['report'], measured: 3, kept: 0, keptLevels: [] } as const;
  expect(planLines(plan, String, true)).toEqual([
    'The specification already has these values.',
    'Steps to run: report',
    'Measurements kept: 0',
  ]);
  expect(planLines({ ...plan, steps: [] }, String, false)).toEqual([
    'Steps to run: none',
    'Measurements kept: 0',
  ]);
});

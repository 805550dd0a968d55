import { expect, it } from 'vitest';
import type { Core } from '../../../../main/core';
import { said } from '../../../support/cli-program';
import { rejection } from '../../../support/rejection';
import { runSummary } from '../../renderer/window-fixtures';

const chosen = { inferencesPerSecond: 1500, p99Us: 9000, steady: false } as const;
// Newest first, which is by id.
const runs = [
  runSummary({
    runId: '4-new',
    createdAt: '2025-11-22T08:00:00.000Z',
    machine: 'NVIDIA A100',
    server: 'triton:25.06',
    chosen,
    answer: { text: '', isSure: false, mark: 'not steady' },
  }),
  runSummary({ runId: '3-old', createdAt: '2025-11-21T08:00:00.000Z', machine: 'A CPU' }),
  runSummary({ runId: '2-tft', preset: 'tft' }),
  runSummary({ runId: '1-imported', imported: 'CSV' }),
];

const core = {
  handlers: { 'runs.all': () => Promise.resolve({ runs, unreadable: [] }) },
} as unknown as Core;
const history = (...words: readonly string[]) => said(core, 'runs', '--history', ...words);

it('prints the runs of the same model with where they were measured, and whether the level is steady', async () => {
  const { text } = await history('3-old');
  const rows = text.split('\n').filter((line) => /^\d-(new|old|tft|imported)\b/.test(line));
  expect(rows).toHaveLength(2);
  expect(rows[0]).toMatch(/^4-new .*NVIDIA A100 +triton:25\.06 +1,500 \(not steady\) +9\.00$/);
  expect(rows[1]).toMatch(/^3-old \* .*A CPU/);
});

it('has the same as one document, and an error where there is no history', async () => {
  const { documents } = await history('latest', '--json');
  expect(documents).toEqual([{ runId: '4-new', runs: runs.slice(0, 2) }]);
  expect((await rejection(history('1-imported'))).code).toBe('input-invalid');
});

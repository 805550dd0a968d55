import { expect, it } from 'vitest';
import { createRunProgress } from '../../../main/cli/run-progress';
import type { JournalBody } from '../../../main/contract/run/run-events';
import { journalFixture, measurementBody, pointFixture } from '../../support/run-state';

function linesOf(bodies: readonly JournalBody[]): readonly string[] {
  const lines: string[] = [];
  const output = { json: false, live: false, rewrite: () => undefined, clearScreen: () => undefined };
  const onEvent = createRunProgress(
    { ...output, say: (line) => lines.push(line), document: () => undefined },
    { verbose: false, titleOf: (step) => step },
  );
  for (const entry of journalFixture(bodies)) onEvent({ type: 'journal', runId: 'r', entry });
  return lines;
}

it('says how much of a level was padding, where requests were padded', () => {
  const bodies = [{}, { paddingShare: 0.412 }].map((point) =>
    measurementBody('offline', pointFixture({ batchSize: 4, ...point })),
  );
  const [plain, padded] = linesOf(bodies);
  expect(plain).not.toContain('padding');
  expect(padded).toMatch(/p99 [\d.]+ ms, 41 % padding$/);
});

it('heads the lines of a step that is in progress with its title, once', () => {
  const step = { step: 'offline' as const, key: 'k' };
  const ended: JournalBody = { ...step, type: 'step-finished', durationUs: 0, facts: [], warnings: [] };
  const bodies: readonly JournalBody[] = [
    { ...ended, step: 'configure' },
    { ...step, type: 'step-started', attempt: 1 },
    measurementBody('offline', pointFixture({ batchSize: 1 })),
    measurementBody('offline', pointFixture({ batchSize: 2 })),
    ended,
    { ...step, step: 'online', type: 'step-started', attempt: 1 },
    { ...ended, step: 'online' },
  ];
  expect(linesOf(bodies).map((line) => line.slice(0, 25))).toEqual([
    '✓ configure',
    '▸ offline',
    '    offline: batch size 1',
    '    offline: batch size 2',
    '✓ offline',
    '✓ online',
  ]);
});

it('says of a step in words why it was not run, and no time of one that took none', () => {
  const finished = { type: 'step-finished' as const, key: 'k', facts: [], warnings: [] };
  const bodies: readonly JournalBody[] = [
    { ...finished, step: 'export', durationUs: 0 },
    { type: 'step-skipped', step: 'export', key: 'k', reason: 'cached' },
    { type: 'step-skipped', step: 'deploy', key: 'k', reason: 'not-needed' },
    { ...finished, step: 'report', durationUs: 1_000_000 },
  ];
  expect(linesOf(bodies)).toEqual([
    '✓ export',
    '- export: reused',
    '- deploy: not needed',
    '✓ report (1.0 s)',
  ]);
});

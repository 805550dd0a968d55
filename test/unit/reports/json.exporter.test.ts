import { describe, expect, it } from 'vitest';
import { reportDocumentSchema } from '../../../main/contract/run/report-document';
import type { JournalBody } from '../../../main/contract/run/run-events';
import type { RunState } from '../../../main/contract/run/run-state';
import { json } from '../../../main/reports/json.exporter';
import { toReport } from '../../../main/reports/to-report';
import {
  completeState,
  createdBodies,
  measurementBody,
  pointFixture,
  runCreated,
  specFixture,
  stateOf,
} from '../../support/run-state';

const documentOf = (state: RunState): unknown =>
  JSON.parse(
    json.render({ state, report: toReport(state, { generatedAt: '2026-11-25T08:30:00.000Z' }) }).content,
  );

const crossed = specFixture(({ performance }) => {
  performance.repeats = 3;
  performance.crossCheck = true;
  performance.concurrency = [4, 8];
});
const rounds = (['native', 'perf_analyzer'] as const).flatMap((loadTool) =>
  [1, 2, 3].map((repeat) => measurementBody('online', pointFixture({ concurrency: 4, loadTool, repeat }))),
);
const failed: JournalBody = {
  type: 'measurement-missing',
  scenario: 'online',
  ...{ key: 'hole', batchSize: 1, concurrency: 8 },
  repeat: 1,
  loadTool: 'native',
  error: { code: 'measurement-failed', message: 'no answer' },
};

describe('report.json', () => {
  it.each([
    ['a complete run', completeState()],
    ['one with nothing measured', runCreated()],
    [
      'one with a budget, repeats, a cross-check and a hole',
      stateOf([...createdBodies(crossed), ...rounds, failed, { type: 'p99-budget', p99BudgetMs: 20 }]),
    ],
  ])('has what its schema says and nothing else: %s', (_what, state) => {
    const document = documentOf(state);
    // A member that the schema does not have is left out by it.
    expect(reportDocumentSchema.parse(document)).toEqual(document);
  });
});

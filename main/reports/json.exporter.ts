import type { Scenario } from '../contract/run/run-events';
import { outcomeOf } from '../contract/run/run-outcome';
import { hasSpec } from '../contract/run/server-load';
import { crossCheckOf, crossSummary } from '../domain/measured/cross-check';
import { levelsOf } from '../domain/measured/points';
import { answerDocument, bestDocument, budgetDocument } from '../domain/measured/verdict';
import { servedByText } from '../domain/run/served-by';
import { instancesText } from '../domain/run/serving';
import type { Exporter, ExportInput } from './report';

function scenario({ state }: ExportInput, id: Scenario): unknown {
  const levels = levelsOf(state, id);
  const { repeats, crossCheck: crossChecks } = state.spec.performance;
  const crossed = crossCheckOf(state, id);
  return {
    points: levels.flatMap(({ point }) => (point === null ? [] : [point])),
    missing: levels.flatMap(({ batchSize, concurrency, requestRate, hole }) =>
      hole === null ? [] : [{ batchSize, concurrency, requestRate, ...hole }],
    ),
    // Every single measurement of a run that repeats or cross-checks.
    ...(repeats > 1 || crossChecks
      ? {
          measurements: state.scenarios[id].points.map(({ point }) => point),
          failedMeasurements: state.scenarios[id].missing,
        }
      : {}),
    ...(crossed === null ? {} : { crossCheck: { summary: crossSummary(crossed), levels: crossed } }),
  };
}

/** The whole run for machines: values as measured (microseconds), nothing rounded. */
export const json: Exporter = {
  id: 'json',
  render: (input) => {
    const { state, report } = input;
    const value = {
      kind: 'triton-workbench-report',
      version: 1,
      generatedAt: report.generatedAt,
      runId: state.runId,
      status: outcomeOf(state),
      createdAt: state.createdAt,
      updatedAt: state.updatedAt,
      best: bestDocument(state),
      budget: budgetDocument(state),
      answer: answerDocument(state),
      verdict: report.verdict,
      verification: report.verification,
      error: state.error,
      imported: state.imported,
      ...(state.onServer === null ? {} : { onServer: state.onServer }),
      damagedLines: state.damagedLines,
      spec: hasSpec(state) ? state.spec : null,
      specHash: hasSpec(state) ? state.specHash : null,
      servedBy: servedByText(state),
      instances: hasSpec(state) ? instancesText(state.spec) : null,
      specChanges: state.specChanges,
      environment: state.imported === null ? state.environment : null,
      steps: state.steps,
      accuracy: state.accuracy?.result ?? null,
      offline: scenario(input, 'offline'),
      online: scenario(input, 'online'),
      published: report.published,
      notes: report.notes,
    };
    return { fileName: 'report.json', content: `${JSON.stringify(value, null, 2)}\n` };
  },
};

import type { Scenario } from '../contract/run/run-events';
import { outcomeOf } from '../contract/run/run-outcome';
import { importedFileOf, isDeployed, performanceOf, serverLoadOf, specOf } from '../contract/run/run-source';
import { present } from '../contract/trees';
import { crossCheckOf, crossSummary } from '../domain/measured/cross-check';
import { limitsDocument } from '../domain/measured/limits/limits';
import { levelsOf } from '../domain/measured/points';
import { answerDocument, bestDocument, budgetDocument } from '../domain/measured/verdict';
import { servedByText } from '../domain/run/served-by';
import { instancesText } from '../domain/run/serving';
import type { Exporter, ExportInput } from './report';

function scenario({ state }: ExportInput, id: Scenario): unknown {
  const levels = levelsOf(state, id);
  const { repeats = 1, crossCheck: crossChecks = false } = performanceOf(state) ?? {};
  const crossed = crossCheckOf(state, id);
  return {
    points: levels.flatMap(({ point }) => (point === null ? [] : [point])),
    missing: levels.flatMap(({ batchSize, concurrency, requestRate, hole }) =>
      hole === null ? [] : [{ batchSize, concurrency, requestRate, ...hole }],
    ),
    // Single measurements of repeats and cross-checks.
    ...(repeats > 1 || crossChecks
      ? {
          measurements: state.scenarios[id].points.map(({ point }) => point),
          failedMeasurements: state.scenarios[id].missing,
        }
      : {}),
    ...(crossed === null ? {} : { crossCheck: { summary: crossSummary(crossed), levels: crossed } }),
  };
}

/** Unrounded, in microseconds. */
export const json: Exporter = {
  id: 'json',
  render: (input) => {
    const { state, report } = input;
    const spec = specOf(state);
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
      limits: limitsDocument(state),
      verdict: report.verdict,
      verification: report.verification,
      error: state.error,
      imported: importedFileOf(state),
      ...present({ onServer: serverLoadOf(state) }),
      damagedLines: state.damagedLines,
      spec,
      specHash: isDeployed(state) ? state.source.specHash : null,
      servedBy: servedByText(state),
      instances: spec === null ? null : instancesText(spec),
      specChanges: state.specChanges,
      environment: state.source.kind === 'imported' ? null : state.environment,
      steps: state.steps,
      accuracy: state.accuracy?.result ?? null,
      modelRecord: state.modelRecord,
      coldStart: state.coldStart,
      warmUpTrial: state.warmUpTrial,
      offline: scenario(input, 'offline'),
      online: scenario(input, 'online'),
      ...(report.slow.length === 0 ? {} : { traces: report.slow }),
      published: report.published,
      notes: report.notes,
    };
    return { fileName: 'report.json', content: `${JSON.stringify(value, null, 2)}\n` };
  },
};

import type { Scenario } from '../contract/run-events';
import type { Exporter, ExportInput } from './exporter';
import { outcomeOf } from './outcome';
import { levelsOf } from '../contract/points';

function scenario({ state }: ExportInput, id: Scenario): unknown {
  const levels = levelsOf(state, id);
  return {
    points: levels.flatMap(({ point }) => (point === null ? [] : [point])),
    missing: levels.flatMap(({ batchSize, concurrency, hole }) =>
      hole === null ? [] : [{ batchSize, concurrency, ...hole }],
    ),
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
      verdict: report.verdict,
      verification: report.verification,
      error: state.error,
      spec: state.spec,
      specHash: state.specHash,
      environment: state.environment,
      steps: state.steps,
      accuracy: state.accuracy?.result ?? null,
      offline: scenario(input, 'offline'),
      online: scenario(input, 'online'),
      notes: report.notes,
    };
    return { fileName: 'report.json', content: `${JSON.stringify(value, null, 2)}\n` };
  },
};

import type { LoadPoint } from '../../contract/measured/results';
import type { Scenario } from '../../contract/run/run-events';
import { verificationOf } from '../../contract/run/run-outcome';
import { importedFileOf, performanceOf, serverLoadOf } from '../../contract/run/run-source';
import type { RunState } from '../../contract/run/run-state';
import { byLoad } from '../../contract/run/sweep';
import { present } from '../../contract/trees';
import { crossCheckOf } from '../../domain/measured/cross-check';
import { limitsDocument } from '../../domain/measured/limits/limits';
import { slowLevels } from '../../domain/measured/slow/slow-text';
import { answerDocument, bestDocument, budgetDocument } from '../../domain/measured/verdict';
import { servedByText } from '../../domain/run/served-by';

/** The measured levels of a scenario by their load. */
export const levelsOf = (state: RunState, scenario: Scenario): readonly LoadPoint[] =>
  state.scenarios[scenario].points.map((measured) => measured.point).sort(byLoad);

/** The document of `run --json`, `resume --json` and `show --json`. */
export function runDocument(state: RunState, dir: string) {
  const slow = slowLevels(state);
  return {
    runId: state.runId,
    status: state.status,
    origin: state.origin,
    dir,
    ...(state.error === null ? {} : { error: state.error }),
    unverified: state.unverified,
    preflight: state.preflight,
    name: state.name,
    tags: state.tags,
    note: state.note,
    specChanges: state.specChanges,
    waitsFor: state.waitsFor,
    job: state.job,
    damagedLines: state.damagedLines,
    steps: state.steps.map((step) => ({
      id: step.id,
      status: step.status,
      ...(step.skippedBecause === null ? {} : { skippedBecause: step.skippedBecause }),
      durationUs: step.durationUs,
      facts: step.facts,
      warnings: step.warnings,
      ...(step.error === null ? {} : { error: step.error }),
    })),
    best: bestDocument(state),
    budget: budgetDocument(state),
    answer: answerDocument(state),
    limits: limitsDocument(state),
    ...(slow.length === 0 ? {} : { traces: slow }),
    verification: verificationOf(state),
    servedBy: servedByText(state),
    modelRecord: state.modelRecord,
    accuracy: state.accuracy?.result ?? null,
    offline: levelsOf(state, 'offline'),
    online: levelsOf(state, 'online'),
    ...(performanceOf(state)?.crossCheck === true
      ? { crossCheck: { offline: crossCheckOf(state, 'offline'), online: crossCheckOf(state, 'online') } }
      : {}),
    missing: [...state.scenarios.offline.missing, ...state.scenarios.online.missing],
    reports: state.reports,
    imported: importedFileOf(state),
    ...present({ onServer: serverLoadOf(state) }),
    environment: state.source.kind === 'imported' ? null : state.environment,
  };
}

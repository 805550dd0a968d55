import { bestDocument, budgetDocument } from '../contract/answer-document';
import { crossCheckOf } from '../contract/cross-check';
import type { RunState } from '../contract/run-state';
import { byLoad } from '../contract/scenario-levels';

/** The document of `run --json`, `resume --json` and `show --json`. */
export function runDocument(state: RunState, dir: string) {
  const points = (scenario: 'offline' | 'online') =>
    state.scenarios[scenario].points.map((measured) => measured.point).sort(byLoad);
  return {
    runId: state.runId,
    status: state.status,
    origin: state.origin,
    dir,
    ...(state.error === null ? {} : { error: state.error }),
    unverified: state.unverified,
    tags: state.tags,
    note: state.note,
    specChanges: state.specChanges,
    waitsFor: state.waitsFor,
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
    accuracy: state.accuracy?.result ?? null,
    offline: points('offline'),
    online: points('online'),
    ...(state.spec.performance.crossCheck
      ? { crossCheck: { offline: crossCheckOf(state, 'offline'), online: crossCheckOf(state, 'online') } }
      : {}),
    missing: [...state.scenarios.offline.missing, ...state.scenarios.online.missing],
    reports: state.reports,
    imported: state.imported,
    environment: state.imported === null ? state.environment : null,
  };
}

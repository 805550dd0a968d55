import type { RunSummary } from '../contract/api';
import { bestPoint } from '../contract/points';
import type { StoredRun } from './run-store';

/** One row of the run list; its best level is the one that the report leads with. */
export function toSummary(run: StoredRun): RunSummary {
  const { state, folder } = run;
  const { spec } = state;
  const best = bestPoint(state)?.point ?? null;
  return {
    runId: state.runId,
    dir: folder.dir,
    preset: spec.model.preset,
    profile: spec.model.profile,
    format: spec.format,
    precision: spec.precision,
    engine: spec.engine.kind,
    status: state.status,
    createdAt: state.createdAt,
    updatedAt: state.updatedAt,
    best: best === null ? null : { inferencesPerSecond: best.inferencesPerSecond, p99Us: best.p99Us },
    accuracyPassed: state.accuracy?.result.passed ?? null,
    unverified: state.unverified,
    tags: state.tags,
    note: state.note,
    waitsFor: state.waitsFor,
  };
}

import { stagesOf } from '../../contract/load/stages';
import { scenarios, type StepId } from '../../contract/run/run-events';
import type { RunSummary } from '../../contract/run/run-outcome';
import { performanceOf, specOf } from '../../contract/run/run-source';
import type { PerformanceSpec, RunSpec } from '../../contract/run/run-spec';
import type { RunState, StepState } from '../../contract/run/run-state';
import type { Alike, PastRun } from '../../contract/run/run-step';
import { medianOf } from '../statistics';

/** Three agreeing windows make a level steady; see main/perf/intervals.ts. */
const expectedWindows = 3;

/** Seconds of a level by its settings; null where a window ends by count. */
export function plannedLevelS(performance: PerformanceSpec): number | null {
  const { measurementMode, requestCount, replay, stages } = performance;
  if (measurementMode === 'count_windows' || requestCount > 0 || replay !== undefined) return null;
  if (stages !== undefined) {
    const stagesS = stagesOf(stages, 1).reduce((sum, { seconds }) => sum + seconds, 0);
    return performance.warmupMs / 1000 + stagesS;
  }
  const windows = Math.min(expectedWindows, performance.maxTrials);
  return (performance.warmupMs + windows * performance.measurementIntervalMs) / 1000;
}

/** Older ones are of another machine load, or another version. */
const newest = 3;

type Row = Pick<RunSummary, 'runId' | 'preset' | 'profile' | 'format' | 'precision' | 'engine' | 'status'>;

function alikeOf(row: Row, spec: RunSpec): Alike | null {
  const { model, engine, format, precision } = spec;
  if (row.preset !== model.preset || row.profile !== model.profile || row.engine !== engine.kind) return null;
  return row.format === format && row.precision === precision ? 'choice' : 'model';
}

/** Complete runs to estimate this one by, at most three of each likeness. @param rows newest first */
export function likeRuns(
  state: RunState,
  rows: readonly Row[],
): readonly { readonly runId: string; readonly alike: Alike }[] {
  const spec = specOf(state);
  if (spec === null) return [];
  const found = rows
    .filter(({ status, runId }) => status === 'done' && runId !== state.runId)
    .flatMap((row) => {
      const alike = alikeOf(row, spec);
      return alike === null ? [] : [{ runId: row.runId, alike }];
    });
  return (['choice', 'model'] as const).flatMap((alike) =>
    found.filter((one) => one.alike === alike).slice(0, newest),
  );
}

const tookUs = (state: RunState, id: StepId): readonly number[] =>
  scenarios
    .filter((scenario) => scenario === id)
    .flatMap((scenario) => state.scenarios[scenario].points.map(({ point }) => point.elapsedUs ?? 0));

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

function stepSeconds(state: RunState, { id, status, durationUs }: StepState): number | null {
  if (status === 'skipped') return 0;
  if (status !== 'done' || durationUs === null) return null;
  // A sweep that was resumed has levels of earlier attempts too.
  return Math.max(0, durationUs - sum(tookUs(state, id))) / 1e6;
}

export function pastRunOf(state: RunState, alike: Alike): PastRun {
  const levels = scenarios.flatMap((scenario) => tookUs(state, scenario)).filter((us) => us > 0);
  const performance = performanceOf(state);
  const stepS: Partial<Record<StepId, number>> = {};
  for (const step of state.steps) {
    const seconds = stepSeconds(state, step);
    if (seconds !== null) stepS[step.id] = seconds;
  }
  return {
    alike,
    stepS,
    levelS: levels.length === 0 ? null : sum(levels) / levels.length / 1e6,
    plannedLevelS: performance === null ? null : plannedLevelS(performance),
  };
}

/** Values of the likest runs that have one. */
function ofLikest(past: readonly PastRun[], read: (run: PastRun) => number | null): readonly number[] {
  const known = (alike: Alike): readonly number[] =>
    past.filter((run) => run.alike === alike).flatMap((run) => read(run) ?? []);
  const same = known('choice');
  return same.length > 0 ? same : known('model');
}

const median = (values: readonly number[]): number | null => (values.length === 0 ? null : medianOf(values));

/** Seconds that a step took in the likest runs, of a sweep without its levels; null: no such run has it. */
export const expectedStepS = (past: readonly PastRun[], id: StepId): number | null =>
  median(ofLikest(past, ({ stepS }) => stepS[id] ?? null));

/** Seconds of a level: its settings as much as they were exceeded before, else what a level took. null: unknown */
export function expectedLevelS(past: readonly PastRun[], plannedS: number | null): number | null {
  if (plannedS === null) return median(ofLikest(past, ({ levelS }) => levelS));
  const factor = median(
    ofLikest(past, ({ levelS, plannedLevelS: asked }) =>
      levelS === null || asked === null || asked === 0 ? null : levelS / asked,
    ),
  );
  return factor === null ? plannedS : plannedS * factor;
}

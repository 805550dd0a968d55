import { errorText } from './error-text';
import { shownScenario } from './repeats';
import type { LoadPoint } from './results';
import type { Scenario } from './run-events';
import type { RunState } from './run-state';
import type { LoadLevel } from './scenario-levels';
import { byLoad, loadKey, scenarioLevels } from './scenario-levels';

/** One level of a scenario: measured, or a hole with its reason. */
export interface Level extends LoadLevel {
  readonly point: LoadPoint | null;
  /** Set when there is no point. */
  readonly hole: { readonly mark: string; readonly reason: string } | null;
}

export function isSteady(point: LoadPoint): boolean {
  return point.stable && point.flags.length === 0;
}

/** The levels that the specification asks for; which of them a search tries only the search tells. */
function wantedLoads({ spec, imported }: RunState, scenario: Scenario): readonly LoadLevel[] {
  if (imported !== null) return [];
  const searching = scenario === 'online' && spec.performance.search !== 'none';
  return searching ? [] : scenarioLevels(spec.performance, scenario);
}

/**
 * All levels of a scenario, by batch size and then concurrency or rate: what was measured, what was tried in vain and what
 * was asked for and never reached. A level measured twice (a resumed run under changed keys) shows the later result.
 */
export function levelsOf(state: RunState, scenario: Scenario): readonly Level[] {
  const { points, missing } = shownScenario(state, scenario);
  const levels = new Map<string, Level>();
  for (const load of wantedLoads(state, scenario)) {
    const reason = 'The run ended before this level was measured.';
    levels.set(loadKey(load), { ...load, point: null, hole: { mark: 'missing: not-reached', reason } });
  }
  for (const { batchSize, concurrency, requestRate, error } of missing) {
    const load = { batchSize, concurrency, ...(requestRate === undefined ? {} : { requestRate }) };
    const reason = `${errorText[error.code].title}: ${error.message}`;
    const hole = { mark: `missing: ${error.code}`, reason };
    levels.set(loadKey(load), { ...load, point: null, hole });
  }
  for (const { point } of points) {
    const { batchSize, concurrency, requestRate } = point;
    const load = { batchSize, concurrency, ...(requestRate === undefined ? {} : { requestRate }) };
    const key = loadKey(load);
    // Models that were measured at the same time have the same levels, a row each.
    if (point.model !== undefined) levels.delete(key);
    levels.set(point.model === undefined ? key : `${key} ${point.model}`, { ...load, point, hole: null });
  }
  return [...levels.values()].sort(byLoad);
}

export interface BestPoint {
  readonly scenario: Scenario;
  readonly point: LoadPoint;
}

/** Highest throughput over both scenarios; a steady point wins over every one that is not. Null without points. */
export function bestPoint(state: RunState): BestPoint | null {
  const all = (['offline', 'online'] as const).flatMap((scenario) =>
    levelsOf(state, scenario).flatMap(({ point }) => (point === null ? [] : [{ scenario, point }])),
  );
  const steady = all.filter(({ point }) => isSteady(point));
  const candidates = steady.length > 0 ? steady : all;
  return candidates.reduce<BestPoint | null>(
    (best, next) =>
      best === null || next.point.inferencesPerSecond > best.point.inferencesPerSecond ? next : best,
    null,
  );
}

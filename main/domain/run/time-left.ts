import { formatDuration } from '../../contract/numbers';
import { type Scenario, scenarios, shortWaitText } from '../../contract/run/run-events';
import { isDeployed } from '../../contract/run/run-source';
import type { PerformanceSpec } from '../../contract/run/run-spec';
import type { DeployedRun, RunState } from '../../contract/run/run-state';
import {
  measuringOrder,
  ofScenario,
  plannedTurns,
  scenarioLevels,
  turnKey,
  turnOf,
} from '../../contract/run/sweep';
import { stepTitle } from '../../contract/words';
import { measuresInTurns } from './in-turns';

interface TimeLeft {
  readonly seconds: number;
  /** `run`: no other long step follows; `measuring`: earlier steps take further time. */
  readonly of: 'run' | 'measuring';
  readonly basis: string;
}

/** Three agreeing windows make a level steady; see main/perf/intervals.ts. */
const expectedWindows = 3;

/** Levels that are done or passed in the current sweep; and those to come, the current one included. */
interface Levels {
  readonly over: number;
  readonly left: number;
}

function levelsOfSweep(state: DeployedRun, scenario: Scenario): Levels {
  const step = state.steps.find((candidate) => candidate.id === scenario);
  const { points, missing } = state.scenarios[scenario];
  if (step === undefined || step.status === 'done' || step.status === 'skipped')
    return { over: points.length + missing.length, left: 0 };
  const { performance } = state.source.spec;
  const { loadTool } = ofScenario(performance, scenario);
  const over = points.map((measured) => turnKey(turnOf(measured.point, loadTool)));
  // Failed levels of an earlier attempt are retried; those of the current sweep are done.
  if (step.status === 'running') over.push(...missing.map((hole) => turnKey(turnOf(hole, loadTool))));
  const searching = scenario === 'online' && performance.search !== 'none';
  const all = searching
    ? measuringOrder(scenarioLevels(performance, scenario), 1, [loadTool])
    : plannedTurns(performance, scenario);
  const left = all.filter((turn) => !over.includes(turnKey(turn))).length;
  if (scenario === 'offline' || performance.search !== 'binary') return { over: over.length, left };
  // A binary search tries both ends, then halves, and may end earlier.
  const most = Math.ceil(Math.log2(Math.max(1, all.length))) + 2 - over.length;
  return { over: over.length, left: Math.max(0, Math.min(left, most)) };
}

function levelsOfRun(state: DeployedRun): Levels {
  const each = scenarios.map((scenario) => levelsOfSweep(state, scenario));
  const sum = (of: keyof Levels): number => each.reduce((total, levels) => total + levels[of], 0);
  return { over: sum('over'), left: sum('left') };
}

/** By settings; null where a window ends by count. */
function plannedLevelS(performance: PerformanceSpec): number | null {
  const { measurementMode, requestCount, replay } = performance;
  if (measurementMode === 'count_windows' || requestCount > 0 || replay !== undefined) return null;
  const windows = Math.min(expectedWindows, performance.maxTrials);
  return (performance.warmupMs + windows * performance.measurementIntervalMs) / 1000;
}

/** Seconds since the current sweep's last entry. */
function spentS(state: RunState, nowMs: number): number {
  const step = state.steps.find(
    ({ id, status }) => (id === 'offline' || id === 'online') && status === 'running',
  );
  return step === undefined ? 0 : Math.max(0, (nowMs - Date.parse(state.updatedAt)) / 1000);
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

function nounOf({ source }: DeployedRun): string {
  const { repeats, crossCheck } = source.spec.performance;
  return repeats > 1 || crossCheck ? 'measurement' : 'level';
}

/** "level 3 of 8" over both sweeps; "level 3" where a search decides; else the step or wait. null: not in progress. */
export function underWayText(state: RunState): string | null {
  if (state.status !== 'running') return null;
  if (state.waitsFor !== null) return shortWaitText(state.waitsFor);
  const step = state.steps.find(({ status }) => status === 'running');
  if (step === undefined) return null;
  const isSweep = scenarios.some((scenario) => scenario === step.id);
  if (!isSweep || !isDeployed(state)) return stepTitle[step.id];
  const { over, left } = levelsOfRun(state);
  const noun = nounOf(state);
  if (left === 0) return stepTitle[step.id];
  if (measuresInTurns(state)) return `${counted(left, noun)} in turns`;
  const isSearched = state.source.spec.performance.search !== 'none';
  return isSearched ? `${noun} ${over + 1}` : `${noun} ${over + 1} of ${over + left}`;
}

/** Below this the estimate is rounder than the rest. */
const finishingS = 3;

export function timeLeftText({ seconds, of }: TimeLeft): string {
  if (of === 'measuring') return `at least ${durationText(seconds)} of measuring to come`;
  return seconds < finishingS ? 'finishing' : `about ${durationText(seconds)} left`;
}

/** By settings; null where windows end by count, or a search decides. */
export function plannedMeasuringS(performance: PerformanceSpec): number | null {
  const levelS = plannedLevelS(performance);
  if (levelS === null || performance.search !== 'none') return null;
  return scenarios.reduce((sum, scenario) => sum + plannedTurns(performance, scenario).length, 0) * levelS;
}

/** "27 s", "3 min", "1 h 20 min". */
export function durationText(seconds: number): string {
  const whole = Math.max(1, Math.round(seconds));
  if (whole < 60) return `${whole} s`;
  const minutes = Math.round(whole / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
}

/** Another step than a sweep runs now or before the last sweep. */
function hasStepsBefore(state: RunState): boolean {
  const isSweep = (id: string): boolean => scenarios.some((scenario) => scenario === id);
  const last = state.steps.findLastIndex(({ id }) => isSweep(id));
  return state.steps
    .slice(0, last)
    .some(({ id, status }) => !isSweep(id) && (status === 'waiting' || status === 'running'));
}

/**
 * Remaining measuring time: levels left times the mean so far, or the settings' time. Excludes other steps, which vary
 * too much between models.
 * @param nowMs wall clock, milliseconds
 * @returns null: not running, waiting, or no level left
 */
export function estimateTimeLeft(state: RunState, nowMs: number): TimeLeft | null {
  if (state.status !== 'running' || state.waitsFor !== null) return null;
  if (!isDeployed(state)) return null;
  const { left } = levelsOfRun(state);
  if (left === 0) return null;
  const measured = scenarios.flatMap((scenario) => state.scenarios[scenario].points);
  const tookS = measured.reduce((sum, { point }) => sum + (point.elapsedUs ?? 0) / 1e6, 0) / measured.length;
  const levelS = measured.length > 0 ? tookS : plannedLevelS(state.source.spec.performance);
  if (levelS === null) return null;
  // In turns no level ends before the last round.
  const underWay = measuresInTurns(state) ? left * levelS : levelS;
  const seconds = left * levelS - Math.min(underWay, spentS(state, nowMs));
  const noun = nounOf(state);
  const each = `${counted(left, noun)} left, about ${formatDuration(levelS * 1e6)} each`;
  const basis =
    measured.length > 0
      ? `${each}, as the ${counted(measured.length, noun)} so far took`
      : `${each} by the settings; the steps before are not counted`;
  return { seconds, basis, of: hasStepsBefore(state) ? 'measuring' : 'run' };
}

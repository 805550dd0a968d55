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
  /** `run`: measuring is under way and no other long step follows; `measuring`: steps before it take time of their own. */
  readonly of: 'run' | 'measuring';
  /** What the estimate stands on, for people. */
  readonly basis: string;
}

/** A level is steady when three windows agree; see main/perf/intervals.ts. */
const expectedWindows = 3;

/** Levels that are measured, or passed by in the sweep under way; and those to come, that under way included. */
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
  // Holes of an earlier attempt are tried again; those of the sweep under way are behind it.
  if (step.status === 'running') over.push(...missing.map((hole) => turnKey(turnOf(hole, loadTool))));
  const searching = scenario === 'online' && performance.search !== 'none';
  const all = searching
    ? measuringOrder(scenarioLevels(performance, scenario), 1, [loadTool])
    : plannedTurns(performance, scenario);
  const left = all.filter((turn) => !over.includes(turnKey(turn))).length;
  if (scenario === 'offline' || performance.search !== 'binary') return { over: over.length, left };
  // A binary search tries both ends and then a half each time; it may end earlier.
  const most = Math.ceil(Math.log2(Math.max(1, all.length))) + 2 - over.length;
  return { over: over.length, left: Math.max(0, Math.min(left, most)) };
}

/** Of both sweeps. */
function levelsOfRun(state: DeployedRun): Levels {
  const each = scenarios.map((scenario) => levelsOfSweep(state, scenario));
  const sum = (of: keyof Levels): number => each.reduce((total, levels) => total + levels[of], 0);
  return { over: sum('over'), left: sum('left') };
}

/** Seconds of one level by the settings alone; null where a window ends by count and nobody knows when that is. */
function plannedLevelS(performance: PerformanceSpec): number | null {
  if (performance.measurementMode === 'count_windows' || performance.requestCount > 0) return null;
  const windows = Math.min(expectedWindows, performance.maxTrials);
  return (performance.warmupMs + windows * performance.measurementIntervalMs) / 1000;
}

/** Seconds since the last entry of the sweep under way: what the level under way has had. */
function spentS(state: RunState, nowMs: number): number {
  const step = state.steps.find(
    ({ id, status }) => (id === 'offline' || id === 'online') && status === 'running',
  );
  return step === undefined ? 0 : Math.max(0, (nowMs - Date.parse(state.updatedAt)) / 1000);
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** One of what {@link levelsOfRun} counts. */
function nounOf({ source }: DeployedRun): string {
  const { repeats, crossCheck } = source.spec.performance;
  return repeats > 1 || crossCheck ? 'measurement' : 'level';
}

/**
 * What a run does now: "level 3 of 8", over both sweeps; "level 3" where a search decides how many there are; else its
 * step, or what it waits for. null where it is not in progress. Pure.
 */
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

/** Shorter than this the estimate is rounder than what is left. */
const finishingS = 3;

/** The time left in words that promise no more than is known. Pure. */
export function timeLeftText({ seconds, of }: TimeLeft): string {
  if (of === 'measuring') return `at least ${durationText(seconds)} of measuring to come`;
  return seconds < finishingS ? 'finishing' : `about ${durationText(seconds)} left`;
}

/** Seconds that the levels of a run take by its settings; null where windows end by count, or a search decides. Pure. */
export function plannedMeasuringS(performance: PerformanceSpec): number | null {
  const levelS = plannedLevelS(performance);
  if (levelS === null || performance.search !== 'none') return null;
  return scenarios.reduce((sum, scenario) => sum + plannedTurns(performance, scenario).length, 0) * levelS;
}

/** A length of time as an estimate is told: "27 s", "3 min", "1 h 20 min". */
export function durationText(seconds: number): string {
  const whole = Math.max(1, Math.round(seconds));
  if (whole < 60) return `${whole} s`;
  const minutes = Math.round(whole / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
}

/** A step other than a sweep is under way or to come before the last sweep has ended. */
function hasStepsBefore(state: RunState): boolean {
  const isSweep = (id: string): boolean => scenarios.some((scenario) => scenario === id);
  const last = state.steps.findLastIndex(({ id }) => isSweep(id));
  return state.steps
    .slice(0, last)
    .some(({ id, status }) => !isSweep(id) && (status === 'waiting' || status === 'running'));
}

/**
 * How long the measuring of a run will still take: levels left times what a level took, or takes by the settings.
 * An estimate, and only of the levels: the other steps differ too much between models. Never negative. Pure.
 * @param nowMs wall clock, milliseconds.
 * @returns null when nothing is known: not running, waiting for another run, no level left.
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

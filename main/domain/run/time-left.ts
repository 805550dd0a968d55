import { formatDuration } from '../../contract/numbers';
import { type Scenario, scenarios, shortWaitText, type StepId } from '../../contract/run/run-events';
import { bySource, isDeployed, performanceOf } from '../../contract/run/run-source';
import type { PerformanceSpec } from '../../contract/run/run-spec';
import type { RunState, StepState } from '../../contract/run/run-state';
import type { PastRun } from '../../contract/run/run-step';
import { scenarioOfLevels } from '../../contract/run/server-load';
import {
  measuringOrder,
  type MeasuringTurn,
  ofScenario,
  plannedTurns,
  scenarioLevels,
  toolsOf,
  turnKey,
  turnOf,
} from '../../contract/run/sweep';
import { stepTitle } from '../../contract/words';
import { measuresInTurns } from './in-turns';
import { expectedLevelS, expectedStepS, plannedLevelS } from './past-runs';

interface TimeLeft {
  readonly seconds: number;
  /**
   * `run`: all that is left; `known`: a step has no known time; `measuring`: earlier steps take further time, and no
   * earlier run says how much.
   */
  readonly of: 'run' | 'known' | 'measuring';
  readonly basis: string;
}

/** Levels that are done or passed in the current sweep; and those to come, the current one included. */
interface Levels {
  readonly over: number;
  readonly left: number;
}

const isSweep = ({ id }: StepState): boolean => scenarios.some((scenario) => scenario === id);

const searchOf = (state: RunState, scenario: Scenario): string =>
  bySource(state.source, {
    imported: () => 'none',
    deployed: ({ performance }) => (scenario === 'online' ? performance.search : 'none'),
    server: ({ search }) => search?.kind ?? 'none',
  });

/** Every turn of a sweep; of a search those that it may take. */
const turnsOf = (state: RunState, scenario: Scenario): readonly MeasuringTurn[] =>
  bySource<readonly MeasuringTurn[]>(state.source, {
    imported: () => [],
    deployed: ({ performance }) => {
      if (searchOf(state, scenario) === 'none') return plannedTurns(performance, scenario);
      const { loadTool } = ofScenario(performance, scenario);
      return measuringOrder(scenarioLevels(performance, scenario), 1, [loadTool]);
    },
    // Where an edge is reached, no count of levels says.
    server: ({ levels, repeats, tools, search }) =>
      scenarioOfLevels(levels) === scenario && search?.kind !== 'edge'
        ? measuringOrder(levels, repeats, tools)
        : [],
  });

function levelsOfSweep(state: RunState, scenario: Scenario): Levels {
  const step = state.steps.find((candidate) => candidate.id === scenario);
  const { points, missing } = state.scenarios[scenario];
  const performance = performanceOf(state);
  if (step === undefined || step.status === 'done' || step.status === 'skipped' || performance === null)
    return { over: points.length + missing.length, left: 0 };
  const [loadTool] = toolsOf(ofScenario(performance, scenario));
  const over = points.map((measured) => turnKey(turnOf(measured.point, loadTool)));
  // Failed levels of an earlier attempt are retried; those of the current sweep are done.
  if (step.status === 'running') over.push(...missing.map((hole) => turnKey(turnOf(hole, loadTool))));
  const all = turnsOf(state, scenario);
  const left = all.filter((turn) => !over.includes(turnKey(turn))).length;
  if (searchOf(state, scenario) !== 'binary') return { over: over.length, left };
  // A binary search tries both ends, then halves, and may end earlier.
  const most = Math.ceil(Math.log2(Math.max(1, all.length))) + 2 - over.length;
  return { over: over.length, left: Math.max(0, Math.min(left, most)) };
}

function levelsOfRun(state: RunState): Levels {
  const each = scenarios.map((scenario) => levelsOfSweep(state, scenario));
  const sum = (of: keyof Levels): number => each.reduce((total, levels) => total + levels[of], 0);
  return { over: sum('over'), left: sum('left') };
}

/** Seconds since the current sweep's last entry. */
function spentS(state: RunState, nowMs: number): number {
  const step = state.steps.find((one) => isSweep(one) && one.status === 'running');
  return step === undefined ? 0 : Math.max(0, (nowMs - Date.parse(state.updatedAt)) / 1000);
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

function nounOf(state: RunState): string {
  const performance = performanceOf(state);
  return performance !== null && (performance.repeats > 1 || performance.crossCheck)
    ? 'measurement'
    : 'level';
}

/** "level 3 of 8" over both sweeps; "level 3" where a search decides; else the step or wait. null: not in progress. */
export function underWayText(state: RunState): string | null {
  if (state.status !== 'running') return null;
  if (state.waitsFor !== null) return shortWaitText(state.waitsFor);
  const step = state.steps.find(({ status }) => status === 'running');
  if (step === undefined) return null;
  return (isSweep(step) && isDeployed(state) ? levelText(state) : null) ?? stepTitle[step.id];
}

/** As `underWayText` of a sweep; null: no level is left. */
export function levelText(state: RunState): string | null {
  const { over, left } = levelsOfRun(state);
  const noun = nounOf(state);
  if (left === 0) return null;
  if (measuresInTurns(state)) return `${counted(left, noun)} in turns`;
  const isSearched = scenarios.some((scenario) => searchOf(state, scenario) !== 'none');
  return isSearched ? `${noun} ${over + 1}` : `${noun} ${over + 1} of ${over + left}`;
}

/** Below this the estimate is rougher than what is left. */
const fewS = 3;

export function timeLeftText({ seconds, of }: TimeLeft): string {
  if (of === 'measuring') return `at least ${durationText(seconds)} of measuring to come`;
  if (of === 'known') return `at least ${durationText(seconds)} left`;
  return seconds < fewS ? 'a few seconds left' : `about ${durationText(seconds)} left`;
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
function hasStepsBefore({ steps }: RunState): boolean {
  return steps
    .slice(0, Math.max(0, steps.findLastIndex(isSweep)))
    .some((step) => !isSweep(step) && (step.status === 'waiting' || step.status === 'running'));
}

interface Part {
  readonly seconds: number;
  readonly basis: string;
}

/** Levels left times the mean so far, or that of earlier runs, or the settings' time; null: no time is known. */
function measuringLeft(state: RunState, nowMs: number, past: readonly PastRun[]): Part | null {
  const { left } = levelsOfRun(state);
  const performance = performanceOf(state);
  if (performance === null) return null;
  const measured = scenarios.flatMap((scenario) => state.scenarios[scenario].points);
  const tookS = measured.reduce((sum, { point }) => sum + (point.elapsedUs ?? 0) / 1e6, 0) / measured.length;
  const levelS = measured.length > 0 ? tookS : expectedLevelS(past, plannedLevelS(performance));
  if (levelS === null) return null;
  // In turns no level ends before the last round.
  const underWay = measuresInTurns(state) ? left * levelS : levelS;
  const seconds = left * levelS - Math.min(underWay, spentS(state, nowMs));
  const noun = nounOf(state);
  const each = `${counted(left, noun)} left, about ${formatDuration(levelS * 1e6)} each`;
  const by = past.length > 0 ? '' : ' by the settings';
  return {
    seconds,
    basis: measured.length > 0 ? `${each}, as the ${counted(measured.length, noun)} so far took` : each + by,
  };
}

/** Below this share a step's own progress says less than earlier runs do. */
const leastFraction = 0.1;

/** Of a step that is not a sweep; null: unknown. @param fraction its progress, null: unknown */
function stepLeftS(
  step: StepState,
  past: readonly PastRun[],
  nowMs: number,
  fraction: number | null,
): number | null {
  if (step.status !== 'waiting' && step.status !== 'running') return 0;
  const expectedS = expectedStepS(past, step.id);
  if (step.status === 'waiting' || step.startedAt === null) return expectedS;
  const sinceS = Math.max(0, (nowMs - Date.parse(step.startedAt)) / 1000);
  if (fraction !== null && fraction >= leastFraction) return (sinceS * (1 - fraction)) / fraction;
  return expectedS === null ? null : Math.max(0, expectedS - sinceS);
}

/** What a sweep takes besides its levels: little, where it is unknown. */
const sweepLeftS = (step: StepState, past: readonly PastRun[]): number =>
  step.status === 'waiting' ? (expectedStepS(past, step.id) ?? 0) : 0;

/** Seconds of a step that is to come, of a sweep with its levels by the settings; null: unknown. */
export function expectedS(state: RunState, past: readonly PastRun[], id: StepId): number | null {
  const scenario = scenarios.find((one) => one === id);
  const performance = performanceOf(state);
  const besidesS = expectedStepS(past, id);
  if (scenario === undefined || performance === null) return besidesS;
  const levelS = expectedLevelS(past, plannedLevelS(performance));
  return levelS === null ? null : levelsOfSweep(state, scenario).left * levelS + (besidesS ?? 0);
}

/** All steps, as earlier runs took them. */
function runLeft(
  state: RunState,
  nowMs: number,
  past: readonly PastRun[],
  fraction: number | null,
): TimeLeft | null {
  const levels =
    levelsOfRun(state).left === 0 ? { seconds: 0, basis: '' } : measuringLeft(state, nowMs, past);
  const others = state.steps.map((step) =>
    isSweep(step) ? sweepLeftS(step, past) : stepLeftS(step, past, nowMs, fraction),
  );
  const othersS = others.reduce<number>((sum, seconds) => sum + (seconds ?? 0), 0);
  const seconds = othersS + (levels?.seconds ?? 0);
  const whole = levels !== null && !others.includes(null);
  if (!whole && seconds === 0) return null;
  const of = past.some(({ alike }) => alike === 'choice') ? 'with the same choices' : 'of this model';
  const runs = `as ${counted(past.length, 'earlier run')} ${of} took on this machine`;
  const basis = [levels?.basis ?? '', `${durationText(othersS)} for the other steps`];
  return {
    seconds,
    of: whole ? 'run' : 'known',
    basis: `${basis.filter((part) => part !== '').join('; ')}, ${runs}`,
  };
}

/**
 * What is left of a run: each step by its own progress or as it took in earlier runs of this machine, and the levels by
 * their mean so far. Without earlier runs only the measuring.
 * @param nowMs wall clock, milliseconds
 * @param fraction progress of the step under way, 0 to 1; null: unknown
 * @returns null: not running, waiting, or nothing is known of what is left
 */
export function estimateTimeLeft(
  state: RunState,
  nowMs: number,
  past: readonly PastRun[] = [],
  fraction: number | null = null,
): TimeLeft | null {
  if (state.status !== 'running' || state.waitsFor !== null) return null;
  if (past.length > 0) return runLeft(state, nowMs, past, fraction);
  if (levelsOfRun(state).left === 0) return null;
  const left = measuringLeft(state, nowMs, past);
  if (left === null) return null;
  const step = state.steps.find((one) => one.status === 'running' && !isSweep(one));
  const ownS = step === undefined ? null : stepLeftS(step, past, nowMs, fraction);
  if (ownS !== null) {
    const basis = `${left.basis}; ${durationText(ownS)} for this step by its progress; the others are not counted`;
    return { seconds: left.seconds + ownS, basis, of: 'known' };
  }
  const isMeasured = scenarios.some((scenario) => state.scenarios[scenario].points.length > 0);
  const isEarly = hasStepsBefore(state);
  const basis = isEarly && !isMeasured ? `${left.basis}; the steps before are not counted` : left.basis;
  return { seconds: left.seconds, basis, of: isEarly ? 'measuring' : 'run' };
}

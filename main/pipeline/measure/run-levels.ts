import { toWire, type WireError, WorkbenchError } from '../../contract/errors';
import { marksOf } from '../../contract/flag-text';
import type { LoadPoint, MeasurementWindow } from '../../contract/measured/results';
import { isElsewhere } from '../../contract/run/engine-kinds';
import type { Scenario } from '../../contract/run/run-events';
import { type MeasuringTurn, ofScenario, scenarioLevels, toolsOf, turnOf } from '../../contract/run/sweep';
import { levelText } from '../../contract/words';
import { inLongerWindows } from '../../domain/measured/again';
import { isInTurns } from '../../domain/run/in-turns';
import type { ServerHandle } from '../../engine/engine';
import { whileServing } from '../../engine/serving';
import { stabilityWindows } from '../../perf/intervals';
import type { LevelInTurns, LoadTool, MeasureInput } from '../../perf/load-tool';
import { type ReadingSources, withReadings } from '../../perf/readings';
import { makeFolder } from '../../platform/files';
import { toHoldError } from '../device-turn';
import { HoldError } from '../hold';
import type { RunContext, StepContext, StepOutcome } from '../step';
import { editedConfig } from '../step-files';
import { turnInput } from '../sweep-commands';
import { askedLevels, keyOfLevel } from './level-keys';
import { emitWindow, levelLine, ServerLost, withFreshServers } from './level-tries';
import {
  type LevelsEnd,
  type LevelsHost,
  type LevelsPlan,
  measureLevels,
  type TurnsHost,
} from './measure-levels';
import { inputAsServed, replayFileOf } from './run-input';
import { endLeftTracing, type InputOf, traceLevels } from './traced-levels';

interface Sweep {
  readonly context: StepContext;
  readonly scenario: Scenario;
  readonly holes: string[];
  reused: number;
  /** Consecutive levels whose Triton ended. */
  lostInRow: number;
  readonly edited: string | null;
  readonly input: Pick<MeasureInput, 'inputData' | 'inputDataDir' | 'replayFile' | 'batched'>;
}

const levelKey = ({ context, scenario, edited }: Sweep, turn: MeasuringTurn): string =>
  keyOfLevel(context.run, edited, scenario, turn);

/** Keeps levels that an earlier specification of the run also requested. */
async function keepEarlier({ context, scenario }: Sweep, asked: readonly string[]): Promise<void> {
  const { run } = context;
  const earlier = new Set(run.state().earlier[scenario].map(({ key }) => key));
  const keys = asked.filter((key) => earlier.has(key));
  if (keys.length > 0) await run.append({ type: 'levels-kept', scenario, keys });
}

/** Repetition and tool, if a level is measured several times. */
function turnFields(run: RunContext, { repeat, loadTool }: MeasuringTurn) {
  const { repeats, crossCheck } = run.spec.performance;
  return { ...(repeats > 1 ? { repeat } : {}), ...(crossCheck ? { loadTool } : {}) };
}

function turnText(run: RunContext, { level, repeat, loadTool }: MeasuringTurn): string {
  const { repeats, crossCheck } = run.spec.performance;
  const parts = [
    ...(repeats > 1 ? [`repeat ${repeat} of ${repeats}`] : []),
    ...(crossCheck ? [loadTool] : []),
  ];
  return parts.length === 0 ? levelText(level) : `${levelText(level)} (${parts.join(', ')})`;
}

function serverOf({ run }: StepContext): ServerHandle {
  if (run.server !== null) return run.server;
  throw new WorkbenchError('server-gone', 'No Triton is running for this run');
}

const sourcesOf = ({ run }: StepContext, { metricsAddress }: ServerHandle): ReadingSources => ({
  metricsAddress,
  watchGpus: run.services.watchGpus,
});

function inputOf(
  { context, scenario, input }: Sweep,
  turn: MeasuringTurn,
  how: {
    readonly server: ServerHandle;
    readonly times: number;
    readonly signal: AbortSignal;
    readonly onWindow: MeasureInput['onWindow'];
  },
): MeasureInput {
  const { run } = context;
  const asked = turnInput({ ...run, forClients: how.server.forClients }, scenario, turn);
  return {
    ...asked,
    ...input,
    settings: inLongerWindows(asked.settings, how.times),
    signal: how.signal,
    onWindow: (window, index) => {
      how.onWindow(window, index);
      emitWindow(run, scenario, turn.level, window, index);
    },
    onLog: context.log,
    onCommand: (argv) => {
      // An unwritable journal fails the step at the next line.
      context.command(argv).catch(() => undefined);
    },
  };
}

async function keepPoint(
  sweep: Sweep,
  turn: MeasuringTurn,
  point: LoadPoint,
  { times, restarts }: { readonly times: number; readonly restarts: number },
): Promise<LoadPoint> {
  const { context, scenario } = sweep;
  const { run } = context;
  const kept = {
    ...point,
    ...(run.spec.performance.repeats > 1 ? { repeat: turn.repeat } : {}),
    ...(restarts === 0 ? {} : { restarts }),
    ...(times === 1 ? {} : { longer: times }),
  };
  await run.append({ type: 'measurement', scenario, key: levelKey(sweep, turn), point: kept });
  context.log([levelLine(turnText(run, turn), kept)]);
  return kept;
}

async function measureLevel(sweep: Sweep, turn: MeasuringTurn, restarts: number): Promise<LoadPoint> {
  const { context } = sweep;
  const { run } = context;
  const server = serverOf(context);
  const times = againTimes(sweep, turn) ?? 1;
  const what = `while ${turnText(run, turn)} was measured`;
  const point = await whileServing(server, context.signal, what, (signal) =>
    withReadings(sourcesOf(context, server), async (onWindow) => {
      const onMeasured = ({ durationUs }: MeasurementWindow) => {
        onWindow(durationUs);
      };
      const input = inputOf(sweep, turn, { server, times, signal, onWindow: onMeasured });
      await makeFolder(input.workDir);
      return run.services.loadTools[turn.loadTool].measure(input);
    }),
  );
  return keepPoint(sweep, turn, point, { times, restarts });
}

/** Errors of a single level; others, except the end of Triton, end the sweep. */
const levelCodes = new Set<WireError['code']>(['load-tool-failed', 'measurement-failed', 'inference-failed']);

const mostLostInRow = 3;

/** Window factor of a repeated measurement, or null. */
function againTimes(sweep: Sweep, turn: MeasuringTurn): number | null {
  const { context, scenario } = sweep;
  const key = levelKey(sweep, turn);
  const due = context.run.state().again.find((one) => one.scenario === scenario && one.key === key);
  return due?.times ?? null;
}

function turnsAgain(sweep: Sweep): readonly MeasuringTurn[] {
  const { run } = sweep.context;
  const { loadTool } = ofScenario(run.spec.performance, sweep.scenario);
  return run
    .state()
    .scenarios[sweep.scenario].points.map(({ point }) => turnOf(point, loadTool))
    .filter((turn) => againTimes(sweep, turn) !== null);
}

/** The turn's point from the journal; null if missing or to be repeated. */
async function knownPoint(sweep: Sweep, turn: MeasuringTurn): Promise<LoadPoint | null> {
  const { context, scenario } = sweep;
  const { run } = context;
  const key = levelKey(sweep, turn);
  await keepEarlier(sweep, [key]);
  const known = run.state().scenarios[scenario].points.find((one) => one.key === key)?.point ?? null;
  if (known === null || againTimes(sweep, turn) !== null) return null;
  sweep.reused += 1;
  context.log([`${levelLine(turnText(run, turn), known)}, measured in an earlier attempt`]);
  return known;
}

/** Journals a failed turn as a hole. Rethrows errors that are not the level's own. */
async function keepHole(sweep: Sweep, turn: MeasuringTurn, error: unknown): Promise<void> {
  const { context, scenario } = sweep;
  const { run } = context;
  const wire = toWire(error);
  const name = turnText(run, turn);
  const isLost = error instanceof ServerLost;
  if (context.signal.aborted || !(isLost || levelCodes.has(wire.code))) throw error;
  const end = await toHoldError(run, error);
  if (end instanceof HoldError) throw end;
  sweep.holes.push(`${name}: ${wire.message}`);
  context.log([`ERROR: ${name}: ${wire.message}`]);
  await run.append({
    type: 'measurement-missing',
    scenario,
    key: levelKey(sweep, turn),
    ...turn.level,
    ...turnFields(run, turn),
    error: wire,
  });
  sweep.lostInRow = isLost ? sweep.lostInRow + 1 : 0;
  if (isLost) refuseMore(sweep, error);
}

/** null: failed, which is journaled as a hole. */
async function measureTurn(sweep: Sweep, turn: MeasuringTurn, fraction: number): Promise<LoadPoint | null> {
  const { context } = sweep;
  const name = turnText(context.run, turn);
  const measured: { point: LoadPoint | null } = { point: null };
  try {
    await withFreshServers(context, name, async (restarts) => {
      context.progress(fraction, restarts === 0 ? name : `${name}, try ${restarts + 1}`);
      measured.point = await measureLevel(sweep, turn, restarts);
    });
    sweep.lostInRow = 0;
  } catch (error) {
    await keepHole(sweep, turn, error);
  }
  return measured.point;
}

/** Levels in turns on the running Triton. */
function turnsHost(
  sweep: Sweep,
  how: { readonly server: ServerHandle; readonly signal: AbortSignal; readonly restarts: number },
  begin: NonNullable<LoadTool['levelInTurns']>,
): TurnsHost {
  const { context } = sweep;
  const timesOf = (turn: MeasuringTurn) => againTimes(sweep, turn) ?? 1;
  return {
    sources: sourcesOf(context, how.server),
    onBegin: (levels) =>
      context.log([`${levels} levels in turns: ${stabilityWindows} rounds with one window per level`]),
    begin: (turn, _place, onWindow) => {
      const input = inputOf(sweep, turn, { ...how, times: timesOf(turn), onWindow });
      let level: LevelInTurns | null = null;
      return {
        next: async () => {
          context.progress(null, levelText(turn.level));
          await makeFolder(input.workDir);
          level ??= begin(input);
          return level.next();
        },
      };
    },
    onRound: (turn, round, point) =>
      context.log([`${levelLine(levelText(turn.level), point)}, round ${round}`]),
    onPoint: async (turn, point) => {
      await keepPoint(sweep, turn, point, { times: timesOf(turn), restarts: how.restarts });
    },
    onMissing: async (turn, error) => {
      // The end of Triton is reported by its handler.
      if (how.signal.aborted) throw error;
      await keepHole(sweep, turn, error);
    },
  };
}

/** Servers of others are not restarted. If Triton ends level after level, model or machine is the cause. */
function refuseMore({ context, lostInRow }: Sweep, error: ServerLost): void {
  if (isElsewhere(context.spec.engine)) throw error;
  if (lostInRow < mostLostInRow) return;
  const { where, remedy, details } = error;
  const message = `Triton stopped in ${lostInRow} levels in a row: ${error.message}`;
  throw new WorkbenchError(error.code, message, { where, remedy, details, cause: error });
}

/** One sentence per kind of doubt: "1 of 3 levels: not steady." */
export function doubtsOf(points: readonly LoadPoint[]): readonly string[] {
  const marks = points.flatMap(marksOf);
  return [...new Set(marks)].map(
    (mark) => `${marks.filter((other) => other === mark).length} of ${points.length} levels: ${mark}.`,
  );
}

/** In turns all levels share one Triton, and its end discards incomplete levels. */
async function measureAll(sweep: Sweep, plan: LevelsPlan): Promise<LevelsEnd> {
  const { context } = sweep;
  const host: LevelsHost = {
    known: (turn) => knownPoint(sweep, turn),
    again: turnsAgain(sweep),
    measure: (turn, fraction) => measureTurn(sweep, turn, fraction),
    shouldStop: () => context.run.pauseAsked(),
    turns: null,
  };
  const tool = context.run.services.loadTools[plan.tools[0]];
  const begin = tool.levelInTurns?.bind(tool);
  if (!plan.inTurns || begin === undefined) return measureLevels(plan, host);
  const ended: { end: LevelsEnd | null } = { end: null };
  await withFreshServers(context, 'The levels in turns', async (restarts) => {
    const server = serverOf(context);
    sweep.reused = 0;
    await whileServing(server, context.signal, 'while levels were measured in turns', async (signal) => {
      const turns = turnsHost(sweep, { server, signal, restarts }, begin);
      ended.end = await measureLevels(plan, { ...host, turns });
    });
  });
  return ended.end ?? { stopped: true, tried: 0, found: null };
}

/**
 * Measures a scenario's levels in order, in turns, or by search. Journaled levels are kept; a level whose Triton ends
 * is retried; failed ones are journaled as holes and fail the step at the end. `paused` between levels, or between
 * rounds of turns.
 */
export async function sweep(context: StepContext, scenario: Scenario): Promise<StepOutcome> {
  const { run } = context;
  const { performance } = run.spec;
  const holes: string[] = [];
  const levels = scenarioLevels(performance, scenario);
  const all: Sweep = {
    context,
    scenario,
    holes,
    reused: 0,
    lostInRow: 0,
    edited: await editedConfig(run),
    input: {
      ...(await inputAsServed(context)),
      ...(await replayFileOf(context, scenario)),
    },
  };
  await keepEarlier(all, askedLevels(run, all.edited, scenario));
  await endLeftTracing(context, scenario);
  const { search, latencyThresholdMs } = performance;
  const searched = scenario === 'online' && search !== 'none';
  const end = await measureAll(all, {
    levels,
    repeats: performance.repeats,
    tools: toolsOf(ofScenario(performance, scenario)),
    search: searched ? { kind: search, thresholdUs: latencyThresholdMs * 1000 } : null,
    inTurns: isInTurns(run.spec, scenario),
  });
  const tracedInput: InputOf = (turn, how) =>
    inputOf(all, turn, { ...how, times: 1, onWindow: () => undefined });
  if (end.stopped || !(await traceLevels(context, scenario, tracedInput))) return { paused: true };
  const { tried, found } = end;
  if (found !== null) {
    const [best] = found;
    const text = best === undefined ? 'none' : levelText(best);
    context.fact(`Last level with p99 within ${latencyThresholdMs} ms`, text);
  }
  const { points } = run.state().scenarios[scenario];
  const what = searched || tried === levels.length ? 'levels' : 'measurements';
  context.fact(what === 'levels' ? 'Levels' : 'Measurements', `${tried - holes.length} of ${tried} measured`);
  if (all.reused > 0) context.fact('Taken from the journal', `${all.reused}`);
  for (const warning of doubtsOf(points.map(({ point }) => point))) context.warning(warning);
  if (holes.length > 0) {
    throw new WorkbenchError('measurement-failed', `${holes.length} of ${tried} ${what} returned no result`, {
      details: holes.join('\n'),
    });
  }
  return {};
}

import { performance } from 'node:perf_hooks';
import type { RequestHeader } from '../contract/address';
import { toWire, type WireError, WorkbenchError } from '../contract/errors';
import type { ColdStart } from '../contract/measured/cold-start';
import type { Environment, LoadPoint } from '../contract/measured/results';
import { formatRate } from '../contract/numbers';
import type { RunOutcome, Scenario } from '../contract/run/run-events';
import { scenarioOfLevels, servedName, type ServerLoad, serverUrl } from '../contract/run/server-load';
import { loadKey, measuringOrder, type MeasuringTurn, turnKey, turnOf } from '../contract/run/sweep';
import { levelText, stepTitle } from '../contract/words';
import { requireAgain } from '../domain/measured/again';
import { serverTitle } from '../domain/run/server-title';
import { hashValue, makeFolder } from '../platform/files';
import { LogFile } from '../platform/log-file';
import { requirePlainRun } from '../store/run-folder';
import { type AttemptStops, failedEnd, type RunEnd, watchRequests } from './attempt';
import { notChangeable } from './deployed-run';
import { awaitDevice, type TakeDevice } from './device-turn';
import { emitWindow, levelLine } from './measure/level-tries';
import { doubtsOf } from './measure/run-levels';
import type { LongerTurn, ServerLoadListener, ServerResults, ServerWork } from './measure/server-levels';
import { failureLines } from './run-step';
import type { RunContext } from './step';

/** Calls `takeTurn` when everything but the load is ready. */
type MeasureServer = (
  load: ServerLoad,
  takeTurn: () => Promise<() => Promise<void>>,
  listener: ServerLoadListener,
  work: ServerWork,
  run: MeasuredRun,
) => Promise<ServerResults>;

/** Run folder and id of a measured server. */
export interface MeasuredRun {
  readonly runId: string;
  readonly dir: string;
  readonly scenario: Scenario;
}

export interface Servers {
  readonly measureServer: MeasureServer;
  /** The measuring machine and the server's version. Throws errors of inspecting server and models. */
  readonly environmentFor: (load: ServerLoad, headers: readonly RequestHeader[]) => Promise<Environment>;
}

type ServerRun = Pick<RunContext, 'runId' | 'folder' | 'state' | 'append' | 'emit'>;

interface ServerRunOptions {
  readonly measureServer: MeasureServer;
  readonly takeDevice: TakeDevice;
  readonly headers: readonly RequestHeader[];
  /** In addition to the journal. */
  readonly listener?: ServerLoadListener | undefined;
}

/** Identifies a turn of a model; the run's load never changes. */
const keyOf = (turn: MeasuringTurn, model: string | undefined): string =>
  hashValue([turnKey(turn), model ?? '']).slice(0, 32);

/** Journals levels and passes them on. */
function journalling(
  run: ServerRun,
  load: ServerLoad,
  {
    scenario,
    log,
    outer,
  }: {
    readonly scenario: Scenario;
    readonly log: (line: string) => void;
    readonly outer: ServerLoadListener | undefined;
  },
): ServerLoadListener {
  const several = load.tools.length > 1;
  const inRounds = several || load.repeats > 1;
  return {
    onBegin: (inTurns) => outer?.onBegin(inTurns),
    onLog: (line) => {
      log(line);
      outer?.onLog(line);
    },
    onPoints: async (points, turn) => {
      for (const point of points) {
        await run.append({ type: 'measurement', scenario, key: keyOf(turn, point.model), point });
        log(levelLine(levelText(point), point));
      }
      await outer?.onPoints(points, turn);
    },
    onWindow: (level, window, index) => {
      emitWindow(run, scenario, level, window, index);
      outer?.onWindow?.(level, window, index);
    },
    onRound: (level, round, point) => {
      log(`${levelText(level)}, round ${round}: ${formatRate(point.inferencesPerSecond)} inferences/s`);
      outer?.onRound(level, round, point);
    },
    onMissing: async (missing, turn) => {
      const { level, error } = missing;
      await run.append({
        type: 'measurement-missing',
        scenario,
        // Replaced by a later attempt's result.
        key: keyOf(turn, load.models.length > 1 ? load.models[0]?.name : undefined),
        ...level,
        ...(inRounds ? { repeat: turn.repeat } : {}),
        ...(several ? { loadTool: turn.loadTool } : {}),
        error,
      });
      log(`ERROR: ${levelText(level)}: ${error.message}`);
      await outer?.onMissing(missing, turn);
    },
    onEnd: (results) => outer?.onEnd?.(results),
    // A later attempt is not the first to ask.
    ...(run.state().coldStart === null
      ? { onColdStart: (coldStart: ColdStart) => run.append({ type: 'cold-start', coldStart }) }
      : {}),
  };
}

/** Journaled points of a turn: of every model, or empty. */
function knownOf(
  run: ServerRun,
  { models }: ServerLoad,
  scenario: Scenario,
): NonNullable<ServerWork['known']> {
  const names = models.length === 1 ? [undefined] : models.map(({ name }) => name);
  return (turn) => {
    const { scenarios, again } = run.state();
    const { points } = scenarios[scenario];
    const found = names.flatMap((name) => {
      const key = keyOf(turn, name);
      if (again.some((due) => due.key === key)) return [];
      return points.filter((measured) => measured.key === key).map(({ point }) => point);
    });
    return found.length === names.length ? found : [];
  };
}

/** Turns to repeat with longer windows. */
function againOfServer(run: ServerRun, { tools }: ServerLoad, scenario: Scenario): readonly LongerTurn[] {
  const { scenarios, again } = run.state();
  return scenarios[scenario].points.flatMap(({ key, point }) => {
    const times = again.find((due) => due.key === key)?.times;
    return times === undefined ? [] : [{ turn: turnOf(point, tools[0]), times }];
  });
}

interface Ended {
  readonly outcome: RunOutcome;
  readonly error: WireError | null;
}

function endOf({ levels, repeats, tools }: ServerLoad, { missing }: ServerResults): Ended {
  const turns = measuringOrder(levels, repeats, tools).length;
  const what = turns === levels.length ? 'levels' : 'measurements';
  if (missing.length === 0) return { outcome: 'done', error: null };
  const error = new WorkbenchError(
    'measurement-failed',
    `${missing.length} of ${turns} ${what} returned no result`,
    {
      details: missing.map(({ level, error: why }) => `${levelText(level)}: ${why.message}`).join('\n'),
    },
  );
  return { outcome: 'failed', error: toWire(error) };
}

async function ended(
  run: ServerRun,
  scenario: Scenario,
  {
    key,
    durationUs,
    end,
    points,
  }: { key: string; durationUs: number; end: Ended; points: readonly LoadPoint[] },
): Promise<RunEnd> {
  const { outcome, error } = end;
  if (outcome === 'cancelled') await run.append({ type: 'step-cancelled', step: scenario, durationUs });
  else if (outcome === 'failed' && error !== null) {
    await run.append({ type: 'step-failed', step: scenario, durationUs, error });
  } else if (outcome === 'done') {
    const facts = [{ name: 'Levels', value: `${new Set(points.map(loadKey)).size} measured` }];
    const warnings = [...doubtsOf(points)];
    await run.append({ type: 'step-finished', step: scenario, key, durationUs, facts, warnings });
  }
  await run.append({ type: 'run-finished', outcome, ...(error === null ? {} : { error }) });
  return end;
}

/** Measures the levels that the journal lacks. Never rejects, and releases everything. */
async function attemptServerRun(
  run: ServerRun,
  load: ServerLoad,
  stops: AttemptStops,
  { measureServer, takeDevice, headers, listener }: ServerRunOptions,
): Promise<RunEnd> {
  const stopWatching = watchRequests(run.folder, stops);
  const scenario = scenarioOfLevels(load.levels);
  const signals = { cancel: stops.cancel.signal, pause: stops.pause.signal };
  const key = hashValue(load).slice(0, 32);
  const started = performance.now();
  const held: { points: readonly LoadPoint[]; file: LogFile | null } = { points: [], file: null };
  try {
    await makeFolder(run.folder.step(scenario));
    const file = await LogFile.open(run.folder.log(scenario));
    held.file = file;
    const log = (line: string): void =>
      run.emit({ type: 'log', runId: run.runId, step: scenario, lines: file.add([line]) });
    await run.append({ type: 'step-started', step: scenario, attempt: run.state().attempt, key });
    const spec = { engine: { kind: 'remote', url: serverUrl(load) } } as const;
    const takeTurn = async () => {
      const release = await awaitDevice({ ...run, spec, host: load.host }, takeDevice, signals);
      if (release !== null) return release;
      throw new WorkbenchError('cancelled', 'Stopped while waiting to measure');
    };
    const journalled = journalling(run, load, { scenario, log, outer: listener });
    const work = {
      signal: stops.cancel.signal,
      pauseAsked: () => stops.pause.signal.aborted,
      known: knownOf(run, load, scenario),
      again: againOfServer(run, load, scenario),
      headers,
    };
    const { runId, folder } = run;
    const end = await measureServer(load, takeTurn, journalled, work, {
      runId,
      dir: folder.dir,
      scenario,
    }).then(
      (results): Ended => {
        held.points = results.points;
        journalled.onEnd?.(results);
        if (stops.cancel.signal.aborted) return cancelled(scenario);
        return stops.pause.signal.aborted ? paused : endOf(load, results);
      },
      (error: unknown): Ended => {
        if (stops.cancel.signal.aborted) return cancelled(scenario);
        if (stops.pause.signal.aborted) return paused;
        for (const line of failureLines(toWire(error), [])) log(line);
        return { outcome: 'failed', error: toWire(error) };
      },
    );
    const durationUs = Math.round((performance.now() - started) * 1000);
    return await ended(run, scenario, { key, durationUs, end, points: held.points });
  } catch (error) {
    return await failedEnd(run, error);
  } finally {
    await held.file?.close().catch(() => undefined);
    stopWatching();
  }
}

/** Discards levels of a different server. */
async function forgetOtherServer(
  { append, state }: Pick<ServerRun, 'append' | 'state'>,
  now: Environment,
): Promise<void> {
  const { steps, environment } = state();
  const [title, before] = [serverTitle(now), serverTitle(environment)];
  if (title === before) return;
  const reason = `The server is ${title ?? 'Triton of an unknown version'}, and was ${before ?? 'unknown'}.`;
  await append({ type: 'steps-forgotten', steps: steps.map(({ id }) => id), reason });
  await append({ type: 'environment', environment: now });
}

const paused: Ended = { outcome: 'paused', error: null };

const cancelled = (scenario: Scenario): Ended => ({
  outcome: 'cancelled',
  error: toWire(new WorkbenchError('cancelled', `Cancelled during "${stepTitle[scenario]}"`)),
});

/** Header values are not stored, so they must be given again. */
function requireHeaders(
  runId: string,
  { headerNames = [] }: ServerLoad,
  given: readonly RequestHeader[],
): void {
  const names = new Set(given.map(({ name }) => name.toLowerCase()));
  const missing = headerNames.filter((name) => !names.has(name.toLowerCase()));
  const [first] = missing;
  if (first === undefined) return;
  throw new WorkbenchError(
    'input-invalid',
    `This run sends the header ${missing.join(', ')}, whose value is not kept`,
    {
      where: runId,
      remedy: `Give it again: triton-workbench resume ${runId} -H "${first}: …"`,
    },
  );
}

/** Throws errors of inspecting the server, and input-invalid for unsupported options. @returns what measures */
export async function beginServerRun(
  opened: ServerRun & { readonly stops: AttemptStops },
  load: ServerLoad,
  asked: {
    readonly spec?: unknown;
    readonly from?: unknown;
    readonly again?: boolean | undefined;
    readonly headers?: readonly RequestHeader[] | undefined;
    readonly listener?: ServerLoadListener | undefined;
  },
  { servers, takeDevice }: { readonly servers: Servers; readonly takeDevice: TakeDevice },
): Promise<() => Promise<RunEnd>> {
  const { runId, folder, state, append, emit, stops } = opened;
  if (asked.spec !== undefined || asked.from !== undefined) throw notChangeable(runId);
  const { attempt } = state();
  await requirePlainRun(folder, servedName(load), ['offline', 'online']);
  const { headers = [] } = asked;
  requireHeaders(runId, load, headers);
  // At the first attempt the server was inspected when the run was created.
  const now = attempt === 0 ? null : await servers.environmentFor(load, headers);
  const levels = asked.again === true ? requireAgain(state()).levels : [];
  await append({ type: 'run-started', attempt: attempt + 1, pid: process.pid });
  if (levels.length > 0) await append({ type: 'levels-again', levels: [...levels] });
  if (now !== null) await forgetOtherServer({ append, state }, now);
  const how = { measureServer: servers.measureServer, takeDevice, headers, listener: asked.listener };
  return () => attemptServerRun({ runId, folder, state, append, emit }, load, stops, how);
}

import { join } from 'node:path';
import type { RequestHeader } from '../../contract/address';
import { toWire, type WireError } from '../../contract/errors';
import type { LoadPoint, MeasurementWindow } from '../../contract/measured/results';
import type { LoadTool as LoadToolId } from '../../contract/run/run-spec';
import type { ServerLoad } from '../../contract/run/server-load';
import { type LoadLevel, type MeasuringTurn, searchLatencyUs, turnKey } from '../../contract/run/sweep';
import { present } from '../../contract/trees';
import { inLongerWindows } from '../../domain/measured/again';
import type { InputReaders } from '../../perf/input/input-readers';
import { stabilityWindows } from '../../perf/intervals';
import type { LoadTool, MeasureInput } from '../../perf/load-tool';
import { joinProfiles, profileEnding } from '../../perf/profile-export';
import { type ReadingSources, readWhile } from '../../perf/readings';
import { keepReplay, replayFileIn } from '../../perf/replay/arrivals';
import { admittedServer, type ReachedServer, withFolder } from './admitted-server';
import { type OnColdStart, tellFirst } from './cold-start';
import { holdEdge } from './hold-edge';
import { type LevelsEnd, type LevelsHost, measureLevels, type TurnsHost } from './measure-levels';
import { probeRate } from './probe-rate';
import { readModels } from './prompt-models';
import { measureModels, type ServerModel, weightedLevel } from './server-models';
import { measureWay } from './way-level';

interface MissingLevel {
  readonly level: LoadLevel;
  readonly repeat?: number;
  readonly loadTool?: LoadToolId;
  readonly error: WireError;
}

export interface ServerResults {
  readonly points: readonly LoadPoint[];
  readonly missing: readonly MissingLevel[];
  readonly found: LevelsEnd['found'];
}

export interface ServerLoadListener {
  /** Before the first request. `inTurns`: rounds over the levels; null: sequential. */
  readonly onBegin: (inTurns: { readonly levels: number; readonly rounds: number } | null) => void;
  readonly onLog: (line: string) => void;
  /** One point per model. The next turn waits for it. */
  readonly onPoints: (points: readonly LoadPoint[], turn: MeasuringTurn) => void | Promise<void>;
  readonly onWindow?: (level: LoadLevel, window: MeasurementWindow, index: number) => void;
  /** A window in turns that is not the level's last. */
  readonly onRound: (level: LoadLevel, round: number, point: LoadPoint) => void;
  readonly onMissing: (missing: MissingLevel, turn: MeasuringTurn) => void | Promise<void>;
  /** Asks for the first request to the server's model; absent: it is not measured. */
  readonly onColdStart?: OnColdStart | undefined;
  /** The results, also if stopped early. */
  readonly onEnd?: (results: ServerResults) => void;
}

/** A measured turn to repeat. */
export interface LongerTurn {
  readonly turn: MeasuringTurn;
  /** Factor of its window length. */
  readonly times: number;
}

export interface ServerWork {
  readonly signal: AbortSignal;
  /** Polled before each turn. */
  readonly pauseAsked?: () => boolean;
  /** Sent with every request. */
  readonly headers?: readonly RequestHeader[] | undefined;
  /** Points of a measured turn, one per model; empty: due. */
  readonly known?: (turn: MeasuringTurn) => readonly LoadPoint[];
  /** Turns to repeat; a search measures them first. */
  readonly again?: readonly LongerTurn[];
}

interface ServerLoadTools {
  readonly loadTools: Readonly<Record<LoadToolId, LoadTool>>;
  readonly readers: InputReaders;
  /** Waits for exclusive use of the server's machine. @returns the release */
  readonly takeTurn: () => Promise<() => Promise<void>>;
  readonly watchGpus?: ReadingSources['watchGpus'];
  /** How this process reaches the server if load tools use other addresses. */
  readonly via?: ReachedServer | undefined;
  /** New folder for inputs and results; absent: a temporary one. */
  readonly dir?: string | undefined;
  /** A folder of the run for what is kept of a replayed trace; absent: for this time only. */
  readonly keptDir?: string | undefined;
}

interface Session {
  readonly load: ServerLoad;
  readonly loadTools: ServerLoadTools['loadTools'];
  readonly models: readonly ServerModel[];
  readonly decoupled: ReadonlySet<string>;
  readonly dir: string;
  /** What is kept of the trace that is replayed. */
  readonly replayFile?: string | undefined;
  readonly sources: ReadingSources;
  readonly signal: AbortSignal;
  readonly shouldStop: () => boolean;
  readonly headers: readonly RequestHeader[];
  readonly known: NonNullable<ServerWork['known']>;
  readonly again: readonly LongerTurn[];
  readonly listener: ServerLoadListener;
  readonly points: LoadPoint[];
  readonly missing: MissingLevel[];
}

/** Window factor of a turn; 1 unless repeated. */
const timesOf = ({ again }: Session, turn: MeasuringTurn): number =>
  again.find((one) => turnKey(one.turn) === turnKey(turn))?.times ?? 1;

const asLonger = (point: LoadPoint, times: number): LoadPoint =>
  times === 1 ? point : { ...point, longer: times };

function measureInputs(
  { load, models, decoupled, replayFile, signal, headers }: Session,
  { level, times }: { readonly level: LoadLevel; readonly times: number },
  how: Pick<MeasureInput, 'workDir' | 'onLog' | 'onCommand' | 'onWindow'>,
): MeasureInput[] {
  const { addresses, protocol, settings, modelVersion, analyzerArguments } = load;
  return models.map((model, index) => ({
    // Outside the level folders, which a load tool may clear.
    profileFile: load.profileExportFile === undefined ? undefined : `${how.workDir}-${index}${profileEnding}`,
    httpAddress: addresses.http,
    grpcAddress: addresses.grpc,
    httpTls: addresses.httpTls,
    grpcTls: addresses.grpcTls,
    headers,
    protocol,
    modelName: model.name,
    modelVersion,
    inputData: model.inputData,
    inputDataDir: model.inputDataDir,
    level: weightedLevel(level, model.weight),
    ...present({ replayFile, countTokens: model.countTokens }),
    batched: model.batched,
    decoupled: decoupled.has(model.name),
    settings: inLongerWindows(settings, times),
    analyzerArguments,
    signal,
    ...how,
  }));
}

const slowest = (points: readonly LoadPoint[]): LoadPoint =>
  points.reduce((worst, point) => (searchLatencyUs(point) > searchLatencyUs(worst) ? point : worst));

/** Uses known points. @returns the slowest model's point */
function takeKnown(session: Session, turn: MeasuringTurn): LoadPoint | null {
  const before = session.known(turn);
  session.points.push(...before);
  return before.length === 0 ? null : slowest(before);
}

/** The models at the same time; with a gateway the one model directly and through it. */
async function measureSides(
  { load: { via }, loadTools }: Session,
  loadTool: LoadToolId,
  inputs: readonly MeasureInput[],
): Promise<readonly LoadPoint[]> {
  const tool = loadTools[loadTool];
  const [first] = inputs;
  if (via === undefined || first === undefined) return measureModels(tool, inputs);
  return [await measureWay(tool, first, via)];
}

/** Measures a turn with all models. @returns the slowest model's point, which searches use */
async function measureTurn(session: Session, turn: MeasuringTurn, count: number): Promise<LoadPoint | null> {
  const { load, signal, listener } = session;
  const { level, repeat, loadTool } = turn;
  const crossing = load.tools.length > 1;
  const inRounds = load.repeats > 1 || crossing;
  const times = timesOf(session, turn);
  let isToolLogging = false;
  const measured = readWhile(session.sources, (onWindow) =>
    measureSides(
      session,
      loadTool,
      measureInputs(
        session,
        { level, times },
        {
          workDir: join(session.dir, `level-${count}`),
          onWindow: (window, index) => {
            onWindow(window.durationUs);
            listener.onWindow?.(level, window, index);
          },
          onLog: (lines) => {
            if (!isToolLogging) for (const line of lines) listener.onLog(line);
          },
          onCommand: (argv) => {
            // From here on perf_analyzer prints itself.
            isToolLogging = true;
            listener.onLog(argv.join(' '));
          },
        },
      ),
    ),
  );
  const result = await measured.then(({ result: all, added }) => all.map(added), toWire);
  if ('message' in result) {
    if (signal.aborted) return null;
    await addMissing(
      session,
      { level, ...(inRounds ? { repeat } : {}), ...(crossing ? { loadTool } : {}), error: result },
      turn,
    );
    return null;
  }
  const points = result.map((point) => asLonger(inRounds ? { ...point, repeat } : point, times));
  session.points.push(...points);
  await listener.onPoints(points, turn);
  return slowest(points);
}

async function addMissing(session: Session, missing: MissingLevel, turn: MeasuringTurn): Promise<void> {
  session.missing.push(missing);
  await session.listener.onMissing(missing, turn);
}

/** null if the load tool measures whole levels only. @param cut points of incomplete levels */
function turnsHost(session: Session, cut: Map<string, LoadPoint>): TurnsHost | null {
  const { load, loadTools, listener, sources, dir } = session;
  const tool = loadTools[load.tools[0]];
  const begin = tool.levelInTurns?.bind(tool);
  if (begin === undefined) return null;
  const longer = (turn: MeasuringTurn, point: LoadPoint) => asLonger(point, timesOf(session, turn));
  return {
    sources,
    onBegin: (levels) => listener.onBegin({ levels, rounds: stabilityWindows }),
    begin: (turn, place, onWindow) => {
      const { level } = turn;
      const said = new Set<string>();
      const [input] = measureInputs(
        session,
        { level, times: timesOf(session, turn) },
        {
          workDir: join(dir, `level-${place}`),
          onLog: (lines) => {
            // Inputs do not change between turns, so messages are printed once.
            for (const line of lines) if (!said.has(line)) listener.onLog(line);
            for (const line of lines) said.add(line);
          },
          onCommand: () => undefined,
          onWindow: (window, number) => {
            onWindow(window, number);
            listener.onWindow?.(level, window, number);
          },
        },
      );
      if (input === undefined) throw new Error('A load has a model');
      return begin(input);
    },
    onRound: (turn, round, point) => {
      cut.set(turnKey(turn), longer(turn, point));
      listener.onRound(turn.level, round, longer(turn, point));
    },
    onPoint: async (turn, point) => {
      cut.delete(turnKey(turn));
      session.points.push(longer(turn, point));
      await listener.onPoints([longer(turn, point)], turn);
    },
    onMissing: async (turn, error) => {
      cut.delete(turnKey(turn));
      await addMissing(session, { level: turn.level, error: toWire(error) }, turn);
    },
  };
}

function measureBy(session: Session, host: LevelsHost): Promise<LevelsEnd> {
  const { search, levels, tools } = session.load;
  const [first] = levels;
  if (search?.kind !== 'edge') return measureLevels({ ...session.load, search }, host);
  if (first === undefined) throw new Error('A ramp begins somewhere');
  const how = { onLog: () => undefined, onCommand: () => undefined, onWindow: () => undefined };
  const probe = (level: LoadLevel) =>
    probeRate(level, {
      tool: session.loadTools[tools[0]],
      inputs: measureInputs(session, { level, times: 1 }, { ...how, workDir: join(session.dir, 'ramp') }),
      onLog: (line) => session.listener.onLog(line),
    });
  return holdEdge({ ...search, first, loadTool: tools[0] }, { ...host, probe });
}

async function measureAll(session: Session): Promise<LevelsEnd['found']> {
  const { load, shouldStop, listener } = session;
  const cut = new Map<string, LoadPoint>();
  const turns = load.inTurns ? turnsHost(session, cut) : null;
  if (turns === null) listener.onBegin(null);
  let count = 0;
  const host: LevelsHost = {
    known: (turn) => Promise.resolve(takeKnown(session, turn)),
    again: session.again.map(({ turn }) => turn),
    measure: (turn) => measureTurn(session, turn, (count += 1)),
    shouldStop,
    turns,
  };
  const { found } = await measureBy(session, host);
  // Stopped between rounds: partial points are results, but not kept.
  session.points.push(...cut.values());
  return found;
}

async function replayFileOf(
  { settings, models }: ServerLoad,
  readers: InputReaders,
  dir: string,
): Promise<string | undefined> {
  const { replay } = settings;
  if (replay === undefined) return undefined;
  const file = replayFileIn(dir);
  await keepReplay(readers, { ...replay, models: models.map(({ name }) => name) }, file);
  return file;
}

/** After a cancel the results so far count. Throws before load: client errors, combination-unsupported, input-invalid. */
export async function measureServer(
  load: ServerLoad,
  { loadTools, readers, takeTurn, watchGpus, via, dir: given, keptDir }: ServerLoadTools,
  listener: ServerLoadListener,
  { signal, pauseAsked = () => false, known = () => [], again = [], headers = [] }: ServerWork,
): Promise<ServerResults> {
  const { client, decoupled } = await admittedServer(load, { via }, headers);
  return withFolder(given, async (dir) => {
    const models = await readModels(client, load, { dir, readers });
    const replayFile = await replayFileOf(load, readers, keptDir ?? dir);
    const release = await takeTurn();
    try {
      const { metrics } = load.addresses;
      const sources = {
        metricsPath: metrics?.path,
        metricsAddress: via === undefined ? (metrics?.address ?? null) : via.metrics,
        intervalMs: load.metricsIntervalMs,
        watchGpus,
      };
      const session: Session = {
        replayFile,
        load,
        loadTools,
        models,
        decoupled,
        dir,
        sources,
        signal,
        listener,
        known,
        again,
        headers,
        shouldStop: () => signal.aborted || pauseAsked(),
        points: [],
        missing: [],
      };
      await tellFirst(client, load, listener.onColdStart, signal);
      const found = await measureAll(session);
      if (load.profileExportFile !== undefined) await joinProfiles(dir, load.profileExportFile);
      return { points: session.points, missing: session.missing, found };
    } finally {
      await release();
    }
  });
}

import { join } from 'node:path';
import { isOverSaturated } from '../../contract/flag-text';
import type { LoadPoint } from '../../contract/measured/results';
import { refusedCount } from '../../contract/measured/timeline';
import type { PerformanceSpec, Replay } from '../../contract/run/run-spec';
import { mostUnderWay, searchLatencyUs } from '../../contract/run/sweep';
import type { Look } from '../../contract/study/search';
import { present } from '../../contract/trees';
import type { DueLook } from '../../domain/study/search/next-looks';
import type { Executor } from '../../engine/engine';
import { whileServing } from '../../engine/serving';
import type { LoadTool, MeasureInput } from '../../perf/load-tool';
import { type ReadingSources, withReadings } from '../../perf/readings';
import { replayFileIn } from '../../perf/replay/arrivals';
import { makeFolder } from '../../platform/files';
import type { ServedVariant } from './search-variants';

/** How a candidate is measured. */
export interface LookInput {
  readonly batchSize: number;
  /** Which latency is read. */
  readonly percentile: number;
  readonly tool: LoadTool;
  /** The run's: protocol, shared memory and the like. */
  readonly performance: PerformanceSpec;
  readonly modelVersion: number;
  /** False: its tensors lack a batch dimension. */
  readonly batched: boolean;
  readonly sent: () => Promise<Pick<MeasureInput, 'inputData' | 'inputDataDir'>>;
  /**
   * Writes the part of a trace that is sent at a mean rate in so much time; absent: requests arrive as a Poisson process.
   * @param to the file @returns how fast it is sent
   */
  readonly replay?:
    ((at: { readonly requestRate: number; readonly ms: number }, to: string) => Promise<Replay>) | undefined;
}

/** Where it is measured. */
export interface LookPlace {
  /** May be written to. */
  readonly dir: string;
  readonly signal: AbortSignal;
  /** Readings of the GPUs of Triton's machine; null: it serves on a CPU. */
  readonly watchGpus: NonNullable<ReadingSources['watchGpus']> | null;
  /** Load is sent from the machine of Triton, which is another one; absent: from here. */
  readonly there?: LookThere | undefined;
}

/** A machine that does the work of a look beside its Triton. */
export interface LookThere {
  readonly loadTools: Executor['loadTools'];
  /** A folder for one look, which the machine gets. */
  readonly folder: () => string;
  /** A folder with the same files that it gets. @param inputDataDir of this machine */
  readonly inputs: (inputDataDir: string) => Promise<string>;
}

/** Of the looks of a comparison, which are many and short: both sides lose the same. */
const turnWarmupShare = 1 / 5;
const longestWarmupMs = 500;

/** Before a look's window, so that requests under way earlier do not count. */
const warmupOf = ({ phase, ms }: Pick<DueLook, 'phase' | 'ms'>): number =>
  Math.min(longestWarmupMs, Math.round(ms * (phase === 'turn' ? turnWarmupShare : 1 / 3)));

/** p99 is what the load tools decide by where no percentile is asked for. */
const usualPercentile = 99;

const settingsOf = (
  { percentile, performance }: LookInput,
  { phase, ms, repeat = 0 }: DueLook,
  replay: Replay | undefined,
): MeasureInput['settings'] => ({
  ...performance,
  ...{ requestRates: [], requestIntervalsUs: [], search: 'none', repeats: 1, crossCheck: false },
  // A look is one even load.
  ...{ stages: undefined, rampUpMs: undefined, sliceDurationS: undefined },
  ...{ requestCancellationRate: undefined, requestCancellationDelayS: undefined },
  // Not the same bursts in each look, and for the two of a pair the same.
  ...{ requestDistribution: 'poisson', requestSeed: (performance.requestSeed + repeat) % 2 ** 32 },
  ...{ measurementMode: 'time_windows', requestCount: 0, warmupRequestCount: 0, maxTrials: 1 },
  warmupMs: warmupOf({ phase, ms }),
  measurementIntervalMs: ms - warmupOf({ phase, ms }),
  percentile: percentile === usualPercentile ? 0 : percentile,
  // That of the run is not sent.
  replay,
});

/** null: the look sends no trace. */
async function replayOf({ replay: partOf }: LookInput, { phase, load, ms }: DueLook, dir: string) {
  if (partOf === undefined || 'concurrency' in load) return null;
  const replayFile = replayFileIn(dir);
  const window = { requestRate: load.requestRate, ms: ms - warmupOf({ phase, ms }) };
  return { replay: await partOf(window, replayFile), replayFile };
}

type Sent = Pick<DueLook, 'candidate' | 'load'>;

/** What the load tool is asked for, in one window. @param at 0, or its place beside the first */
export async function askedOf(
  input: LookInput,
  due: DueLook,
  { server, modelName }: ServedVariant,
  { at, dir, there, signal }: Pick<LookPlace, 'dir' | 'there' | 'signal'> & { readonly at: number },
): Promise<MeasureInput> {
  const { performance, modelVersion, batched, batchSize } = input;
  const workDir = there?.folder() ?? join(dir, at === 0 ? 'look' : `look-${at}`);
  await makeFolder(workDir);
  const own = await input.sent();
  const sent = there === undefined ? own : { ...own, inputDataDir: await there.inputs(own.inputDataDir) };
  const replayed = await replayOf(input, due, workDir);
  return {
    keepsThread: true,
    // From here, where its containers see the server under another address.
    ...server.forClients,
    ...(there === undefined ? { httpAddress: server.httpAddress, grpcAddress: server.grpcAddress } : {}),
    protocol: performance.protocol,
    ...{ modelName, modelVersion: String(modelVersion), batched, workDir, signal },
    ...sent,
    level:
      'concurrency' in due.load
        ? { batchSize, concurrency: due.load.concurrency }
        : { batchSize, concurrency: mostUnderWay, requestRate: due.load.requestRate },
    settings: settingsOf(input, due, replayed?.replay),
    ...present({ replayFile: replayed?.replayFile }),
    ...{ onLog: () => undefined, onCommand: () => undefined, onWindow: () => undefined },
  };
}

/** Throws as {@link LoadTool.measureTogether}. */
async function measureAll(
  tool: LoadTool,
  [first, ...others]: readonly [MeasureInput, ...MeasureInput[]],
): Promise<readonly LoadPoint[]> {
  if (others.length === 0) return [await tool.measure(first)];
  if (tool.measureTogether !== undefined) return tool.measureTogether([first, ...others]);
  throw new Error(`The load tool "${tool.id}" measures one model at a time`);
}

function lookOf(
  { candidate, load }: Sent,
  { phase, seconds }: Pick<Look, 'phase' | 'seconds'>,
  point: LoadPoint,
): Omit<Look, 'beside'> {
  const { avgUs, p50Us, p90Us, p95Us, p99Us } = point;
  return {
    ...{ candidate, phase, load, seconds },
    inferencesPerSecond: point.inferencesPerSecond,
    latencyUs: searchLatencyUs(point),
    requestCount: point.requestCount ?? 0,
    // A refused request is not answered within the target either.
    errorCount: point.errorCount + refusedCount(point),
    ...(isOverSaturated(point) ? { overSaturated: true as const } : {}),
    meanServerBatch: point.meanServerBatch,
    serverQueueUs: point.serverQueueUs,
    measured: {
      ...{ avgUs, p50Us, p90Us, p95Us, p99Us },
      ...present({
        ...{ scheduled: point.scheduled, gpus: point.gpus, executedBatches: point.executedBatches },
        replay: point.replay,
      }),
    },
  };
}

/**
 * Measures a candidate once, in one window, or several at the same time. Throws as {@link LoadTool.measure}.
 * @param inputOf by number of the candidate
 * @param served the candidate, then those beside it
 */
export async function measureLook(
  inputOf: (candidate: number) => LookInput,
  due: DueLook,
  [first, ...others]: readonly [ServedVariant, ...ServedVariant[]],
  how: LookPlace,
): Promise<Look> {
  const { beside = [] } = due;
  const { watchGpus, there } = how;
  const { tool: asked } = inputOf(due.candidate);
  const tool = there?.loadTools[asked.id] ?? asked;
  const { server } = first;
  const inputsFor = async (signal: AbortSignal): Promise<readonly [MeasureInput, ...MeasureInput[]]> => {
    const own = await askedOf(inputOf(due.candidate), due, first, { ...how, signal, at: 0 });
    const further: MeasureInput[] = [];
    for (const [at, one] of beside.entries()) {
      const variant = others[at] ?? first;
      const place = { ...how, signal, at: at + 1 };
      further.push(await askedOf(inputOf(one.candidate), { ...due, ...one }, variant, place));
    }
    return [own, ...further];
  };
  let began = Date.now();
  const measure = async (signal: AbortSignal): Promise<readonly LoadPoint[]> => {
    const [own, ...further] = await inputsFor(signal);
    began = Date.now();
    if (watchGpus === null) return measureAll(tool, [own, ...further]);
    let others: readonly LoadPoint[] = [];
    const point = await withReadings(
      { metricsAddress: server.metricsAddress, watchGpus },
      async (onWindow) => {
        const watched: MeasureInput = { ...own, onWindow: ({ durationUs }) => onWindow(durationUs) };
        const [measured, ...rest] = await measureAll(tool, [watched, ...further]);
        others = rest;
        return measured as LoadPoint;
      },
    );
    return [point, ...others];
  };
  const what = `while candidate ${due.candidate} was measured`;
  const [point, ...rest] = await whileServing(server, how.signal, what, measure);
  // A trace is sent to its end, however long the server takes.
  const isReplayed = point?.replay !== undefined;
  const seconds = Math.max(due.ms, isReplayed ? Date.now() - began : 0) / 1000;
  const of = { phase: due.phase, seconds };
  return {
    ...lookOf(due, of, point as LoadPoint),
    ...(beside.length === 0
      ? {}
      : { beside: beside.map((one, at) => lookOf(one, of, rest[at] as LoadPoint)) }),
  };
}

import { join } from 'node:path';
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
   * Writes the part of a trace that is sent at a mean rate in so much time; absent: requests come at Poisson times.
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

/** Before a look's window, so that requests under way earlier do not count. */
const warmupMs = (ms: number): number => Math.min(500, Math.round(ms / 3));

/** p99 is what the load tools decide by where no percentile is asked for. */
const usualPercentile = 99;

const settingsOf = (
  { percentile, performance }: LookInput,
  ms: number,
  replay: Replay | undefined,
): MeasureInput['settings'] => ({
  ...performance,
  ...{ requestRates: [], requestIntervalsUs: [], search: 'none', repeats: 1, crossCheck: false },
  requestDistribution: 'poisson',
  ...{ measurementMode: 'time_windows', requestCount: 0, warmupRequestCount: 0, maxTrials: 1 },
  ...{ warmupMs: warmupMs(ms), measurementIntervalMs: ms - warmupMs(ms) },
  percentile: percentile === usualPercentile ? 0 : percentile,
  // That of the run is not sent.
  replay,
});

/** null: the look sends no trace. */
async function replayOf({ replay: partOf }: LookInput, { load, ms }: DueLook, dir: string) {
  if (partOf === undefined || 'concurrency' in load) return null;
  const replayFile = replayFileIn(dir);
  const window = { requestRate: load.requestRate, ms: ms - warmupMs(ms) };
  return { replay: await partOf(window, replayFile), replayFile };
}

/** Measures a candidate once, in one window. Throws as {@link LoadTool.measure}. */
export async function measureLook(
  input: LookInput,
  due: DueLook,
  { server, modelName }: ServedVariant,
  how: LookPlace,
): Promise<Look> {
  const { performance, modelVersion, batched, batchSize } = input;
  const { there } = how;
  const tool = there?.loadTools[input.tool.id] ?? input.tool;
  const workDir = there?.folder() ?? join(how.dir, 'look');
  await makeFolder(workDir);
  const own = await input.sent();
  const sent = there === undefined ? own : { ...own, inputDataDir: await there.inputs(own.inputDataDir) };
  const replayed = await replayOf(input, due, workDir);
  const measureBy = (whileItRuns: AbortSignal, onWindow: (durationUs: number | null) => void) =>
    tool.measure({
      // From here, where its containers see the server under another address.
      ...server.forClients,
      ...(there === undefined ? { httpAddress: server.httpAddress, grpcAddress: server.grpcAddress } : {}),
      protocol: performance.protocol,
      ...{ modelName, modelVersion: String(modelVersion), batched, workDir, signal: whileItRuns },
      ...sent,
      level:
        'concurrency' in due.load
          ? { batchSize, concurrency: due.load.concurrency }
          : { batchSize, concurrency: mostUnderWay, requestRate: due.load.requestRate },
      settings: settingsOf(input, due.ms, replayed?.replay),
      ...present({ replayFile: replayed?.replayFile }),
      ...{ onLog: () => undefined, onCommand: () => undefined },
      onWindow: ({ durationUs }) => onWindow(durationUs),
    });
  const { watchGpus } = how;
  const measure = (whileItRuns: AbortSignal) =>
    watchGpus === null
      ? measureBy(whileItRuns, () => undefined)
      : withReadings({ metricsAddress: server.metricsAddress, watchGpus }, (onWindow) =>
          measureBy(whileItRuns, onWindow),
        );
  const what = `while candidate ${due.candidate} was measured`;
  const began = Date.now();
  const point = await whileServing(server, how.signal, what, measure);
  return {
    ...{ candidate: due.candidate, phase: due.phase, load: due.load },
    // A trace is sent to its end, however long the server takes.
    seconds: Math.max(due.ms, replayed === null ? 0 : Date.now() - began) / 1000,
    inferencesPerSecond: point.inferencesPerSecond,
    latencyUs: searchLatencyUs(point),
    requestCount: point.requestCount ?? 0,
    errorCount: point.errorCount,
    meanServerBatch: point.meanServerBatch,
    serverQueueUs: point.serverQueueUs,
    measured: {
      ...{
        avgUs: point.avgUs,
        p50Us: point.p50Us,
        p90Us: point.p90Us,
        p95Us: point.p95Us,
        p99Us: point.p99Us,
      },
      ...present({
        ...{ scheduled: point.scheduled, gpus: point.gpus, executedBatches: point.executedBatches },
        replay: point.replay,
      }),
    },
  };
}

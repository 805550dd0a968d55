import { setTimeout as sleep } from 'node:timers/promises';
import { WorkbenchError } from '../../../contract/errors';
import type { LoadPoint } from '../../../contract/measured/results';
import { roundUs } from '../../../contract/numbers';
import { present } from '../../../contract/trees';
import { levelText } from '../../../contract/words';
import { scatterOf } from '../../../domain/arrivals/intervals';
import { linkedAbort } from '../../../platform/abort';
import type { TritonClient } from '../../../triton/client';
import type { Counters } from '../../../triton/model-traits';
import { runtimeReason } from '../../../triton/runtime-reason';
import { isSteady } from '../../intervals';
import type { MeasureInput } from '../../load-tool';
import { experimentText, writeExperiment } from '../../profile-export';
import { replayedOf } from '../../replay/arrivals';
import { serverDelta } from '../../server-columns';
import { payloadCounts } from '../requests/batch-payloads';
import { paddingOf } from '../requests/padding';
import { planReplay } from '../requests/replay-payloads';
import { createSharedRegions, type SharedRegions } from '../requests/shared-regions';
import type { LoadJob, LoadTotals, RecordedWindow } from '../seam/load-job';
import type { FailureCount } from '../seam/transport';
import { checkedColumns, checkedLines, responseFlags } from './checked-answers';
import { withCountedOutputs } from './counted-outputs';
import { failureCount, levelResult, type MeasuredWindow, summarizeWindow } from './level-result';
import { addedTotals, type LevelGroup, type LevelTurns, runLoadSession } from './load-session';
import { countedServer, plainJob, serverOf } from './measured-server';

export interface MeasuredLevel {
  readonly point: LoadPoint;
  /** All requests of the level, including warm-up and drain. */
  readonly totals: LoadTotals;
  readonly turns: LevelTurns;
}

interface MeasureContext {
  /** Levels that start and end with this one. */
  readonly group?: LevelGroup;
  /** null: first turn. */
  readonly earlier?: LevelTurns | null;
}

const inWords = (failures: readonly FailureCount[]): string[] =>
  failures.map((failure) => `${failure.count} requests failed: ${failure.kind}: ${failure.message}`);

function allFailed(input: MeasureInput, failures: readonly FailureCount[]): WorkbenchError {
  const [first] = failures;
  return new WorkbenchError(
    'inference-failed',
    `Triton answered no request for ${input.modelName}: ${first === undefined ? 'no answer' : `${first.kind}: ${runtimeReason(first.message)}`}`,
    { where: levelText(input.level), details: inWords(failures).join('\n') },
  );
}

/** Attempts and interval for the server to count its latest responses. */
const countAttempts = 20;
const countPauseMs = 5;

/** Windows until stable or complete, with server counters at each bound, read outside the load generator's thread. */
class LevelWindows {
  readonly measured: MeasuredWindow[];
  /** End of the warm-up. */
  firstMs: number | null;
  /** Offset of this turn's clock. */
  private offsetUs = 0;
  /** Counters at the bounds of pending windows. */
  private bounds: readonly Promise<Counters>[] = [];
  private tail: Promise<void> = Promise.resolve();
  private decided = false;

  /** @param initial server counters before the turn's first request */
  constructor(
    private readonly input: MeasureInput,
    private readonly initial: Counters,
    private readonly fetchStatistics: () => Promise<Counters>,
    private readonly fail: (error: unknown) => void,
    private readonly context: MeasureContext,
  ) {
    this.measured = [...(context.earlier?.windows ?? [])];
    this.firstMs = context.earlier?.firstMs ?? null;
  }

  /** Requests of this turn that the server has counted as successful; null if unknown. */
  async bound(answered: number | undefined): Promise<number | null> {
    if (this.decided) return null;
    if (this.bounds.length === 0) {
      const nowMs = performance.now();
      this.firstMs ??= nowMs;
      this.offsetUs = (nowMs - this.firstMs) * 1000;
    }
    const counters = answered === undefined ? this.fetchStatistics() : this.fetchCounted(answered);
    this.bounds = [...this.bounds, counters];
    try {
      return serverDelta(this.initial.own, (await counters).own)?.success.count ?? null;
    } catch (error) {
      this.fail(error);
      return null;
    }
  }

  /** Triton counts a request shortly after its response. */
  private async fetchCounted(answered: number): Promise<Counters> {
    for (let attempt = 1; ; attempt += 1) {
      const counters = await this.fetchStatistics();
      const counted = serverDelta(this.initial.own, counters.own)?.success.count ?? answered;
      if (counted >= answered || attempt === countAttempts) return counters;
      await sleep(countPauseMs);
    }
  }

  add(recorded: RecordedWindow, stop: () => void): void {
    const [before, after] = this.bounds;
    if (before === undefined || after === undefined) return;
    this.bounds = this.bounds.slice(1);
    this.tail = this.tail
      .then(async () => {
        this.take(recorded, await before, await after, stop);
      })
      .catch(this.fail);
  }

  private take(window: RecordedWindow, before: Counters, after: Counters, stop: () => void): void {
    if (this.decided) return;
    const { input, measured } = this;
    const { group } = this.context;
    const recorded = shifted(window, this.offsetUs);
    const summary = summarizeWindow(recorded, input.level.batchSize, {
      percentile: input.settings.percentile,
      keepsParts: input.looks,
    });
    if (measured.length === 0 && recorded.latencies.total === 0) throw allFailed(input, recorded.failures);
    measured.push({
      recorded,
      summary,
      server: serverDelta(before.own, after.own),
      composing: after.composing.map(({ modelName, statistics }, index) => ({
        modelName,
        server: serverDelta(before.composing[index]?.statistics ?? [], statistics),
      })),
    });
    input.onWindow(summary, measured.length - 1);
    if (failureCount(recorded.failures) > 0) input.onLog(inWords(recorded.failures));
    const steady = isSteady(
      measured.map((window) => window.summary),
      input.settings.stabilityPercentage,
    );
    const isOver = recorded.overSaturated === true;
    if (isOver)
      input.onLog(['More requests are due than the server answers: the level ends early, over-saturated.']);
    const enough = steady || isOver || measured.length >= input.settings.maxTrials;
    const finish = () => {
      this.decided = true;
      stop();
    };
    if (group !== undefined) group.update(this, enough, finish);
    else if (enough) finish();
  }
}

/** On the clock of the first turn. */
function shifted(window: RecordedWindow, byUs: number): RecordedWindow {
  const startUs = window.startUs + byUs;
  const { outcomes } = window;
  if (outcomes === undefined || byUs === 0) return { ...window, startUs };
  return { ...window, startUs, outcomes: { ...outcomes, dueUs: outcomes.dueUs.map((at) => at + byUs) } };
}

/** null: tensors over the network. CUDA was rejected earlier. */
async function sharedRegions(
  client: TritonClient,
  input: MeasureInput,
  job: LoadJob,
): Promise<SharedRegions | null> {
  const { sharedMemory = 'none' } = input.settings;
  return sharedMemory === 'none' ? null : createSharedRegions(client, input, job);
}

/** Reports if not all entries are sent. Throws input-invalid if none can be. */
function sayWhatIsSent(input: MeasureInput, job: LoadJob): void {
  if (job.replay !== undefined) {
    const { parts, repeated } = planReplay(job, job.replay);
    if (repeated > 0)
      input.onLog([`Only ${parts.length} different requests are sent: more would exceed 256 MiB.`]);
    return;
  }
  const { all, made } = payloadCounts(job);
  if (made < all)
    input.onLog([`Only the first ${made} of ${all} different requests are sent: more would exceed 256 MiB.`]);
}

/** A level with a request count has one window. */
function windowsOf({ settings, ...input }: MeasureInput): MeasureInput {
  const { requestCount = 0 } = settings;
  const isCounted = requestCount > 0 || input.replayFile !== undefined || settings.stages !== undefined;
  return { ...input, settings: isCounted ? { ...settings, maxTrials: 1 } : settings };
}

/** Columns about how requests were sent. */
function jobColumns(
  { schedule, tls, replay, httpVersion, compression, json }: LoadJob,
  { settings }: MeasureInput,
) {
  const custom = schedule !== null && schedule.intervalsUs.length > 0;
  const own: LoadPoint['requestDistribution'] = custom ? 'custom' : schedule?.distribution;
  const distribution: LoadPoint['requestDistribution'] = settings.replay === undefined ? own : 'replay';
  return present({
    replay: replay && settings.replay && replayedOf(replay, settings.replay),
    requestDistribution: distribution,
    requestSeed: distribution === 'poisson' || distribution === 'gamma' ? schedule?.seed : null,
    burstiness: distribution === 'gamma' ? (settings.burstiness ?? 1) : null,
    rampUpMs: settings.rampUpMs,
    tls: tls && { verified: !tls.insecure, clientCertificate: tls.cert !== undefined },
    httpVersion,
    compression,
    jsonTensors: json === true ? (true as const) : undefined,
  });
}

function judgedBy(
  { settings, decoupled, inputData, looks }: MeasureInput,
  { exactRequests, replay, generation, schedule }: LoadJob,
) {
  const { stabilityPercentage, errorPercentage, sequences, percentile } = settings;
  return {
    looks: looks === true,
    ...{ stabilityPercentage, errorPercentage, sequences },
    shape: { ...settings, scatter: schedule === null ? 0 : scatterOf(schedule) },
    decoupled: decoupled === true,
    streams: inputData.streams,
    counted: exactRequests !== undefined || looks === true,
    // The rate of a trace and of stages rises and falls by itself.
    replayed: replay !== undefined,
    tokens: generation,
    ...present({ percentile, promptTokens: inputData.promptTokens }),
  };
}

async function writeProfile(
  { profileFile, level }: MeasureInput,
  windows: readonly MeasuredWindow[],
): Promise<void> {
  if (profileFile === undefined) return;
  const kept = windows.flatMap(({ recorded }) => recorded.requests ?? []);
  await writeExperiment(profileFile, experimentText(level, kept));
}

/** The last window with how long the connections of its turn took to open. */
function withConnections(windows: readonly MeasuredWindow[], { opened }: LoadTotals): MeasuredWindow[] {
  const { count, connectUs, tlsUs } = opened;
  const mean = (sum: number | null) => (sum === null || count === 0 ? null : roundUs(sum / count));
  return windows.map((window, index) => {
    const { parts } = window.summary;
    if (index < windows.length - 1 || parts === undefined) return window;
    const connected = { ...parts, connectUs: mean(connectUs), tlsUs: mean(tlsUs) };
    return { ...window, summary: { ...window.summary, parts: connected } };
  });
}

/** Levels measured in this process, which share its CPU time. */
let underWay = 0;

const generatorsNow = ({ group }: MeasureContext): number => Math.max(group?.size ?? 1, underWay);

/** Measures one level, or another turn of it; the point covers all its windows. Throws as {@link LoadTool}. */
export async function measureLevel(
  workerFile: string,
  asked: MeasureInput,
  context: MeasureContext = {},
): Promise<MeasuredLevel> {
  const input = windowsOf(asked);
  const startMs = performance.now();
  const server = await serverOf(input);
  const { client } = server;
  const plain = await plainJob(server, input);
  sayWhatIsSent(input, plain);
  const padding = paddingOf(plain);
  const { ensemble, uncounted, countersFor } = await countedServer(server, input);
  const regions = await sharedRegions(client, input, plain);
  // Shared memory outputs are compared with responses over the network, which were checked.
  const job = regions === null ? plain : { ...plain, tensors: [], outputChecks: null, shared: regions.job };
  const { earlier = null } = context;
  let repairs = earlier?.repairs ?? 0;
  const { controller, dispose } = linkedAbort(input.signal);
  const state: { error: unknown } = { error: null };
  const fail = (error: unknown) => {
    state.error ??= error;
    controller.abort();
  };
  underWay += 1;
  try {
    await context.group?.arrive(controller.signal);
    const counters = countersFor(controller.signal);
    const windows = new LevelWindows(input, await counters(), counters, fail, context);
    const run = await runLoadSession({
      ...{ workerFile, job, signal: controller.signal, keepsThread: input.keepsThread === true },
      onBound: (answered) => windows.bound(answered),
      onWindow: (window, stop) => windows.add(window, stop),
      onRegionsLost: async () => {
        repairs += 1;
        input.onLog(['The shared memory was unregistered by another client and is registered again.']);
        await regions?.repair();
      },
    });
    // Shared memory outputs were checked over the network before.
    const sent = regions === null ? run : { ...run, outputs: regions.checked };
    input.onLog(checkedLines(job, sent));
    const totals = earlier === null ? sent : addedTotals(earlier.totals, sent);
    const counted = await withCountedOutputs(windows.measured, job.generation, input);
    const measured = withConnections(counted, sent);
    const elapsedUs = Math.round((performance.now() - startMs) * 1000) + (earlier?.elapsedUs ?? 0);
    const result = levelResult(measured, input.level, {
      ...judgedBy(input, job),
      ...{ ensemble, uncounted },
      generators: generatorsNow(context),
    });
    if (result === null) throw allFailed(input, totals.failures);
    await writeProfile(input, measured);
    return {
      point: {
        ...result,
        flags: [...result.flags, ...responseFlags(totals)],
        ...jobColumns(job, input),
        ...checkedColumns(job, totals, repairs),
        ...present({ paddingShare: padding(totals.succeeded + failureCount(totals.failures)) }),
        loadTool: 'native',
        protocol: input.protocol,
        elapsedUs,
      },
      totals,
      turns: {
        windows: measured,
        totals,
        firstMs: windows.firstMs ?? startMs,
        repairs,
        elapsedUs,
      },
    };
  } catch (error) {
    throw failureOf(error, state.error, input);
  } finally {
    underWay -= 1;
    // Also aborts pending requests for statistics.
    controller.abort();
    dispose();
    await regions?.close();
  }
}

/** Statistics are only requested from a server that responded. */
function failureOf(ended: unknown, cause: unknown, input: MeasureInput): unknown {
  const error = input.signal.aborted ? null : cause;
  if (error === null) return ended;
  if (!(error instanceof WorkbenchError) || error.code !== 'server-unreachable') return error;
  return new WorkbenchError(
    'server-gone',
    `Triton at ${input.httpAddress} stopped responding during the measurement`,
    { details: error.message, cause: error },
  );
}

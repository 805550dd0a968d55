import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import type { Worker } from 'node:worker_threads';
import { fromWire, invalidInput, WorkbenchError } from '../../../contract/errors';
import { sendsText } from '../../../contract/load/generation';
import { stagesOf } from '../../../contract/load/stages';
import { defaultRequestSeed } from '../../../contract/run/run-spec';
import { present } from '../../../contract/trees';
import type { Scatter } from '../../../domain/arrivals/intervals';
import { stagedTimes } from '../../../domain/arrivals/staged-times';
import type { TritonClient } from '../../../triton/client';
import { encodeValues } from '../../../triton/encode-values';
import { readTls } from '../../../triton/tls';
import { sizeProblem } from '../../input/wanted-tensor';
import type { MeasureInput } from '../../load-tool';
import { type Arrivals, readArrivals } from '../../replay/arrivals';
import {
  type FromWorker,
  type JobTensor,
  type LoadJob,
  type LoadTotals,
  parseAddress,
  type RecordedWindow,
  type ToWorker,
} from '../seam/load-job';
import { agreedHttpVersion } from '../socket/alpn';
import type { MeasuredWindow } from './level-result';
import { keepLoadThread, openLoadThread } from './load-thread';

async function readTensor(
  tensor: MeasureInput['inputData']['tensors'][number],
  dir: string,
): Promise<JobTensor> {
  const { name, datatype, shape, shapes, padding } = tensor;
  const samples: Uint8Array[] = [];
  for (const [index, file] of tensor.files.entries()) {
    const path = join(dir, file);
    const data = await readFile(path);
    const wrong = sizeProblem({ name, datatype }, { shape: shapes?.[index] ?? shape, data });
    if (wrong !== null) throw new WorkbenchError('input-invalid', `Input ${wrong}`, { where: path });
    samples.push(data);
  }
  const filling = padding === undefined ? undefined : encodeValues(datatype, [padding]);
  return { name, datatype, shape, samples, ...present({ shapes, padding: filling }) };
}

/** Expectations for response checks; null if not requested. Throws errors of the client, and input-invalid. */
export async function readOutputChecks(
  client: TritonClient,
  input: MeasureInput,
): Promise<LoadJob['outputChecks']> {
  const { checkOutputs = 'form' } = input.settings;
  // Text has no tensors.
  if (checkOutputs === 'none' || sendsText(input.settings)) return null;
  const { outputs } = await client.modelMetadata(input.modelName, input.modelVersion, {
    signal: input.signal,
  });
  const expected = input.inputData.expected ?? [];
  return {
    outputs,
    finite: checkOutputs === 'finite',
    anyBatch: input.decoupled === true,
    expected: await Promise.all(expected.map((tensor) => readTensor(tensor, input.inputDataDir))),
  };
}

/** So slow a trace has few requests to warm up with. */
const leastWarmupRate = 10;

/** null: neither a trace nor stages. */
async function arrivalsOf(input: MeasureInput): Promise<Arrivals | null> {
  const { level, settings, replayFile, modelName, inputData } = input;
  const { replay, stages } = settings;
  if (stages !== undefined && level.requestRate !== undefined) {
    const atUs = stagedTimes(stagesOf(stages, level.requestRate), scatterIn(settings));
    const all = (value: number) => new Int32Array(atUs.length).fill(value);
    return { atUs, sizes: all(level.batchSize), firsts: all(-1) };
  }
  if (replay === undefined || replayFile === undefined || level.requestRate === undefined) return null;
  const { batchSize } = level;
  return readArrivals(replayFile, { modelName, speed: replay.speed, batchSize, inputData });
}

function scatterIn({
  requestDistribution: distribution = 'constant',
  requestSeed: seed = defaultRequestSeed,
  burstiness,
}: MeasureInput['settings']): Scatter {
  return { distribution, seed, ...(distribution === 'gamma' ? present({ burstiness }) : {}) };
}

function scheduleOf({ level, settings }: MeasureInput, arrivals: Arrivals | null): LoadJob['schedule'] {
  const { requestRate: rate } = level;
  if (rate === undefined) return null;
  const scatter = scatterIn(settings);
  if (settings.replay !== undefined && arrivals !== null) {
    const { seed } = scatter;
    return { rate: Math.max(leastWarmupRate, rate), distribution: 'constant', seed, intervalsUs: [] };
  }
  const { rampUpMs = 0, requestIntervalsUs: intervalsUs = [] } = settings;
  return { rate, ...scatter, intervalsUs, ...(rampUpMs > 0 ? { rampUpUs: 1000 * rampUpMs } : {}) };
}

const exactRequestsOf = (
  { requestCount = 0 }: MeasureInput['settings'],
  arrivals: Arrivals | null,
): Pick<LoadJob, 'exactRequests' | 'replay'> => {
  if (arrivals !== null) return { exactRequests: arrivals.atUs.length, replay: arrivals };
  return requestCount > 0 ? { exactRequests: requestCount } : {};
};

function cancellationOf({
  requestCancellationRate: percent = 0,
  requestCancellationDelayS: delayS = 0,
  requestSeed: seed = defaultRequestSeed,
}: MeasureInput['settings']): LoadJob['cancellation'] {
  return percent === 0 ? undefined : { share: percent / 100, delayMs: 1000 * delayS, seed };
}

function generationJob({
  settings: { generation },
  countTokens,
}: Pick<MeasureInput, 'settings' | 'countTokens'>): LoadJob['generation'] {
  if (generation === undefined) return undefined;
  const { endpoint, ttftBudgetMs, itlBudgetMs } = generation;
  const us = (ms: number | undefined) => (ms === undefined ? undefined : ms * 1000);
  return {
    endpoint,
    budgets: { ttftUs: us(ttftBudgetMs), itlUs: us(itlBudgetMs) },
    keepsTexts: countTokens !== undefined,
  };
}

const addressOf = (input: MeasureInput): NonNullable<MeasureInput['sentTo']> =>
  input.protocol === 'grpc'
    ? { address: input.grpcAddress, tls: input.grpcTls }
    : { address: input.httpAddress, tls: input.httpTls };

/** The version of HTTP that a job speaks; undefined with gRPC and text. */
export async function httpVersionOf(
  { protocol, generation, host, port, tls }: LoadJob,
  { settings, signal }: Pick<MeasureInput, 'settings' | 'signal'>,
): Promise<LoadJob['httpVersion']> {
  if (protocol !== 'http' || generation !== undefined) return undefined;
  if (settings.httpVersion !== undefined) return settings.httpVersion;
  return tls === null ? '1.1' : agreedHttpVersion({ host, port, tls }, signal);
}

/** Reads a level's raw inputs. Throws input-invalid. */
export async function readJob(input: MeasureInput): Promise<LoadJob> {
  const { settings, level } = input;
  const arrivals = await arrivalsOf(input);
  const largest = arrivals?.sizes.reduce((most, size) => Math.max(most, size), 1) ?? level.batchSize;
  if (!input.batched && largest !== 1) {
    throw invalidInput(
      `batch size ${largest}`,
      `${input.modelName} does not support batching`,
      'Use batch size 1.',
    );
  }
  const { sentTo = addressOf(input) } = input;
  return {
    ...parseAddress(sentTo.address),
    protocol: input.protocol,
    modelName: input.modelName,
    modelVersion: input.modelVersion,
    tensors: await Promise.all(
      input.inputData.tensors.map((tensor) => readTensor(tensor, input.inputDataDir)),
    ),
    batchSize: largest,
    batched: input.batched,
    concurrency: level.concurrency,
    schedule: scheduleOf(input, arrivals),
    rampUpMs: settings.rampUpMs,
    cancellation: cancellationOf(settings),
    keepsOutcomes: settings.stages !== undefined || settings.sliceDurationS !== undefined,
    shared: null,
    outputChecks: null,
    sequences: settings.sequences ?? null,
    ...(input.inputData.streams === undefined ? {} : { streams: input.inputData.streams }),
    streaming: settings.streaming ?? settings.generation !== undefined,
    generation: generationJob(input),
    tls: await readTls(sentTo.tls),
    headers: input.headers ?? [],
    compression: input.protocol === 'http' ? settings.httpCompression : undefined,
    // The warm-up begins when the load has its height.
    warmupMs: settings.warmupMs + (settings.rampUpMs ?? 0),
    warmupRequests: settings.warmupRequestCount,
    mode: settings.measurementMode,
    intervalMs: settings.measurementIntervalMs,
    requestCount: settings.measurementRequestCount,
    ...exactRequestsOf(settings, arrivals),
    keepsRequests: input.profileFile !== undefined,
  };
}

let sessions = 0;

/**
 * V8 repeatedly compacts an idle heap in the seconds after start, which disturbs measurements. Disables this for
 * threads that start from now on, until all callers have called the returned function.
 */
function withoutGcPauses(): () => void {
  sessions += 1;
  if (sessions === 1) setFlagsFromString('--no-memory-reducer');
  return () => {
    sessions -= 1;
    if (sessions === 0) setFlagsFromString('--memory-reducer');
  };
}

interface LoadSessionInput {
  /** Bundled entry of the worker thread. */
  readonly workerFile: string;
  /** Sample buffers are transferred to the thread. */
  readonly job: LoadJob;
  readonly signal: AbortSignal;
  /** Another level follows at once. */
  readonly keepsThread: boolean;
  /**
   * At the end of warm-up or window. Resolves with the requests that the server has counted as successful since before
   * the first one; null if unknown. The window ends with the last of these.
   * @param answered responses so far, if no request is active
   */
  readonly onBound: (answered: number | undefined) => Promise<number | null>;
  /** Windows continue until `stop` is called. */
  readonly onWindow: (window: RecordedWindow, stop: () => void) => void;
  /** Registers shared memory again; load continues when it resolves. */
  readonly onRegionsLost: () => Promise<void>;
}

/** Buffers that only these samples use; small files share one. */
function ownMemory({ tensors, outputChecks }: LoadJob): ArrayBuffer[] {
  const samples = [...tensors, ...(outputChecks?.expected ?? [])].flatMap((tensor) => tensor.samples);
  const own = samples.flatMap(({ buffer, byteLength }) =>
    buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : [],
  );
  return [...new Set(own)];
}

const ended = (what: string, cause?: Error): WorkbenchError =>
  new WorkbenchError('load-tool-failed', `The load generator ${what}`, { cause });

/** Answers the thread until the level has ended. Throws as {@link runLoadSession}. */
function driven(worker: Worker, input: LoadSessionInput): Promise<LoadTotals> {
  const post = (message: ToWorker, memory: ArrayBuffer[] = []) => {
    worker.postMessage(message, memory);
  };
  return new Promise<LoadTotals>((resolve, reject) => {
    const hear = (message: FromWorker): void => {
      switch (message.type) {
        case 'bound':
          input.onBound(message.answered).then((succeeded) => {
            post({ type: 'cut', bound: message.bound, succeeded });
          }, reject);
          break;
        case 'window':
          input.onWindow(message.window, () => post({ type: 'stop' }));
          break;
        case 'regions-lost':
          input.onRegionsLost().then(() => {
            post({ type: 'repaired' });
          }, reject);
          break;
        case 'ended':
          resolve(message.totals);
          break;
        case 'failed':
          reject(fromWire(message.error));
          break;
      }
    };
    worker.on('message', (message: FromWorker) => {
      try {
        hear(message);
      } catch (error) {
        reject(error instanceof Error ? error : new Error(String(error)));
      }
    });
    worker.once('error', (error: Error) => reject(ended(`failed: ${error.message}`, error)));
    worker.once('exit', (code) => reject(ended(`ended with exit code ${code}`)));
    post({ type: 'begin', job: input.job }, ownMemory(input.job));
  });
}

/** Until all responses are in. Throws errors of the load, cancelled, and load-tool-failed if the thread dies. */
export async function runLoadSession(input: LoadSessionInput): Promise<LoadTotals> {
  const { signal, workerFile } = input;
  const cancelled = () => new WorkbenchError('cancelled', 'Measuring was cancelled');
  if (signal.aborted) throw cancelled();
  const loud = withoutGcPauses();
  const worker = openLoadThread(workerFile);
  let isIdle = false;
  let onAbort: () => void = () => undefined;
  const cut = new Promise<never>((_resolve, reject) => {
    onAbort = () => reject(cancelled());
    signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    const totals = await Promise.race([driven(worker, input), cut]);
    isIdle = input.keepsThread;
    return totals;
  } finally {
    signal.removeEventListener('abort', onAbort);
    if (isIdle) await keepLoadThread(workerFile, worker);
    // Closes remaining connections and timers.
    else await worker.terminate();
    loud();
  }
}

/** Concurrent levels that start and end together, so that every measured window is under the load of all. */
export class LevelGroup {
  private readonly states = new Map<object, { readonly ready: boolean; readonly finish: () => void }>();
  private readonly waiting: (() => void)[] = [];

  constructor(readonly size: number) {}

  /** Resolves when all members have arrived. Throws cancelled. */
  async arrive(signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const cancel = () => {
        reject(new WorkbenchError('cancelled', 'Measuring was cancelled'));
      };
      if (signal.aborted) {
        cancel();
        return;
      }
      signal.addEventListener('abort', cancel, { once: true });
      this.waiting.push(() => {
        signal.removeEventListener('abort', cancel);
        resolve();
      });
      if (this.waiting.length === this.size) for (const go of this.waiting) go();
    });
  }

  /** Whether a member has enough windows. Calls each member's `finish` when all have. */
  update(member: object, ready: boolean, finish: () => void): void {
    this.states.set(member, { ready, finish });
    const states = [...this.states.values()];
    if (states.length < this.size || !states.every((state) => state.ready)) return;
    for (const state of states) state.finish();
  }
}

/** State of a level between turns. */
export interface LevelTurns {
  readonly windows: readonly MeasuredWindow[];
  readonly totals: LoadTotals;
  /** End of the first warm-up, in `performance.now()` time. */
  readonly firstMs: number;
  /** Re-registrations of shared memory. */
  readonly repairs: number;
  readonly elapsedUs: number;
}

/** Sums of two turns. */
export function addedTotals(before: LoadTotals, more: LoadTotals): LoadTotals {
  return {
    succeeded: before.succeeded + more.succeeded,
    failures: [...before.failures, ...more.failures],
    checks: {
      checked: before.checks.checked + more.checks.checked,
      wrong: before.checks.wrong + more.checks.wrong,
    },
    outputs: {
      checked: before.outputs.checked + more.outputs.checked,
      wrong: before.outputs.wrong + more.outputs.wrong,
      compared: before.outputs.compared + more.outputs.compared,
      finiteChecked: before.outputs.finiteChecked + more.outputs.finiteChecked,
      notFinite: before.outputs.notFinite + more.outputs.notFinite,
      notFiniteMessage: before.outputs.notFiniteMessage || more.outputs.notFiniteMessage,
    },
    faults: [...before.faults, ...more.faults],
    opened: more.opened,
  };
}

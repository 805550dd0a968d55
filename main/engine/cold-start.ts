import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { toWire, WorkbenchError } from '../contract/errors';
import type { ColdStart, FirstRequest } from '../contract/measured/cold-start';
import { present } from '../contract/trees';
import { medianOf } from '../domain/statistics';
import { warmUpSizesOf } from '../formats/warm-up';
import type { TritonClient } from '../triton/client';
import type { ModelConfig } from '../triton/model-config';
import { repeatedRows, type Tensor } from '../triton/tensor';

/** A request of one item in one of the shapes of the samples. */
export interface ColdSample {
  /** "ids [128]"; absent: there is one shape. */
  readonly shape?: string | undefined;
  readonly row: readonly Tensor[];
}

export interface ColdRequest {
  readonly batchSize: number;
  readonly shape?: string | undefined;
  readonly inputs: readonly Tensor[];
}

export interface ColdInput {
  readonly load: () => Promise<void>;
  /** Returns once nothing is loaded. */
  readonly unload: () => Promise<void>;
  /** Known once the model was loaded, in ascending order. `isShared`: all come after one load, however quick it is. */
  readonly requests: () => Promise<{
    readonly requests: readonly ColdRequest[];
    readonly isShared: boolean;
  }>;
  readonly send: (inputs: readonly Tensor[]) => Promise<unknown>;
  /** A longer load is not repeated, and left loaded. */
  readonly longestLoadUs: number;
  /** Requests that follow each first one on the same load. */
  readonly next?: number;
}

/** `nextUs`: of the requests that followed. */
export type AnsweredFirst = FirstRequest & { readonly nextUs: readonly number[] };

export interface ColdTimes extends Pick<ColdStart, 'loads' | 'loadUs' | 'reason'> {
  readonly requests: readonly AnsweredFirst[];
  /** Left as after a load, without a request. */
  readonly isLoaded: boolean;
}

/** So much of loading and unloading is worth a load for each request. */
const quickUs = 1_500_000;
/** Then further requests are left out. */
const longestAskingUs = 60_000_000;

/** Whole microseconds: a fraction says nothing about a load or a first request. */
export async function timedUs(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return Math.round((performance.now() - began) * 1000);
}

/** Sends a first request, and those that follow. Throws what ends a measurement: an unreachable server, a cancel. */
async function answered(
  { batchSize, shape, inputs }: ColdRequest,
  { send, next = 0 }: Pick<ColdInput, 'send' | 'next'>,
): Promise<AnsweredFirst> {
  const of = { batchSize, ...present({ shape }) };
  try {
    const firstUs = await timedUs(() => send(inputs));
    const nextUs: number[] = [];
    for (let count = 0; count < next; count += 1) nextUs.push(await timedUs(() => send(inputs)));
    return { ...of, firstUs, nextUs };
  } catch (error) {
    const { code, message } = toWire(error);
    if (code !== 'inference-failed') throw error;
    return { ...of, firstUs: null, nextUs: [], error: message };
  }
}

const notSent = 'not sent: those before took more than a minute';

/** Throws inference-failed with the first request that was sent and not answered. Pure. */
export function requireAnswered(found: readonly FirstRequest[]): void {
  const failed = found.find(({ firstUs, error }) => firstUs === null && error !== notSent);
  if (failed !== undefined)
    throw new WorkbenchError('inference-failed', failed.error ?? 'No request was sent');
}

/** As it is recorded. */
export const firstOf = ({ batchSize, shape, firstUs, error }: AnsweredFirst): FirstRequest => ({
  batchSize,
  firstUs,
  ...present({ shape, error }),
});

/** After one load, ascending. Throws as an unreachable server. */
export async function answeredInOrder(
  requests: readonly ColdRequest[],
  input: Pick<ColdInput, 'send' | 'next'>,
): Promise<AnsweredFirst[]> {
  const found: AnsweredFirst[] = [];
  const began = performance.now();
  for (const request of requests) {
    const isLate = (performance.now() - began) * 1000 > longestAskingUs;
    const { batchSize, shape } = request;
    const late = { firstUs: null, nextUs: [], error: notSent };
    found.push(isLate ? { batchSize, ...present({ shape }), ...late } : await answered(request, input));
  }
  return found;
}

/** All after the load that was done. */
async function sharedTimes(
  loadUs: number,
  requests: readonly ColdRequest[],
  input: ColdInput,
): Promise<ColdTimes> {
  const found = await answeredInOrder(requests, input);
  await input.unload();
  return { loads: 'shared', loadUs, requests: found, isLoaded: false };
}

/**
 * Loads a model, times its first requests, and unloads it: with a load for each request where loads and unloads are quick,
 * else all after one. Throws as the load, the unload and an unreachable server.
 */
export async function measureFirstRequests(input: ColdInput): Promise<ColdTimes> {
  const loadUs = await timedUs(input.load);
  const { requests, isShared } = await input.requests();
  const [first, ...others] = requests;
  const none = { loads: 'shared', loadUs, requests: [], isLoaded: true } as const;
  if (loadUs > input.longestLoadUs) {
    return { ...none, reason: 'the load takes too long to be done a second time' };
  }
  if (first === undefined) return none;
  const isQuick = (us: number): boolean => us * requests.length <= quickUs;
  if (isShared || !isQuick(loadUs)) return sharedTimes(loadUs, requests, input);
  const found = [await answered(first, input)];
  const unloadUs = await timedUs(input.unload);
  const loads = [loadUs];
  for (const request of others) {
    loads.push(await timedUs(input.load));
    // What the end of a model takes is known only now.
    if (!isQuick(loadUs + unloadUs)) return sharedTimes(Math.round(medianOf(loads)), requests, input);
    found.push(await answered(request, input));
    await input.unload();
  }
  return { loads: 'own', loadUs: Math.round(medianOf(loads)), requests: found, isLoaded: false };
}

/** More would make a run noticeably longer. */
export const mostColdSizes = 8;

/** At most so many of these, ascending, the smallest and the largest among them. */
export function spreadSizes(sizes: readonly number[], most = mostColdSizes): readonly number[] {
  const sorted = [...new Set(sizes)].sort((a, b) => a - b);
  if (sorted.length <= most) return sorted;
  const at = (index: number): number => Math.round((index * (sorted.length - 1)) / (most - 1));
  return Array.from({ length: most }, (_one, index) => sorted[at(index)] ?? 1);
}

/** Each size in the first shape, then the other shapes at the smallest size. */
export function coldRequests(
  samples: readonly ColdSample[],
  sizes: readonly number[],
  { maxBatchSize }: Pick<ModelConfig, 'maxBatchSize'>,
): readonly ColdRequest[] {
  const [first, ...others] = samples;
  if (first === undefined) return [];
  const fitting = maxBatchSize === 0 ? [1] : sizes.filter((size) => size <= maxBatchSize);
  const requestOf = ({ shape, row }: ColdSample, batchSize: number): ColdRequest => ({
    ...{ batchSize, ...present({ shape }) },
    inputs: maxBatchSize === 0 ? row : row.map((tensor) => repeatedRows(tensor, batchSize)),
  });
  const smallest = fitting[0] ?? 1;
  return [
    ...fitting.map((size) => requestOf(first, size)),
    ...others.slice(0, mostColdSizes - 1).map((sample) => requestOf(sample, smallest)),
  ];
}

const goneMs = 60_000;
const pollMs = 20;

type Client = Pick<TritonClient, 'address' | 'repositoryIndex' | 'unloadModel'>;

const loadedNames = async (client: Client, signal?: AbortSignal): Promise<readonly string[]> => {
  const entries = await client.repositoryIndex({ signal });
  return entries
    .filter(({ state }) => state !== undefined && state !== '' && state !== 'UNAVAILABLE')
    .map(({ name }) => name);
};

/**
 * Unloads everything, as on a server of one's own, and returns once it is gone. Throws model-not-ready.
 * @returns whether something was loaded
 */
export async function unloadAll(client: Client, signal?: AbortSignal): Promise<boolean> {
  const deadline = performance.now() + goneMs;
  const names = new Set(await loadedNames(client, signal));
  for (const name of names) await client.unloadModel(name, { signal });
  while ((await loadedNames(client, signal)).length > 0) {
    if (performance.now() > deadline) {
      throw new WorkbenchError(
        'model-not-ready',
        `Triton has not unloaded its models within ${goneMs / 1000} s`,
      );
    }
    await sleep(pollMs, undefined, { signal });
  }
  return names.size > 0;
}

/** Whether nothing was sent to any version of the model since its load. */
async function isUnasked(
  client: Pick<TritonClient, 'modelStatistics'>,
  modelName: string,
  modelVersion: string,
  signal?: AbortSignal,
): Promise<boolean> {
  const statistics = await client.modelStatistics(modelName, modelVersion, { signal });
  return statistics.every(
    ({ inferenceCount, executionCount }) => inferenceCount === 0 && executionCount === 0,
  );
}

/** The first request to a model of a server that was running, and may not be asked to load it. */
export async function firstOfRunning(
  {
    client,
    modelName,
    modelVersion,
    config,
    signal,
  }: {
    readonly client: Pick<TritonClient, 'modelStatistics'>;
    readonly modelName: string;
    readonly modelVersion: string;
    readonly config: Pick<ModelConfig, 'modelWarmup'>;
    readonly signal?: AbortSignal | undefined;
  },
  request: ColdRequest,
  send: ColdInput['send'],
): Promise<Omit<ColdStart, 'key'>> {
  const none = { loads: 'running', startUs: null, loadUs: null, readyUs: null } as const;
  const warmUp = warmUpSizesOf(config);
  if (!(await isUnasked(client, modelName, modelVersion, signal))) {
    const reason = 'Triton was already running, and the model had already served requests';
    return { ...none, warmUp, requests: [], reason };
  }
  return { ...none, warmUp, requests: [firstOf(await answered(request, { send }))] };
}

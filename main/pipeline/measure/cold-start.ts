import { readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { toWire } from '../../contract/errors';
import { asksOpenai } from '../../contract/load/generation';
import type { ColdStart } from '../../contract/measured/cold-start';
import type { InputData } from '../../contract/measured/input-data';
import { formatMs } from '../../contract/numbers';
import { modelArtefactSchema } from '../../contract/run/artefacts';
import { isElsewhere } from '../../contract/run/engine-kinds';
import { scenarios } from '../../contract/run/run-events';
import type { PerformanceSpec } from '../../contract/run/run-spec';
import type { ServerLoad } from '../../contract/run/server-load';
import { scenarioLevels } from '../../contract/run/sweep';
import { present } from '../../contract/trees';
import { coldLines } from '../../domain/measured/cold/cold-start';
import { largestOf, smallestOf } from '../../domain/statistics';
import {
  coldRequests,
  type ColdSample,
  firstOf,
  firstOfRunning,
  measureFirstRequests,
  mostColdSizes,
  spreadSizes,
  unloadAll,
} from '../../engine/cold-start';
import type { ServerHandle } from '../../engine/engine';
import { askOnce, loadTimeoutMs, whileServing, withDriverRemedy, zeroCanary } from '../../engine/serving';
import { repositorySourceOf } from '../../formats/own-config';
import { warmUpSizesOf } from '../../formats/warm-up';
import { runTensors } from '../../perf/input/input-readers';
import { hashValue, makeFolder } from '../../platform/files';
import { createTritonClient, type TritonClient } from '../../triton/client';
import type { ModelConfig } from '../../triton/model-config';
import { traitsOf } from '../../triton/model-traits';
import type { Tensor } from '../../triton/tensor';
import { readTls } from '../../triton/tls';
import { canaryOf, loadModels, servedTensors } from '../repository-run';
import { sampleCanary, whileLoading } from '../serve-model';
import type { StepContext } from '../step';

/** Batch sizes of the levels, a few of many. */
export const coldSizes = (performance: PerformanceSpec): readonly number[] =>
  spreadSizes(
    scenarios.flatMap((scenario) => scenarioLevels(performance, scenario).map(({ batchSize }) => batchSize)),
  );

type Stored = InputData['tensors'][number];

/** Of that sample. */
export const shapeAt = ({ shape, shapes }: Stored, at: number): readonly number[] => shapes?.[at] ?? shape;

/** The first sample of each combination of shapes, by its number. */
export function distinctShapes({ tensors }: InputData): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  const varying = tensors.filter(({ shapes }) => shapes !== undefined);
  const count = largestOf([1, ...varying.map(({ files }) => files.length)]);
  for (let at = 0; at < count && found.size < mostColdSizes; at += 1) {
    const text = varying.map((tensor) => `${tensor.name} [${shapeAt(tensor, at).join(', ')}]`).join(', ');
    if (!found.has(text)) found.set(text, at);
  }
  return found;
}

/** A larger file is read once only, for the load. */
const mostFileBytes = 16 * 2 ** 20;

/** A sample of the user's file in each shape. Throws as reading it. */
async function fileSamples(
  context: StepContext,
  path: string,
  config: ModelConfig,
): Promise<readonly ColdSample[]> {
  const file = await stat(path);
  if (!file.isFile() || file.size > mostFileBytes) return [];
  const isAsIs = repositorySourceOf(context.spec.model) !== null;
  const wanted = isAsIs
    ? await servedTensors(context)
    : runTensors(await context.output('convert', modelArtefactSchema));
  const dir = join(context.dir, 'first-requests');
  await makeFolder(dir);
  try {
    const { data } = await context.run.services.readers.inputStore({ path, wanted, shapes: {}, dir });
    const shapes = distinctShapes(data);
    // Without batching an own repository has no first axis.
    const lead = isAsIs && config.maxBatchSize === 0 ? [] : [1];
    const rowAt = (at: number): Promise<Tensor[]> =>
      Promise.all(
        data.tensors.map(async (tensor) => ({
          name: tensor.name,
          datatype: tensor.datatype,
          shape: [...lead, ...shapeAt(tensor, at)],
          data: await readFile(join(dir, tensor.files[at % tensor.files.length] ?? '')),
        })),
      );
    const samples: ColdSample[] = [];
    for (const [shape, at] of shapes) {
      samples.push({ row: await rowAt(at), ...(shapes.size === 1 ? {} : { shape }) });
    }
    return samples;
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/** Zeros in the shape of the samples, or what the user's file has. */
async function samplesOf(context: StepContext, config: ModelConfig): Promise<readonly ColdSample[]> {
  const { spec } = context;
  const { inputData, inputDataFile } = spec.performance;
  if (inputData === 'file' && inputDataFile !== undefined) {
    // The step that reads the file for the load says what is wrong with it.
    const own = await fileSamples(context, inputDataFile, config).catch(() => []);
    if (own.length > 0) return own;
  }
  const isAsIs = repositorySourceOf(spec.model) !== null;
  const row = isAsIs ? canaryOf(config, spec.model.shapes ?? {}) : (sampleCanary(spec) ?? zeroCanary(config));
  return [{ row }];
}

interface Served {
  readonly client: TritonClient;
  readonly grpc: NonNullable<Parameters<typeof askOnce>[0]['grpc']>;
  readonly modelName: string;
  readonly modelVersion: string;
}

async function servedAt({ spec }: StepContext, server: ServerHandle): Promise<Served> {
  const { httpAddress, grpcAddress, forClients } = server;
  return {
    client: createTritonClient(httpAddress, { tls: await readTls(forClients.httpTls) }),
    grpc: { address: grpcAddress, tls: await readTls(forClients.grpcTls) },
    modelName: spec.configure.modelName,
    modelVersion: String(spec.configure.modelVersion),
  };
}

type Recorded = Omit<ColdStart, 'key'>;

async function ofRunning(context: StepContext, served: Served): Promise<Recorded | null> {
  const { client, modelName, modelVersion } = served;
  const { signal } = context;
  const config = await client.modelConfig(modelName, modelVersion, { signal });
  const [request] = coldRequests(await samplesOf(context, config), [1], config);
  if (request === undefined) return null;
  return firstOfRunning({ client, modelName, modelVersion, config, signal }, request, (inputs) =>
    askOnce({ ...served, config, signal }, inputs),
  );
}

/** A load as the run's own, which reports its failures as that would. */
function loadOf(context: StepContext, { client, modelName }: Served, signal: AbortSignal) {
  const source = repositorySourceOf(context.spec.model);
  return async (): Promise<void> => {
    if (source !== null) return loadModels(context.spec, client, source, signal);
    await client.loadModel(modelName, { timeoutMs: loadTimeoutMs, signal }).catch((error: unknown) => {
      throw withDriverRemedy(error);
    });
  };
}

/** Longer loads are done once only. */
const longestLoadUs = 120e6;

export interface ColdHow {
  /** null: the server was there before. */
  readonly startUs: number | null;
  /** Of the step, which loads the model again. */
  readonly deadlineS: number;
}

async function ofOwn(
  context: StepContext,
  server: ServerHandle,
  { startUs, deadlineS }: ColdHow,
  onLoadFailed: (error: Error) => void,
): Promise<Recorded & { readonly isLoaded: boolean }> {
  const served = await servedAt(context, server);
  const { client, modelName, modelVersion } = served;
  const { spec } = context;
  return whileServing(server, context.signal, 'while its cold start was measured', async (signal) => {
    // Left there by an attempt that was killed.
    const wasThere = await unloadAll(client, signal);
    const load = loadOf(context, served, signal);
    let isFirst = true;
    const held: { config: ModelConfig | null } = { config: null };
    const times = await measureFirstRequests({
      load: async () => {
        const wasFirst = isFirst;
        isFirst = false;
        if (!wasFirst) return load();
        await whileServing(server, signal, whileLoading, load).catch((error: unknown) => {
          const failed = error instanceof Error ? error : new Error(String(error));
          onLoadFailed(failed);
          throw failed;
        });
      },
      unload: async () => {
        await unloadAll(client, signal);
      },
      requests: async () => {
        const config = await client.modelConfig(modelName, modelVersion, { signal });
        held.config = config;
        const samples = await samplesOf(context, config);
        const requests = coldRequests(samples, coldSizes(spec.performance), config);
        // The end of its process takes more than a second.
        return { requests, isShared: config.backend === 'python' };
      },
      send: async (inputs) => {
        const config = held.config ?? (await client.modelConfig(modelName, modelVersion, { signal }));
        await askOnce({ ...served, config, signal }, inputs);
      },
      longestLoadUs: Math.min(longestLoadUs, (deadlineS * 1e6) / 4),
    });
    const { loads, loadUs, requests, reason, isLoaded } = times;
    const begun = wasThere ? null : startUs;
    return {
      ...{ loads, loadUs, startUs: begun, isLoaded },
      readyUs: begun === null || loadUs === null ? null : begun + loadUs,
      requests: requests.map(firstOf),
      warmUp: held.config === null ? [] : warmUpSizesOf(held.config),
      ...present({ reason }),
    };
  });
}

/**
 * Journals the cold start, once per model, configuration and batch sizes. Never fails a run for another reason than its own
 * load. @returns whether the model is loaded and was not asked; null: the server cannot be used further
 */
export async function recordColdStart(
  context: StepContext,
  server: ServerHandle,
  how: ColdHow,
): Promise<boolean | null> {
  const { run, spec, signal } = context;
  const values = spec.performance.inputData === 'file' ? run.keys['profile-data'] : null;
  const key = hashValue([run.keys.deploy, coldSizes(spec.performance), values]).slice(0, 32);
  if (run.state().coldStart?.key === key) return false;
  context.progress(null, 'measuring the cold start');
  const keep = async (cold: Recorded): Promise<void> => {
    const kept = { key, ...cold };
    await run.append({ type: 'cold-start', coldStart: kept });
    const firsts = kept.requests.map(
      ({ batchSize, shape, firstUs, error }) =>
        `First request at batch size ${batchSize}${shape === undefined ? '' : `, ${shape}`}: ${error ?? `${formatMs(firstUs)} ms`}`,
    );
    context.log([...firsts, ...coldLines(kept, [])]);
  };
  if (isElsewhere(spec.engine)) {
    // What is wrong with the server is said by the check that follows.
    const found = await ofRunning(context, await servedAt(context, server)).catch(() => null);
    if (found !== null) await keep(found);
    return false;
  }
  const failed: { load: Error | null } = { load: null };
  try {
    const { isLoaded, ...cold } = await ofOwn(context, server, how, (error) => {
      failed.load = error;
    });
    await keep(cold);
    return isLoaded;
  } catch (error) {
    // What the server's end adds to it says less.
    if (failed.load !== null) throw failed.load;
    if (signal.aborted) throw error;
    const { message } = toWire(error);
    const none = { startUs: how.startUs, loadUs: null, readyUs: null, requests: [], warmUp: [] };
    await keep({ ...none, loads: 'shared', reason: message });
    return null;
  }
}

/** Whether a request more is a part of its warm-up, and none of what it counts. */
function sendsMore({ settings }: Pick<ServerLoad, 'settings'>): boolean {
  const { warmupMs, warmupRequestCount, measurementMode, requestCount, replay, stages } = settings;
  const isByTime = measurementMode === 'time_windows' && requestCount === 0;
  const isExact = replay !== undefined || stages !== undefined;
  return warmupMs > 0 && warmupRequestCount === 0 && isByTime && !isExact;
}

/**
 * The first request to the model of a running server, where nobody has asked it yet and the load has a warm-up, of which it
 * is a part. null: it cannot be told, or several models are measured.
 */
async function firstOfServer(
  client: TritonClient,
  { models, modelVersion, levels, shapes, settings }: ServerLoad,
  signal: AbortSignal,
): Promise<ColdStart | null> {
  const [model, second] = models;
  if (model === undefined || second !== undefined || asksOpenai(settings)) return null;
  const modelName = model.name;
  const key = hashValue([modelName, modelVersion]).slice(0, 32);
  try {
    const config = await client.modelConfig(modelName, modelVersion, { signal });
    const none = { loads: 'running', startUs: null, loadUs: null, readyUs: null } as const;
    const missing = { key, ...none, requests: [], warmUp: warmUpSizesOf(config) };
    if (!sendsMore({ settings })) {
      return { ...missing, reason: 'the load has no warm-up time, so each of its requests counts' };
    }
    if (traitsOf(config).decoupled) return { ...missing, reason: 'the model is decoupled' };
    const batched = config.maxBatchSize > 0;
    const asked = Object.entries(shapes).map(([name, shape]) => [name, batched ? [1, ...shape] : shape]);
    const row = canaryOf(config, Object.fromEntries(asked) as Record<string, readonly number[]>);
    const smallest = smallestOf(levels.map(({ batchSize }) => batchSize));
    const [request] = coldRequests([{ row }], [smallest], config);
    if (request === undefined) return null;
    const send = (inputs: readonly Tensor[]) =>
      askOnce({ client, modelName, modelVersion, config, signal }, inputs);
    return {
      key,
      ...(await firstOfRunning({ client, modelName, modelVersion, config, signal }, request, send)),
    };
  } catch {
    // A server without statistics, or with restricted ones, says nothing of what came before.
    return null;
  }
}

export type OnColdStart = (coldStart: ColdStart) => void | Promise<void>;

/** Before the load of a running server. */
export async function tellFirst(
  client: TritonClient,
  load: ServerLoad,
  tell: OnColdStart | undefined,
  signal: AbortSignal,
): Promise<void> {
  const cold = tell === undefined ? null : await firstOfServer(client, load, signal);
  if (cold !== null) await tell?.(cold);
}

import { createHash } from 'node:crypto';
import { constants, copyFile, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { WorkbenchError } from '../contract/errors';
import type { RunSpec } from '../contract/run/run-spec';
import { unifiedDiff } from '../domain/unified-diff';
import type { ServerHandle } from '../engine/engine';
import { loadAndCheckModel, loadTimeoutMs, withDriverRemedy, zeroCanary } from '../engine/serving';
import { ownConfigText, type RepositorySource } from '../formats/own-config';
import { listModelFiles } from '../own/model-files';
import { listModelFolder } from '../own/repository/model-folder';
import { inFolder } from '../perf/input/append-input';
import { varyingShapes, type WantedTensors, wantedTensors } from '../perf/input/wanted-tensor';
import { hashFile, hashValue, makeFolder } from '../platform/files';
import { fileError } from '../platform/plain-entry';
import { createTritonClient, type ModelMetadata, type TritonClient } from '../triton/client';
import { formatConfigPbtxt, parseConfigPbtxt } from '../triton/config/config-pbtxt';
import { type ModelConfig, optionalInputs } from '../triton/model-config';
import { readTls } from '../triton/tls';
import { readServerModels } from './measure/server-models';
import type { StepContext, StepInputs, StepOutcome } from './step';

const isByteCode = (path: string): boolean => path.split('/').includes('__pycache__');

async function folderHash(folder: string): Promise<string> {
  const files = await listModelFiles(folder);
  const { versions } = await listModelFolder(folder);
  const hashes = await Promise.all(
    files
      .filter(({ path }) => !isByteCode(path))
      .map(async ({ path }) => [path, await hashFile(join(folder, path))]),
  );
  return hashValue({ hashes, versions });
}

/** What the served files depend on. Throws input-invalid where a model is gone. */
export async function repositoryInputs(
  { spec }: Pick<StepInputs, 'spec'>,
  { repository, path }: RepositorySource,
): Promise<unknown> {
  const folders: Record<string, string> = {};
  for (const { name } of repository.models) folders[name] = await folderHash(join(dirname(path), name));
  return { repository, folders, configure: spec.configure };
}

/** Links inside of the folder become what they lead to. */
async function copyModel(from: string, to: string): Promise<void> {
  try {
    const { versions } = await listModelFolder(from);
    // That of an ensemble is empty.
    for (const version of versions) await makeFolder(join(to, String(version)));
    for (const { path } of await listModelFiles(from)) {
      if (isByteCode(path)) continue;
      await makeFolder(dirname(join(to, path)));
      await copyFile(join(from, path), join(to, path), constants.COPYFILE_FICLONE);
    }
  } catch (error) {
    throw fileError(error, to);
  }
}

/** The files byte for byte; of config.pbtxt the fields of the form that differ. Throws config-invalid, input-invalid. */
export async function copyRepository(context: StepContext, source: RepositorySource): Promise<StepOutcome> {
  const { run, spec } = context;
  const { repository } = run.folder;
  const { models, config } = source.repository;
  const { text, diff } = ownConfigText({ configure: spec.configure, source });
  await rm(repository, { recursive: true, force: true });
  for (const { name } of models) {
    context.progress(null, `copying ${name}`);
    await copyModel(join(dirname(source.path), name), join(repository, name));
  }
  const file = join(repository, basename(source.path), 'config.pbtxt');
  const found = await hashFile(file).catch(() => null);
  const hashOf = (content: string) => createHash('sha256').update(content).digest('hex');
  if (found !== (config === null ? null : hashOf(config))) {
    throw new WorkbenchError('input-invalid', 'config.pbtxt has changed since the repository was opened', {
      where: join(source.path, 'config.pbtxt'),
      remedy: 'Start a new run with the current file.',
    });
  }
  if (diff !== '') await writeFile(file, text ?? '');
  context.fact('Models', models.map(({ name, backend }) => `${name} (${backend})`).join(', '));
  context.fact('config.pbtxt', configText(config, diff));
  context.log(diff === '' ? (text ?? '').split('\n') : diff.split('\n'));
  return { output: { configSha256: hashOf(text ?? '') } };
}

function configText(config: string | null, diff: string): string {
  if (diff === '') return config === null ? 'none: completed by Triton' : 'as it is, byte for byte';
  const lines = diff.split('\n');
  const added = lines.filter((line) => line.startsWith('+') && !line.startsWith('+++')).length;
  const removed = lines.filter((line) => line.startsWith('-') && !line.startsWith('---')).length;
  return `as it is, except ${added} added and ${removed} removed ${added + removed === 1 ? 'line' : 'lines'}`;
}

const clientOf = async ({ httpAddress, forClients }: ServerHandle): Promise<TritonClient> =>
  createTritonClient(httpAddress, { tls: await readTls(forClients.httpTls) });

/** Zeros in the shapes of the samples, where the form has them; else 1 for axes that vary. */
export function canaryOf(config: ModelConfig, shapes: Readonly<Record<string, readonly number[]>>) {
  const batched = config.maxBatchSize > 0;
  const input = config.input.map((tensor) => {
    const sample = shapes[tensor.name]?.slice(batched ? 1 : 0);
    return sample?.length === tensor.dims.length && !sample.includes(0)
      ? { ...tensor, dims: tensor.dims.map((size, axis) => (size === -1 ? (sample[axis] ?? 1) : size)) }
      : tensor;
  });
  return zeroCanary({ ...config, input });
}

/** Keeps what Triton has in force, and says what it completed. */
async function keepServed(
  context: StepContext,
  client: TritonClient,
  { repository, title }: RepositorySource,
) {
  const folder = join(context.run.folder.step('deploy'), 'served');
  for (const { name } of repository.models) {
    const text = formatConfigPbtxt(await client.modelConfig(name));
    await makeFolder(join(folder, name));
    await writeFile(join(folder, name, 'config.pbtxt'), text);
    if (name !== title) continue;
    const written = formatConfigPbtxt({ ...parseConfigPbtxt(repository.config ?? ''), name });
    const before = parseConfigPbtxt(written);
    const isCompleted = before.input.length === 0 || before.output.length === 0;
    if (!isCompleted) continue;
    context.fact('Configuration', 'completed by Triton');
    context.log(unifiedDiff(`${name}/config.pbtxt`, written, text).split('\n'));
  }
}

/** Which of the models beside were called by the canary request. */
async function sayCalled(context: StepContext, client: TritonClient, beside: readonly string[]) {
  const called: string[] = [];
  for (const name of beside) {
    const statistics = await client.modelStatistics(name, '', { signal: context.signal });
    if (statistics.some((one) => one.inferenceCount > 0)) called.push(name);
  }
  if (called.length > 0) context.fact('Called by the canary request', called.join(', '));
  const idle = beside.filter((name) => !called.includes(name));
  if (idle.length > 0) {
    context.warning(`The canary request did not call ${idle.join(', ')}, which --with loaded.`);
  }
}

/** Loads those beside the model, then the model. Throws model-load-failed. */
export async function loadModels(
  { configure: { modelName } }: Pick<RunSpec, 'configure'>,
  client: TritonClient,
  { repository }: RepositorySource,
  signal: AbortSignal,
): Promise<void> {
  for (const name of [...repository.with, modelName]) {
    await client.loadModel(name, { timeoutMs: loadTimeoutMs, signal }).catch((error: unknown) => {
      throw withDriverRemedy(error);
    });
  }
}

/**
 * Loads the model with all beside it, unless that was done, and asks it once. Throws as `loadAndCheckModel`.
 */
export async function loadRepository(
  context: StepContext,
  server: ServerHandle,
  source: RepositorySource,
  { isLoaded, signal }: { readonly isLoaded: boolean; readonly signal: AbortSignal },
): Promise<void> {
  const { configure, model } = context.spec;
  const { modelName } = configure;
  const modelVersion = String(configure.modelVersion);
  const { with: beside } = source.repository;
  const client = await clientOf(server);
  if (!isLoaded) {
    context.log([...beside, modelName].map((name) => `Loading ${name}`));
    await loadModels(context.spec, client, source, signal);
  }
  const config = await client.modelConfig(modelName, modelVersion, { signal });
  await loadAndCheckModel({
    ...{ client, modelName, modelVersion, config, signal, load: false, anyValues: true, anyAnswers: true },
    grpc: { address: server.grpcAddress, tls: await readTls(server.forClients.grpcTls) },
    canary: canaryOf(config, model.shapes ?? {}),
  });
  await keepServed(context, client, source);
  await sayCalled(context, client, beside);
}

interface ServedModel {
  readonly client: TritonClient;
  readonly config: ModelConfig;
  readonly metadata: ModelMetadata;
}

/** As the run's Triton has it. Throws server-gone. */
async function servedModel({ run, spec }: StepContext): Promise<ServedModel> {
  const { server } = run;
  if (server === null) throw new WorkbenchError('server-gone', 'No Triton is running for this run');
  const { modelName, modelVersion } = spec.configure;
  const client = await clientOf(server);
  const metadata = await client.modelMetadata(modelName, String(modelVersion));
  return { client, metadata, config: await client.modelConfig(modelName, String(modelVersion)) };
}

export const isServedBatched = async (context: StepContext): Promise<boolean> =>
  (await servedModel(context)).config.maxBatchSize > 0;

/** Tensors of a request, for files with values. */
export async function servedTensors(context: StepContext): Promise<WantedTensors> {
  const { config, metadata } = await servedModel(context);
  const batched = config.maxBatchSize > 0;
  return {
    inputs: wantedTensors(metadata.inputs, { batched, optional: optionalInputs(config) }),
    outputs: wantedTensors(metadata.outputs, { batched }),
  };
}

/** Values of the load, by the served configuration, as other steps leave them. Throws input-invalid. */
export async function writeRepositoryInput(context: StepContext): Promise<StepOutcome> {
  const { run, spec } = context;
  const { client, config, metadata } = await servedModel(context);
  const { modelName, modelVersion } = spec.configure;
  const { inputData: mode, inputDataFile = '' } = spec.performance;
  const batched = config.maxBatchSize > 0;
  const shapes = varyingShapes(metadata.inputs, spec.model.shapes ?? {}, batched);
  const dir = run.folder.step('profile-data');
  const [read] = await readServerModels(
    client,
    {
      models: [{ name: modelName, weight: 1 }],
      modelVersion: String(modelVersion),
      ...{ sources: [mode === 'file' ? inputDataFile : mode], shapes },
    },
    { dir, readers: run.services.readers },
  );
  if (read === undefined) throw new WorkbenchError('internal', 'No input values were made');
  await writeFile(
    join(dir, 'input-data.json'),
    `${JSON.stringify(inFolder(read.inputData, basename(read.inputDataDir)), null, 2)}\n`,
  );
  return {};
}

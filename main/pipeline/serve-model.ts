import { createHash } from 'node:crypto';
import { readdir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { toWire, WorkbenchError } from '../contract/errors';
import { fileLimits } from '../contract/reader-limits';
import { givenWeights } from '../contract/run/artefacts';
import { askedPorts, isElsewhere } from '../contract/run/engine-kinds';
import { hasReadTensors, isFileSource, sampleTensors } from '../contract/run/own-model';
import { repositoryOf, type RunSpec } from '../contract/run/run-spec';
import type { ServerHandle } from '../engine/engine';
import { loadAndCheckModel, whileServing } from '../engine/serving';
import { tensorPrecisionOf } from '../formats/formats';
import { requireInertConfig } from '../formats/inert-config';
import { repositorySourceOf } from '../formats/own-config';
import { hashHuggingFace } from '../own/huggingface/folder-files';
import { hashFile, hashFolder } from '../platform/files';
import { readPlainText } from '../platform/plain-entry';
import { signatureOf } from '../presets/signature';
import { runFiles } from '../store/step-paths';
import type { ModelSource } from '../toolkit/verb-commands';
import { createTritonClient } from '../triton/client';
import { parseConfigPbtxt } from '../triton/config/config-pbtxt';
import { compareServedConfig } from '../triton/served-config';
import { type Tensor, zeroTensor } from '../triton/tensor';
import { readTls } from '../triton/tls';
import { loadRepository } from './repository-run';
import type { RunContext, StepContext, StepInputs } from './step';
import { editedConfig } from './step-files';

/** A run's model, and where the run's files are. */
export type ModelRun = Pick<RunContext, 'spec' | 'preset' | 'folder'>;

/** Files that steps leave for later ones. */
export const filesOf = ({ spec, preset, folder }: ModelRun) =>
  runFiles(folder, spec, preset.preset.framework ?? 'pyt');

export function modelSource(run: ModelRun): ModelSource {
  const { spec, preset } = run;
  const isFile = isFileSource(spec.model);
  const fileSignature = isFile ? signatureOf(preset.preset, spec) : undefined;
  const hasCheckpoint = !hasReadTensors(spec.model) && spec.model.checkpoint !== undefined;
  const argumentsFile = hasCheckpoint ? filesOf(run).checkpointArguments : undefined;
  return {
    modelDir: preset.dir,
    spec,
    framework: preset.preset.framework ?? 'pyt',
    fileSignature,
    argumentsFile,
  };
}

async function requireFile(path: string, field: string, what: string): Promise<void> {
  const found = await stat(path).catch(() => null);
  if (found === null) {
    const remedy = 'Put it back, or change the run to another path.';
    throw new WorkbenchError('input-invalid', `${what} ${path} does not exist`, { where: field, remedy });
  }
}

/** Hash of toolkit and model code, which are inputs. */
export async function codeHash(run: Pick<StepInputs, 'preset' | 'services'>): Promise<readonly string[]> {
  return [
    await hashFolder(join(run.services.resources, 'toolkit')),
    await hashFolder(run.preset.dir),
    await hashFolder(join(run.services.resources, 'requirements')),
  ];
}

/** Hash of the user's weights, model file or folder, or null. Throws input-invalid if missing. */
export async function weightsHash(model: RunSpec['model']): Promise<string | null> {
  const checkpoint = givenWeights(model);
  if (checkpoint === undefined) return null;
  await requireFile(checkpoint, 'model.checkpoint', 'The weights file');
  // The cache of the hub has links to its files.
  if (model.source?.kind === 'huggingface') return hashHuggingFace(checkpoint);
  return (await stat(checkpoint)).isDirectory() ? hashFolder(checkpoint) : hashFile(checkpoint);
}

/** Names, sizes and times of the user's data set, or null; reading it would take too long. Throws input-invalid. */
export async function datasetHash(dataset: string | undefined): Promise<string | null> {
  if (dataset === undefined) return null;
  await requireFile(dataset, 'model.dataset', 'The data set');
  const hash = createHash('sha256');
  // Loaders follow links; cycles add nothing.
  const walk = async (folder: string, above: readonly string[]): Promise<void> => {
    const real = await realpath(folder);
    if (above.includes(real)) return;
    const entries = await readdir(folder, { withFileTypes: true });
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = join(folder, entry.name);
      const link = entry.isSymbolicLink();
      const to = link ? await stat(path).catch(() => null) : entry;
      if (link) hash.update(`${path}\0${await realpath(path).catch(() => 'broken')}\n`);
      if (to?.isDirectory() === true) await walk(path, [...above, real]);
      else if (to?.isFile() === true) {
        const { size, mtimeMs } = await stat(path);
        hash.update(`${path}\0${size}\0${mtimeMs}\n`);
      }
    }
  };
  if ((await stat(dataset)).isDirectory()) await walk(dataset, []);
  else hash.update(await hashFile(dataset));
  return hash.digest('hex');
}

/** Zeros in the sample shapes of a model whose tensors were read; undefined for code, whose signature has the axes. */
export function sampleCanary(spec: RunSpec): readonly Tensor[] | undefined {
  const { model } = spec;
  if (!hasReadTensors(model)) return undefined;
  const precision = tensorPrecisionOf(spec);
  return sampleTensors(model).map(({ name, datatype, shape }) => {
    const served = precision === 'fp16' && datatype === 'FP32' ? 'FP16' : datatype;
    return zeroTensor(name, served, [1, ...shape]);
  });
}

interface Started {
  readonly server: ServerHandle;
  /** From its command on: files of another machine are sent before. */
  readonly startUs: number;
}

/** The server belongs to the run from here on. */
async function startServer(context: StepContext): Promise<Started> {
  const { run, spec } = context;
  const { engine } = spec;
  let began = performance.now();
  context.progress(null, 'starting Triton');
  context.log([isElsewhere(engine) ? `Using the Triton at ${engine.url}` : 'Starting Triton']);
  const server = await run.services.startServer({
    runId: run.runId,
    key: run.keys.deploy,
    repository: run.folder.repository,
    asIs: repositoryOf(spec.model) !== null,
    logPath: join(run.folder.step('deploy'), 'triton.log'),
    httpPort: askedPorts(engine).httpPort,
    grpcPort: askedPorts(engine).grpcPort,
    signal: context.signal,
    onLog: context.log,
    onCommand: (argv) => {
      began = performance.now();
      // An unwritable journal fails the step at the next line.
      context.command(argv).catch(() => undefined);
    },
  });
  run.server = server;
  return { server, startUs: Math.round((performance.now() - began) * 1000) };
}

export const whileLoading = 'while it loaded the model';

/**
 * Works on the new server before its model is loaded. @param startUs how long its start took. @returns whether it has loaded
 * the model, which nobody has asked; null: the server cannot be used further
 */
type BeforeLoad = (server: ServerHandle, startUs: number) => Promise<boolean | null>;

/** The run's server, and whether its model is loaded. */
async function startedServer(context: StepContext, beforeLoad: BeforeLoad | undefined) {
  const { server, startUs } = await startServer(context);
  const isLoaded = beforeLoad === undefined ? false : await beforeLoad(server, startUs);
  if (isLoaded !== null) return { server, isLoaded };
  await stopServer(context.run);
  return { server: (await startServer(context)).server, isLoaded: false };
}

/** Starts Triton and verifies that the model responds. The server belongs to the run even if the model fails. */
export async function serveModel(context: StepContext, beforeLoad?: BeforeLoad): Promise<ServerHandle> {
  const { run, spec } = context;
  const { engine } = spec;
  const { modelName, modelVersion } = spec.configure;
  const path = join(run.folder.repository, modelName, 'config.pbtxt');
  // Triton reads the file, so manual edits count, and errors name its line.
  const readConfig = async () => parseConfigPbtxt(await readPlainText(path, fileLimits.configPbtxt.bytes));
  if ((await editedConfig(run)) !== null) requireInertConfig(await readConfig());
  const repository = repositorySourceOf(spec.model);
  if (repository !== null) {
    const { server, isLoaded } = await startedServer(context, beforeLoad);
    context.progress(null, 'loading the model');
    await whileServing(server, context.signal, whileLoading, (signal) =>
      loadRepository(context, server, repository, { isLoaded, signal }),
    );
    return server;
  }
  const config = await readConfig();
  const { server, isLoaded } = await startedServer(context, beforeLoad);
  context.progress(null, 'loading the model');
  context.log([`Loading ${modelName}, version ${modelVersion}`]);
  const client = createTritonClient(server.httpAddress, { tls: await readTls(server.forClients.httpTls) });
  const grpc = { address: server.grpcAddress, tls: await readTls(server.forClients.grpcTls) };
  await whileServing(server, context.signal, whileLoading, (signal) =>
    loadAndCheckModel({
      client,
      grpc,
      modelName,
      modelVersion: String(modelVersion),
      config,
      // Zeros of a valid length; the accuracy check compares values.
      canary: sampleCanary(spec),
      anyValues: hasReadTensors(spec.model),
      load: !isElsewhere(engine) && !isLoaded,
      signal,
    }),
  );
  const differences = compareServedConfig(config, await client.modelConfig(modelName, String(modelVersion)));
  for (const { field, served } of differences.filter(({ added }) => added)) {
    context.warning(`Triton added ${field} to the configuration: ${served}`);
  }
  const changed = differences.filter(({ added }) => added === undefined);
  if (changed.length > 0) {
    throw new WorkbenchError('model-mismatch', `Triton serves ${modelName} with a different configuration`, {
      details: changed.map((difference) => JSON.stringify(difference)).join('\n'),
    });
  }
  return server;
}

/** Stops the run's Triton; `leave`: see `Step.undo`. */
export async function stopServer(run: Pick<RunContext, 'server'>, leave = false): Promise<void> {
  const { server } = run;
  run.server = null;
  await (leave && server?.leave !== undefined ? server.leave() : server?.stop());
}

/** Restarts Triton with the model; tries twice. */
export async function serveAnew(context: StepContext): Promise<void> {
  const { run, signal } = context;
  for (let isLast = false; ; isLast = true) {
    await stopServer(run);
    try {
      await serveModel(context);
      return;
    } catch (error) {
      await stopServer(run);
      if (isLast || signal.aborted || toWire(error).code !== 'server-start-failed') throw error;
    }
  }
}

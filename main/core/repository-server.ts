import { randomBytes } from 'node:crypto';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { WorkbenchError } from '../contract/errors';
import type { CheckedModel } from '../contract/repository-check';
import { present } from '../contract/trees';
import { localBackends } from '../domain/run/served-by';
import type { ServerHandle } from '../engine/engine';
import { createLocalTriton } from '../engine/local/local-triton';
import { repositoryAt } from '../own/repository/check-repository';
import { executesFiles, loadableModels } from '../own/repository/served-models';
import { makeTemporaryFolder } from '../platform/files';
import { createTritonClient } from '../triton/client';
import { formatConfigPbtxt } from '../triton/config/config-pbtxt';
import type { ModelConfig } from '../triton/model-config';
import type { CoreParts } from './core-parts';

export interface ServeRepository {
  /** A repository, or the folder of one of its models. */
  readonly path: string;
  /** Loaded with the models that they are made of. */
  readonly models: readonly string[];
  /** The current code of these models is trusted. */
  readonly trust: boolean;
  readonly signal: AbortSignal;
  readonly onLog: (line: string) => void;
}

export interface ServedModelConfig {
  readonly name: string;
  /** "ONNX Runtime in Triton’s Python backend". */
  readonly servedBy: string;
  /** config.pbtxt as Triton has it, with what it completed. */
  readonly config: string;
  /** Triton took tensors or batching from the file. */
  readonly isCompleted: boolean;
}

export interface ServedRepository {
  readonly httpAddress: string;
  readonly grpcAddress: string;
  readonly metricsAddress: string | null;
  readonly models: readonly ServedModelConfig[];
  readonly stop: () => Promise<void>;
}

/** Throws combination-unsupported for a backend that is not here. */
function requireBackends(models: readonly CheckedModel[], repository: string): void {
  for (const { name, backend } of models) {
    if (localBackends[backend] !== undefined) continue;
    throw new WorkbenchError(
      'combination-unsupported',
      `The local Triton has no backend "${backend}", which ${name} needs`,
      {
        where: join(repository, name),
        remedy:
          'Start a Triton that has it, for example NVIDIA’s image with this repository, and measure it there: perf -m MODEL -u HOST:PORT.',
      },
    );
  }
}

/** Throws combination-unsupported for a configuration that the local Triton would not follow. */
function requireAsWritten(models: readonly CheckedModel[], repository: string): void {
  const [need] = models.flatMap(({ needs = [] }) => needs);
  if (need === undefined) return;
  const lacks = need.gpus ? 'has no GPU' : 'does not have it';
  throw new WorkbenchError('combination-unsupported', `${need.message}, and the local Triton ${lacks}`, {
    where: join(repository, need.where),
    remedy:
      'Start a Triton that has it, for example NVIDIA’s image with this repository, and measure it there: perf -m MODEL -u HOST:PORT.',
    ...(need.triton === null ? {} : { details: `Message of Triton: ${need.triton}` }),
  });
}

async function requireTrusted(
  { own: { trust }, reading: { readers } }: Pick<CoreParts, 'own' | 'reading'>,
  models: readonly CheckedModel[],
  repository: string,
  isGiven: boolean,
): Promise<void> {
  for (const { name } of models) {
    const location = { kind: 'folder', path: join(repository, name) } as const;
    if (!(await executesFiles(location.path, readers))) continue;
    if (isGiven) await trust.trust(location);
    if (await trust.isTrusted(location)) continue;
    throw new WorkbenchError('not-trusted', `Serving ${name} executes the code of ${location.path}`, {
      where: location.path,
      remedy: 'Review it, then add --trust. After any change, trust it again.',
    });
  }
}

const isComplete = ({ input, output }: Pick<ModelConfig, 'input' | 'output'>): boolean =>
  input.length > 0 && output.length > 0;

/** What Triton writes of a model whose configuration or folder it refuses; the load call says only that it did. */
async function polledReason(logPath: string, name: string): Promise<string | null> {
  const text = await readFile(logPath, 'utf8').catch(() => '');
  const begin = `Poll failed for model directory '${name}': `;
  const line = text.split('\n').findLast((one) => one.includes(begin));
  return line === undefined ? null : line.slice(line.indexOf(begin) + begin.length).replace(/"\s*$/, '');
}

async function withReason(error: unknown, logPath: string, name: string): Promise<unknown> {
  if (!(error instanceof WorkbenchError) || error.code !== 'model-load-failed') return error;
  const reason = await polledReason(logPath, name);
  if (reason === null) return error;
  const { message, where, remedy } = error;
  return new WorkbenchError(error.code, message, { ...present({ where, remedy }), details: reason });
}

async function loaded(
  server: ServerHandle,
  logPath: string,
  { models: names, onLog, signal }: ServeRepository,
  models: readonly CheckedModel[],
): Promise<readonly ServedModelConfig[]> {
  const client = createTritonClient(server.httpAddress);
  for (const name of names) {
    onLog(`Loading ${name}`);
    await client.loadModel(name, { signal }).catch(async (error: unknown) => {
      throw await withReason(error, logPath, name);
    });
  }
  const served: ServedModelConfig[] = [];
  for (const { name, backend, tensors } of models) {
    const config = await client.modelConfig(name, '', { signal });
    const isOwn = tensors.every(({ result }) => result !== 'completed') && tensors.length > 0;
    served.push({
      ...{ name, servedBy: localBackends[backend] ?? backend, config: formatConfigPbtxt(config) },
      isCompleted: !isOwn && isComplete(config),
    });
  }
  return served;
}

/** Folders of byte code, which Triton's Python stub writes beside the code, whatever its environment says. */
async function byteCode(repository: string, models: readonly CheckedModel[]): Promise<readonly string[]> {
  const found: string[] = [];
  for (const { name } of models.filter(({ backend }) => backend === 'python')) {
    const entries = await readdir(join(repository, name), { recursive: true, withFileTypes: true });
    for (const entry of entries) {
      if (entry.isDirectory() && entry.name === '__pycache__') found.push(join(entry.parentPath, entry.name));
    }
  }
  return found;
}

/**
 * Starts the local Triton on a repository as it is and loads models of it; their files are neither copied nor changed.
 * Throws input-invalid, model-folder-invalid, combination-unsupported and not-trusted before anything is started, then
 * toolchain-missing, server-start-failed, model-load-failed, cancelled.
 */
export async function serveRepository(parts: CoreParts, given: ServeRepository): Promise<ServedRepository> {
  const { reading, options } = parts;
  const repository = await repositoryAt(given.path);
  const models = await loadableModels(repository, given.models, reading.readers);
  requireBackends(models, repository);
  requireAsWritten(models, repository);
  await requireTrusted(parts, models, repository, given.trust);
  const dir = await makeTemporaryFolder('triton-workbench-repository-', 'server-start-failed');
  const runId = `repository-${randomBytes(6).toString('hex')}`;
  const triton = createLocalTriton({
    ...{ layout: parts.layout, resources: options.resources, env: options.env },
    modelPython: models.some(({ backend }) => backend === 'tensorflow') ? parts.tensorflowPython : undefined,
  });
  const logPath = join(dir, 'triton.log');
  const before = new Set(await byteCode(repository, models));
  const end = async (server: ServerHandle | null) => {
    await server?.stop();
    for (const folder of await byteCode(repository, models)) {
      if (!before.has(folder)) await rm(folder, { recursive: true, force: true });
    }
    await rm(dir, { recursive: true, force: true });
  };
  let server: ServerHandle | null = null;
  try {
    given.onLog(`Starting Triton on ${repository}`);
    server = await triton.startServer({
      ...{ runId, key: runId, repository, asIs: true, signal: given.signal },
      logPath,
      onLog: () => undefined,
      onCommand: () => undefined,
    });
    const { httpAddress, grpcAddress, metricsAddress } = server;
    const running = server;
    return {
      ...{ httpAddress, grpcAddress, metricsAddress },
      models: await loaded(server, logPath, given, models),
      stop: () => end(running),
    };
  } catch (error) {
    await end(server);
    throw error;
  }
}

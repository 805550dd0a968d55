import { randomBytes } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { invalidInput, WorkbenchError } from '../contract/errors';
import type { CheckedModel } from '../contract/repository-check';
import type { ServerHandle } from '../engine/engine';
import { createLocalTriton } from '../engine/local/local-triton';
import { checkRepositories } from '../own/repository/check-repository';
import { makeTemporaryFolder } from '../platform/files';
import { nearestName } from '../platform/nearest-name';
import { createTritonClient } from '../triton/client';
import { formatConfigPbtxt } from '../triton/config-pbtxt';
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

/** What executes the models of a backend here; absent: the local Triton lacks it. */
const servedBy: Readonly<Record<string, string>> = {
  python: 'Triton’s Python backend',
  ensemble: 'Triton’s ensemble scheduler',
  onnxruntime: 'ONNX Runtime in Triton’s Python backend',
  pytorch: 'PyTorch in Triton’s Python backend',
  tensorflow: 'TensorFlow in Triton’s Python backend',
};

/** Executed by their runtime with the user's permissions, once trusted. */
const isCode = (backend: string): boolean => ['python', 'pytorch', 'tensorflow'].includes(backend);

/** The named models and those that they are made of. Throws input-invalid for a name that the repository lacks. */
function withSteps(names: readonly string[], all: readonly CheckedModel[], path: string): CheckedModel[] {
  const known = new Map(all.map((model) => [model.name, model]));
  const found = new Set<CheckedModel>();
  const add = (name: string): void => {
    const model = known.get(name);
    if (model === undefined || found.has(model)) return;
    found.add(model);
    model.steps.forEach(add);
  };
  for (const name of names) {
    if (!known.has(name)) {
      const near = nearestName(name, [...known.keys()]);
      const listed = [...known.keys()].slice(0, 30).join(', ');
      throw invalidInput(
        path,
        `The repository has no model "${name}"`,
        near === null ? `Its models are: ${listed}.` : `Give ${near}.`,
      );
    }
    add(name);
  }
  return [...found];
}

/** Throws model-folder-invalid with what Triton would refuse, combination-unsupported for a backend that is not here. */
function requireServed(models: readonly CheckedModel[], repository: string): void {
  for (const { name, backend, problems } of models) {
    const [problem] = problems;
    if (problem !== undefined) {
      throw new WorkbenchError('model-folder-invalid', problem.message, {
        where: join(repository, problem.where),
        remedy: `${problem.remedy} "triton-workbench check ${join(repository, name)}" shows the change that helps.`,
        ...(problem.triton === null ? {} : { details: `Triton would say: ${problem.triton}` }),
      });
    }
    if (servedBy[backend] !== undefined) continue;
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

async function requireTrusted(
  { own: { trust } }: Pick<CoreParts, 'own'>,
  models: readonly CheckedModel[],
  repository: string,
  isGiven: boolean,
): Promise<void> {
  for (const { name } of models.filter(({ backend }) => isCode(backend))) {
    const location = { kind: 'folder', path: join(repository, name) } as const;
    if (isGiven) await trust.trust(location);
    if (await trust.isTrusted(location)) continue;
    throw new WorkbenchError('not-trusted', `Serving ${name} executes the code of ${location.path}`, {
      where: location.path,
      remedy: 'Read it; then add --trust. Any change requires trust again.',
    });
  }
}

const isComplete = ({ input, output }: Pick<ModelConfig, 'input' | 'output'>): boolean =>
  input.length > 0 && output.length > 0;

async function loaded(
  server: ServerHandle,
  { models: names, onLog, signal }: ServeRepository,
  models: readonly CheckedModel[],
): Promise<readonly ServedModelConfig[]> {
  const client = createTritonClient(server.httpAddress);
  for (const name of names) {
    onLog(`Loading ${name}`);
    await client.loadModel(name, { signal });
  }
  const served: ServedModelConfig[] = [];
  for (const { name, backend, tensors } of models) {
    const config = await client.modelConfig(name, '', { signal });
    const isOwn = tensors.every(({ result }) => result !== 'completed') && tensors.length > 0;
    served.push({
      ...{ name, servedBy: servedBy[backend] ?? backend, config: formatConfigPbtxt(config) },
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
  const { repositories } = await checkRepositories([given.path], reading.readers);
  const [found] = repositories;
  if (found === undefined) throw invalidInput(given.path, 'No repository', 'Give the folder of one.');
  const { path: repository } = found;
  // Of a model's folder, the models beside it are its parts.
  const { repositories: all } = await checkRepositories([repository], reading.readers);
  const models = withSteps(given.models, all[0]?.models ?? [], repository);
  requireServed(models, repository);
  await requireTrusted(parts, models, repository, given.trust);
  const dir = await makeTemporaryFolder('triton-workbench-repository-', 'server-start-failed');
  const runId = `repository-${randomBytes(6).toString('hex')}`;
  const triton = createLocalTriton({
    ...{ layout: parts.layout, resources: options.resources, env: options.env },
    modelPython: models.some(({ backend }) => backend === 'tensorflow') ? parts.tensorflowPython : undefined,
  });
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
      logPath: join(dir, 'triton.log'),
      onLog: () => undefined,
      onCommand: () => undefined,
    });
    const { httpAddress, grpcAddress, metricsAddress } = server;
    const running = server;
    return {
      ...{ httpAddress, grpcAddress, metricsAddress },
      models: await loaded(server, given, models),
      stop: () => end(running),
    };
  } catch (error) {
    await end(server);
    throw error;
  }
}

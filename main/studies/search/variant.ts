import { readdir, readFile, rm } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { fileLimits } from '../../contract/reader-limits';
import { present } from '../../contract/trees';
import type { DeployableRun } from '../../deployments/deployable-run';
import { linked, placeModel, warmUpFilesOf } from '../../deployments/place-files';
import type { ServerHandle } from '../../engine/engine';
import { loadSentModel, type SentModel } from '../../engine/sent-model';
import { loadAndCheckModel, loadTimeoutMs, zeroCanary } from '../../engine/serving';
import { warmedByZeros } from '../../formats/warm-up';
import { writeModelRepository } from '../../pipeline/steps/configure.step';
import { exists, listFiles, writeFileAtomic } from '../../platform/files';
import { readPlainText } from '../../platform/plain-entry';
import type { TritonClient } from '../../triton/client';
import { parseConfigPbtxt } from '../../triton/config/config-pbtxt';
import type { ModelConfig } from '../../triton/model-config';
import { ensembleModels } from '../../triton/model-traits';
import { type Tensor, zeroTensor } from '../../triton/tensor';
import { readTls } from '../../triton/tls';

/** A repository that is served as it is. */
interface OwnRepository {
  /** Has the folders of all models. */
  readonly folder: string;
  /** Served with the model, under their own names. */
  readonly others: readonly string[];
  /** Of these the ones that are loaded by name. */
  readonly with: readonly string[];
  /** config.pbtxt of the model under a name, with the changed fields; null: it has none. Throws config-invalid. */
  readonly textOf: (modelName: string) => string | null;
  /** Of an ensemble: the model in it whose fields are changed, for each variant under a name of its own. */
  readonly part?: {
    readonly name: string;
    readonly nameIn: (modelName: string) => string;
    /** As `textOf`, under that name. */
    readonly textOf: (partName: string) => string | null;
  };
}

/** One configuration of a model. */
export interface Configuration {
  /** Throws config-invalid, combination-unsupported. */
  readonly configOf: (modelName: string) => ModelConfig;
  /** Absent: the workbench writes config.pbtxt. */
  readonly own?: OwnRepository;
}

/** A verified model with one configuration of it. */
export interface Variant extends Pick<DeployableRun, 'files' | 'version' | 'check'>, Configuration {
  readonly name: string;
}

/** See `StartServerInput.asIs`. */
export const servedAsIs = (variants: readonly Variant[]): true | undefined =>
  variants.some(({ own }) => own !== undefined) ? true : undefined;

/** Every name under which a variant is loaded. */
export const loadedNames = ({ own }: Variant, modelName: string): readonly string[] =>
  own?.part === undefined ? [modelName] : [modelName, own.part.nameIn(modelName)];

async function writeModel(from: string, to: string, text: string | null): Promise<void> {
  await rm(to, { recursive: true, force: true });
  await placeModel(from, to, linked);
  // A file of its own in place of the link.
  if (text !== null) await writeFileAtomic(join(to, 'config.pbtxt'), text);
}

/** The model's folder under another name, with its changed config.pbtxt, and once those that are served with it. */
async function writeOwn(
  { name }: Variant,
  { folder, others, textOf, part }: OwnRepository,
  repository: string,
  modelName: string,
): Promise<void> {
  for (const other of others) {
    if (await exists(join(repository, other))) continue;
    await placeModel(join(folder, other), join(repository, other), linked);
  }
  if (part !== undefined) {
    const partName = part.nameIn(modelName);
    await writeModel(join(folder, part.name), join(repository, partName), part.textOf(partName));
  }
  await writeModel(join(folder, name), join(repository, modelName), textOf(modelName));
}

/** Links to the model's files under the name of its configuration. Throws as {@link writeModelRepository}. */
export async function writeVariant(variant: Variant, repository: string, config: ModelConfig): Promise<void> {
  const { files, version, own } = variant;
  if (own !== undefined) {
    await writeOwn(variant, own, repository, config.name);
    return;
  }
  const names = await readdir(files);
  await writeModelRepository({
    ...{ repository, config, version, ...present({ warmUp: (await warmUpFilesOf(files)) ?? undefined }) },
    files: names.map((name) => ({ from: join(files, name), name, by: 'link' as const })),
  });
}

interface VariantInput {
  readonly client: TritonClient;
  readonly variant: Variant;
  readonly config: ModelConfig;
  readonly signal: AbortSignal;
}

const canaryOf = ({ check }: Variant): readonly Tensor[] | undefined =>
  check.canary?.map(({ name, datatype, shape }) => zeroTensor(name, datatype, shape));

type Send = (model: SentModel) => Promise<void>;

/** All but its configuration. The version folder of an ensemble is empty, and a load call has files only. */
async function ownFiles(folder: string): Promise<SentModel['files']> {
  const paths = (await listFiles(folder)).filter((path) => path !== 'config.pbtxt');
  const files = await Promise.all(
    paths.map(async (path) => ({
      path: path.split(sep).join('/'),
      content: await readFile(join(folder, path)),
    })),
  );
  const entries = await readdir(folder, { withFileTypes: true });
  const empty = entries.filter(
    ({ name }) => /^\d+$/.test(name) && !files.some(({ path }) => path.startsWith(`${name}/`)),
  );
  return [...files, ...empty.map(({ name }) => ({ path: `${name}/.keep`, content: Buffer.from('\n') }))];
}

const configText = (folder: string): Promise<string | null> =>
  readPlainText(join(folder, 'config.pbtxt'), fileLimits.configPbtxt.bytes).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  });

/** Those beside a model, each after the models that it is made of. Those that are there already are left alone. */
async function sendOthers(
  { folder, others }: OwnRepository,
  { client, signal }: VariantInput,
  send: Send,
): Promise<void> {
  const left = new Map<string, ModelConfig>();
  for (const name of others) {
    if (await client.modelReady(name, undefined, { signal })) continue;
    left.set(name, { ...parseConfigPbtxt((await configText(join(folder, name))) ?? ''), name });
  }
  for (let before = -1; before !== left.size;) {
    before = left.size;
    for (const [name, config] of left) {
      if (ensembleModels(config).some((step) => left.has(step))) continue;
      await send({ config, files: await ownFiles(join(folder, name)) });
      left.delete(name);
    }
  }
}

/** The models of a repository with their files, under the names that they have in it, and the variant under its own. */
async function sendOwn(own: OwnRepository, input: VariantInput, send: Send): Promise<void> {
  const { config, variant } = input;
  const { folder, textOf, part } = own;
  await sendOthers(own, input, send);
  const sent = async (from: string, name: string, text: string | null) =>
    send({
      config: text === null ? { ...config, name } : { ...parseConfigPbtxt(text), name },
      files: await ownFiles(join(folder, from)),
    });
  if (part !== undefined) {
    const partName = part.nameIn(config.name);
    await sent(part.name, partName, part.textOf(partName));
  }
  await sent(variant.name, config.name, textOf(config.name));
}

/** With its files, to a server that reads no folder of this machine. Throws as {@link loadSentModel}. */
async function sendVariant(input: VariantInput, server: ServerHandle): Promise<void> {
  const {
    variant: { files, version, own },
    config,
    signal,
  } = input;
  const { grpcAddress, forClients } = server;
  const target = { grpcAddress, tls: await readTls(forClients.grpcTls) };
  const send: Send = (model) => loadSentModel(target, model, { timeoutMs: loadTimeoutMs, signal });
  if (own !== undefined) {
    await sendOwn(own, input, send);
    return;
  }
  const paths = await listFiles(files);
  const sent = await Promise.all(
    paths.map(async (path) => ({
      path: [version, ...path.split(sep)].join('/'),
      content: await readFile(join(files, path)),
    })),
  );
  await send({ config: warmedByZeros(config), files: sent });
}

/** Only loads it: nothing is asked of it yet. Throws model-load-failed. @param sentTo gets its files with the call */
export async function loadOnly(input: VariantInput, sentTo: ServerHandle | null): Promise<void> {
  const { client, config, signal } = input;
  if (sentTo !== null) await sendVariant(input, sentTo);
  else await client.loadModel(config.name, { timeoutMs: loadTimeoutMs, signal });
}

/** Loads it and has it answer once. Throws as {@link loadAndCheckModel}. @param sentTo gets its files with the call */
export async function loadVariant(input: VariantInput, sentTo: ServerHandle | null = null): Promise<void> {
  const { client, variant, config, signal } = input;
  if (sentTo !== null) await sendVariant(input, sentTo);
  // Those that were sent are loaded.
  for (const name of sentTo === null ? (variant.own?.with ?? []) : []) {
    await client.loadModel(name, { timeoutMs: loadTimeoutMs, signal });
  }
  await loadAndCheckModel({
    ...{ client, config, signal, load: sentTo === null },
    ...{ modelName: config.name, modelVersion: String(variant.version) },
    ...{ canary: canaryOf(variant), anyValues: variant.check.anyValues },
  });
}

const batchOf = (canary: readonly Tensor[], batchSize: number): readonly Tensor[] =>
  canary.map(({ name, datatype, shape }) => zeroTensor(name, datatype, [batchSize, ...shape.slice(1)]));

/** The first request of a batch size is often slower by far than the others. */
const warmRequests = 2;

/** Has it answer each of the batch sizes. @param together requests at a time, so that several instances answer */
export async function warmVariant(
  { client, variant, config, signal }: VariantInput,
  sizes: readonly number[],
  together = 1,
): Promise<void> {
  const inputs = canaryOf(variant) ?? zeroCanary(config);
  const of = { modelName: config.name, modelVersion: String(variant.version) };
  for (const size of sizes) {
    const rows = config.maxBatchSize > 0 ? batchOf(inputs, size) : inputs;
    for (let turn = 0; turn < warmRequests; turn += 1) {
      const asked = Array.from({ length: together }, () =>
        // A model may refuse zeros: it is warm all the same, or its first look tells.
        client.infer({ ...of, inputs: rows }, { signal }).catch(() => undefined),
      );
      await Promise.all(asked);
    }
  }
}

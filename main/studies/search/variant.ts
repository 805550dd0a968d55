import { readdir, readFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { DeployableRun } from '../../deployments/deployable-run';
import type { ServerHandle } from '../../engine/engine';
import { loadSentModel } from '../../engine/sent-model';
import { loadAndCheckModel, loadTimeoutMs, zeroCanary } from '../../engine/serving';
import { writeModelRepository } from '../../pipeline/steps/configure.step';
import { listFiles } from '../../platform/files';
import type { TritonClient } from '../../triton/client';
import type { ModelConfig } from '../../triton/model-config';
import { type Tensor, zeroTensor } from '../../triton/tensor';
import { readTls } from '../../triton/tls';

/** A verified model with one configuration of it. */
export interface Variant extends Pick<DeployableRun, 'files' | 'version' | 'check'> {
  readonly name: string;
  /** Throws config-invalid, combination-unsupported. */
  readonly configOf: (modelName: string) => ModelConfig;
}

/** Links to the model's files under the name of its configuration. Throws as {@link writeModelRepository}. */
export async function writeVariant(
  { files, version }: Variant,
  repository: string,
  config: ModelConfig,
): Promise<void> {
  const names = await readdir(files);
  await writeModelRepository({
    ...{ repository, config, version },
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

/** With its files, to a server that reads no folder of this machine. Throws as {@link loadSentModel}. */
async function sendVariant(
  { variant: { files, version }, config, signal }: VariantInput,
  server: ServerHandle,
): Promise<void> {
  const paths = await listFiles(files);
  const sent = await Promise.all(
    paths.map(async (path) => ({
      path: [version, ...path.split(sep)].join('/'),
      content: await readFile(join(files, path)),
    })),
  );
  const { grpcAddress, forClients } = server;
  const target = { grpcAddress, tls: await readTls(forClients.grpcTls) };
  await loadSentModel(target, { config, files: sent }, { timeoutMs: loadTimeoutMs, signal });
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

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Candidate } from '../../contract/study/search';
import type { DeployableRun } from '../../deployments/deployable-run';
import { loadAndCheckModel, zeroCanary } from '../../engine/serving';
import { writeModelRepository } from '../../pipeline/steps/configure.step';
import type { TritonClient } from '../../triton/client';
import type { ModelConfig } from '../../triton/model-config';
import { type Tensor, zeroTensor } from '../../triton/tensor';

/** The verified model of a run, with the configuration of each candidate. */
export interface SearchModel extends Pick<DeployableRun, 'files' | 'version' | 'check'> {
  readonly name: string;
  /** Throws config-invalid, combination-unsupported. */
  readonly configOf: (candidate: Candidate, modelName: string) => ModelConfig;
}

/** Links to the model's files under the name of its configuration. Throws as {@link writeModelRepository}. */
export async function writeVariant(
  { files, version }: SearchModel,
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
  readonly model: SearchModel;
  readonly config: ModelConfig;
  readonly signal: AbortSignal;
}

const canaryOf = ({ check }: SearchModel): readonly Tensor[] | undefined =>
  check.canary?.map(({ name, datatype, shape }) => zeroTensor(name, datatype, shape));

/** Loads it and has it answer once. Throws as {@link loadAndCheckModel}. */
export const loadVariant = ({ client, model, config, signal }: VariantInput): Promise<void> =>
  loadAndCheckModel({
    ...{ client, config, signal, load: true, modelName: config.name, modelVersion: String(model.version) },
    ...{ canary: canaryOf(model), anyValues: model.check.anyValues },
  });

const batchOf = (canary: readonly Tensor[], batchSize: number): readonly Tensor[] =>
  canary.map(({ name, datatype, shape }) => zeroTensor(name, datatype, [batchSize, ...shape.slice(1)]));

/** The first request of a batch size is often slower by far than the others. */
const warmRequests = 2;

/** Has it answer each of the batch sizes. @param together requests at a time, so that several instances answer */
export async function warmVariant(
  { client, model, config, signal }: VariantInput,
  sizes: readonly number[],
  together = 1,
): Promise<void> {
  const inputs = canaryOf(model) ?? zeroCanary(config);
  const of = { modelName: config.name, modelVersion: String(model.version) };
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

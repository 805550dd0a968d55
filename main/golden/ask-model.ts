import { randomInt } from 'node:crypto';
import { WorkbenchError } from '../contract/errors';
import type { TritonClient } from '../triton/client';
import type { ModelConfig } from '../triton/model-config';
import { traitsOf } from '../triton/model-traits';
import type { Tensor } from '../triton/tensor';

/** A cold model may compile first. */
const askMs = 120_000;

export interface AskedModel {
  readonly client: TritonClient;
  readonly model: string;
  /** '': the server chooses. */
  readonly version: string;
  readonly config: ModelConfig;
}

/** Outputs of one request. Throws inference-failed, and combination-unsupported for a decoupled model. */
export async function askModel(
  { client, model, version, config }: AskedModel,
  inputs: readonly Tensor[],
  signal?: AbortSignal,
): Promise<readonly Tensor[]> {
  const { sequences, decoupled } = traitsOf(config);
  if (decoupled) {
    throw new WorkbenchError(
      'combination-unsupported',
      `${model} is decoupled: the number of its responses may differ from request to request`,
      { remedy: 'Kept outputs are of models with one response per request.' },
    );
  }
  // Each sample is a sequence of its own, which begins without a state.
  const sequenceId = sequences ? randomInt(1, 2 ** 31) : undefined;
  const request = { modelName: model, modelVersion: version, inputs, sequenceId };
  const { outputs } = await client.infer(request, { timeoutMs: askMs, signal });
  return outputs;
}

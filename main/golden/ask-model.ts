import { randomInt } from 'node:crypto';
import { WorkbenchError } from '../contract/errors';
import { inferOverStream } from '../perf/native/grpc/stream-connection';
import type { TritonClient } from '../triton/client';
import { bytesElements } from '../triton/decode-tensor';
import { encodeTexts } from '../triton/encode-values';
import type { ModelConfig } from '../triton/model-config';
import { traitsOf } from '../triton/model-traits';
import type { Tensor } from '../triton/tensor';
import type { TlsMaterial } from '../triton/tls';

/** A cold model may compile first. */
const askMs = 120_000;

export interface AskedModel {
  readonly client: TritonClient;
  readonly model: string;
  /** '': the server chooses. */
  readonly version: string;
  readonly config: ModelConfig;
  /** For decoupled models, which answer over a stream only; absent: they are refused. */
  readonly grpc?: { readonly address: string; readonly tls: TlsMaterial | null } | undefined;
}

const severalTexts = (model: string, count: number) =>
  new WorkbenchError(
    'combination-unsupported',
    `${model} is decoupled, and sent ${count} responses to one request that are not single texts`,
    { remedy: 'Golden files support models with one response per request, or with a text in pieces.' },
  );

/** The responses to one request as one: texts are joined. Throws combination-unsupported for several others. */
export function joinAnswers(model: string, answers: readonly (readonly Tensor[])[]): readonly Tensor[] {
  const [first = [], ...others] = answers;
  if (others.length === 0) return first;
  return first.map((tensor) => {
    const pieces = answers.map((outputs) => {
      const texts = outputs
        .filter(({ name, datatype }) => name === tensor.name && datatype === 'BYTES')
        .flatMap(bytesElements);
      if (texts.length !== 1) throw severalTexts(model, answers.length);
      return texts[0] ?? Buffer.alloc(0);
    });
    return { ...tensor, data: encodeTexts([Buffer.concat(pieces)]) };
  });
}

/** Outputs of one request. Throws inference-failed, and combination-unsupported for a decoupled model without a stream. */
export async function askModel(
  { client, model, version, config, grpc }: AskedModel,
  inputs: readonly Tensor[],
  signal?: AbortSignal,
): Promise<readonly Tensor[]> {
  const { sequences, decoupled } = traitsOf(config);
  // Each sample is a sequence of its own, which begins without a state.
  const sequenceId = sequences ? randomInt(1, 2 ** 31) : undefined;
  const request = { modelName: model, modelVersion: version, inputs, sequenceId };
  const call = { timeoutMs: askMs, signal };
  if (!decoupled) return (await client.infer(request, call)).outputs;
  if (grpc === undefined) {
    throw new WorkbenchError(
      'combination-unsupported',
      `${model} is decoupled: the number of its responses may differ from request to request`,
      { remedy: 'Golden files support models with one response per request.' },
    );
  }
  const { address: grpcAddress, tls } = grpc;
  return joinAnswers(model, await inferOverStream({ ...request, ...call, grpcAddress, tls }));
}

import { z } from 'zod';
import { WorkbenchError } from '../contract/errors';
import { listOf, parseJson } from '../platform/parse-json';
import type { Tensor } from './tensor';

/** Header of the binary tensor extension: length of the JSON that precedes the raw tensors. */
export const jsonLengthHeader = 'Inference-Header-Content-Length';

export interface EncodedInferRequest {
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

/** All inputs as raw bytes behind the JSON; all outputs asked for in the same form. @param sequenceId a whole sequence. */
export function encodeInferRequest(
  inputs: readonly Tensor[],
  id?: string,
  sequenceId?: number,
): EncodedInferRequest {
  const json = Buffer.from(
    JSON.stringify({
      ...(id === undefined ? {} : { id }),
      inputs: inputs.map((input) => ({
        name: input.name,
        datatype: input.datatype,
        shape: input.shape,
        parameters: { binary_data_size: input.data.byteLength },
      })),
      parameters: {
        binary_data_output: true,
        ...(sequenceId === undefined
          ? {}
          : { sequence_id: sequenceId, sequence_start: true, sequence_end: true }),
      },
    }),
  );
  return {
    body: Buffer.concat([json, ...inputs.map((input) => input.data)]),
    headers: { 'Content-Type': 'application/octet-stream', [jsonLengthHeader]: String(json.length) },
  };
}

const replySchema = z.object({
  model_name: z.string(),
  model_version: z.string(),
  outputs: listOf(
    z.object({
      name: z.string(),
      datatype: z.string(),
      shape: listOf(z.int().min(0)),
      parameters: z.object({ binary_data_size: z.int().min(0) }),
    }),
  ),
});

export interface InferReply {
  readonly modelName: string;
  readonly modelVersion: string;
  readonly outputs: readonly Tensor[];
}

/** Throws inference-failed when the reply is not in the binary form that was asked for. */
export function decodeInferReply(body: Buffer, jsonLength: string | null): InferReply {
  const end = jsonLength === null ? body.length : Number(jsonLength);
  try {
    const reply = replySchema.parse(parseJson(body.subarray(0, end).toString('utf8')));
    let offset = end;
    const outputs = reply.outputs.map((output) => {
      const { binary_data_size: size } = output.parameters;
      if (offset + size > body.length) throw new Error(`the bytes of ${output.name} are cut off`);
      const data = body.subarray(offset, offset + size);
      offset += size;
      return { name: output.name, datatype: output.datatype, shape: output.shape, data };
    });
    return { modelName: reply.model_name, modelVersion: reply.model_version, outputs };
  } catch (error) {
    throw new WorkbenchError('inference-failed', 'The answer to an inference request cannot be read', {
      details: error instanceof Error ? error.message : String(error),
      cause: error,
    });
  }
}

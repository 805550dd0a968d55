import type { RequestInputs } from './batch-payloads';
import { encodeBytesField, encodeBytesHead, encodeStringField, encodeVarint } from './protobuf-writer';

export interface RequestTarget {
  readonly modelName: string;
  readonly modelVersion: string;
}

/** gRPC's frame of a message: one byte compressed or not, four bytes length. */
export const grpcPrefixBytes = 5;

// Field numbers of KServe v2's grpc_service.proto: ModelInferRequest and its InferInputTensor.
const request = { modelName: 1, modelVersion: 2, inputs: 5, rawInputContents: 7 } as const;
const input = { name: 1, datatype: 2, shape: 3 } as const;

/** A whole uncompressed gRPC message with a ModelInferRequest, tensors as raw contents. */
export function encodeGrpcRequest(target: RequestTarget, inputs: RequestInputs): Buffer {
  const parts: Uint8Array[] = [encodeStringField(request.modelName, target.modelName)];
  if (target.modelVersion !== '') parts.push(encodeStringField(request.modelVersion, target.modelVersion));
  for (const tensor of inputs) {
    const fields = Buffer.concat([
      encodeStringField(input.name, tensor.name),
      encodeStringField(input.datatype, tensor.datatype),
      encodeBytesField(input.shape, Buffer.concat(tensor.shape.map(encodeVarint))),
    ]);
    parts.push(encodeBytesField(request.inputs, fields));
  }
  for (const tensor of inputs) {
    parts.push(encodeBytesHead(request.rawInputContents, tensor.data.length), tensor.data);
  }
  const bytes = parts.reduce((sum, part) => sum + part.byteLength, 0);
  const prefix = Buffer.alloc(grpcPrefixBytes);
  prefix.writeUInt32BE(bytes, 1);
  return Buffer.concat([prefix, ...parts]);
}

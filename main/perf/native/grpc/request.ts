import { encodeHeaderBlocks, type HeaderBlocks } from '../http2/hpack';
import type { RequestInputs } from '../requests/batch-payloads';
import type { SharedPlaces } from '../requests/request-source';
import type { SequencePlace } from '../requests/sequence-plan';
import type { SharedPlace } from '../requests/shared-names';
import type { LoadJob, RequestInputHead, RequestTarget } from '../seam/load-job';
import { authorityOf } from '../seam/transport';
import { encodeBytesField, encodeBytesHead, encodeStringField, encodeVarint, wireType } from './protobuf';

/** gRPC message prefix: compression flag and 4-byte length. */
export const grpcPrefixBytes = 5;

// Field numbers of ModelInferRequest and InferInputTensor in KServe v2's grpc_service.proto.
const request = {
  modelName: 1,
  modelVersion: 2,
  parameters: 4,
  inputs: 5,
  outputs: 6,
  rawInputContents: 7,
} as const;
const input = { name: 1, datatype: 2, shape: 3, parameters: 4 } as const;
const requestedOutput = { name: 1, parameters: 2 } as const;
const parameter = { bool: 1, int64: 2, string: 3 } as const;
const mapEntry = { key: 1, value: 2 } as const;

function encodeParameter(field: number, key: string, value: Buffer): Buffer {
  return encodeBytesField(
    field,
    Buffer.concat([encodeStringField(mapEntry.key, key), encodeBytesField(mapEntry.value, value)]),
  );
}

const int64 = (value: number): Buffer =>
  Buffer.concat([encodeVarint(parameter.int64 * 8 + wireType.varint), encodeVarint(value)]);

const bool = (value: boolean): Buffer => Buffer.from([parameter.bool * 8 + wireType.varint, Number(value)]);

/** Parameters of a request apart from tensors. */
interface RequestExtras {
  /** Shared memory that replaces tensors. */
  readonly shared?: SharedPlaces | null;
  readonly sequence?: SequencePlace | null;
  /** Request an empty final response, if responses do not mark the last one themselves. */
  readonly emptyFinal?: boolean;
}

/** Parameters of the sequence and decoupled extensions. */
function encodeExtras({ sequence = null, emptyFinal = false }: RequestExtras): Buffer[] {
  const one = (key: string, value: Buffer) => encodeParameter(request.parameters, key, value);
  return [
    ...(sequence === null
      ? []
      : [
          one('sequence_id', int64(sequence.id)),
          one('sequence_start', bool(sequence.start)),
          one('sequence_end', bool(sequence.end)),
        ]),
    ...(emptyFinal ? [one('triton_enable_empty_final_response', bool(true))] : []),
  ];
}

/** Parameters of the system shared memory extension. */
function encodePlace(field: number, place: SharedPlace): Buffer {
  return Buffer.concat([
    encodeParameter(field, 'shared_memory_region', encodeStringField(parameter.string, place.region)),
    encodeParameter(field, 'shared_memory_offset', int64(place.offset)),
    encodeParameter(field, 'shared_memory_byte_size', int64(place.bytes)),
  ]);
}

/** An uncompressed gRPC message with a ModelInferRequest, using raw contents or shared memory. */
export function encodeGrpcRequest(
  target: RequestTarget,
  inputs: RequestInputs,
  extras: RequestExtras = {},
): Buffer {
  const { shared = null } = extras;
  const parts: Uint8Array[] = [encodeStringField(request.modelName, target.modelName)];
  if (target.modelVersion !== '') parts.push(encodeStringField(request.modelVersion, target.modelVersion));
  parts.push(...encodeExtras(extras));
  const heads: readonly (RequestInputHead & { readonly place?: SharedPlace })[] = shared?.inputs ?? inputs;
  for (const { place, ...tensor } of heads) {
    const fields = Buffer.concat([
      encodeStringField(input.name, tensor.name),
      encodeStringField(input.datatype, tensor.datatype),
      encodeBytesField(input.shape, Buffer.concat(tensor.shape.map(encodeVarint))),
      ...(place === undefined ? [] : [encodePlace(input.parameters, place)]),
    ]);
    parts.push(encodeBytesField(request.inputs, fields));
  }
  for (const { name, place } of shared?.outputs ?? []) {
    const fields = [
      encodeStringField(requestedOutput.name, name),
      encodePlace(requestedOutput.parameters, place),
    ];
    parts.push(encodeBytesField(request.outputs, Buffer.concat(fields)));
  }
  for (const tensor of inputs) {
    parts.push(encodeBytesHead(request.rawInputContents, tensor.data.length), tensor.data);
  }
  const bytes = parts.reduce((sum, part) => sum + part.byteLength, 0);
  const prefix = Buffer.alloc(grpcPrefixBytes);
  prefix.writeUInt32BE(bytes, 1);
  return Buffer.concat([prefix, ...parts]);
}

/** Headers of a gRPC method's calls. */
export function grpcHeaders(
  target: Pick<LoadJob, 'host' | 'port' | 'tls' | 'headers'>,
  method: 'ModelInfer' | 'ModelStreamInfer',
): HeaderBlocks {
  return encodeHeaderBlocks([
    [':method', 'POST'],
    [':scheme', target.tls === null ? 'http' : 'https'],
    [':path', `/inference.GRPCInferenceService/${method}`],
    [':authority', authorityOf(target)],
    ['te', 'trailers'],
    ['content-type', 'application/grpc'],
    ['user-agent', 'triton-workbench'],
    // HTTP/2 requires lower-case names.
    ...(target.headers ?? []).map(({ name, value }): [string, string] => [name.toLowerCase(), value]),
  ]);
}

import type { Tensor } from '../../../triton/tensor';
import { ProtobufReader, wireType } from './protobuf';

// Field numbers of KServe v2's grpc_service.proto: ModelInferResponse and its InferOutputTensor.
const response = { outputs: 5, rawOutputContents: 6 } as const;
const output = { name: 1, datatype: 2, shape: 3 } as const;

function decodeOutput(buffer: Buffer, start: number, end: number): Omit<Tensor, 'data'> {
  const reader = new ProtobufReader().open(buffer, start, end);
  let name = '';
  let datatype = '';
  const shape: number[] = [];
  while (reader.next()) {
    if (reader.number === output.name) name = buffer.toString('utf8', reader.start, reader.end);
    else if (reader.number === output.datatype)
      datatype = buffer.toString('latin1', reader.start, reader.end);
    else if (reader.number === output.shape && reader.wire === wireType.bytes) {
      const sizes = new ProtobufReader().open(buffer, reader.start, reader.end);
      while (!sizes.done) shape.push(sizes.varint());
    } else if (reader.number === output.shape) shape.push(reader.value);
  }
  return { name, datatype, shape };
}

/** All outputs of a ModelInferResponse with their raw contents, which stay in `buffer`. Throws an Error where it is none. */
export function decodeGrpcOutputs(buffer: Buffer, start: number, end: number): Tensor[] {
  const reader = new ProtobufReader().open(buffer, start, end);
  const outputs: Omit<Tensor, 'data'>[] = [];
  const contents: Buffer[] = [];
  while (reader.next()) {
    if (reader.wire !== wireType.bytes) continue;
    if (reader.number === response.outputs) outputs.push(decodeOutput(buffer, reader.start, reader.end));
    else if (reader.number === response.rawOutputContents)
      contents.push(buffer.subarray(reader.start, reader.end));
  }
  return outputs.map((tensor, index) => ({ ...tensor, data: contents[index] ?? Buffer.alloc(0) }));
}

import { datatypeBytes } from '../../../contract/input-data';
import { ProtobufReader } from './protobuf-reader';
import { wireType } from './protobuf-writer';

// Field numbers of KServe v2's grpc_service.proto: ModelInferResponse and its InferOutputTensor.
export const responseField = { outputs: 5, rawOutputContents: 6 } as const;
const output = { datatype: 2, shape: 3, contents: 5 } as const;

/** Data type names as numbers (base 128, names have at most 6 letters), so that no string is made per response. */
const bytesByName = new Map<number, number>(
  Object.entries(datatypeBytes).map(([name, bytes]) => [
    nameNumber(Buffer.from(name), 0, name.length),
    bytes,
  ]),
);

function nameNumber(buffer: Buffer, start: number, end: number): number {
  let number = 0;
  for (let index = start; index < end; index += 1) number = number * 128 + (buffer[index] ?? 0);
  return number;
}

/**
 * Decodes ModelInferResponse messages and checks them: there are outputs, each has its raw contents, and these are as
 * long as shape and data type say (BYTES has no fixed length and is taken as it is). One instance for
 * each response that is under way at a time: it keeps readers, and counts from `begin` to `end`.
 */
export class GrpcResponseChecker {
  private readonly message = new ProtobufReader();
  private readonly tensor = new ProtobufReader();
  private readonly shape = new ProtobufReader();
  private readonly expected: number[] = [];
  private outputs = 0;
  private contentCount = 0;
  private bytes = 0;

  /** @param shared the outputs are in shared memory: their contents are empty here. */
  constructor(private readonly shared = false) {}

  /** Bytes of all output contents. Throws an Error that says what is wrong with the response. */
  check(buffer: Buffer, start: number, end: number): number {
    this.begin();
    const message = this.message.open(buffer, start, end);
    while (message.next()) {
      if (message.wire !== wireType.bytes) continue;
      if (message.number === responseField.outputs) this.output(buffer, message.start, message.end);
      else if (message.number === responseField.rawOutputContents) this.contents(message.end - message.start);
    }
    return this.end();
  }

  /** Of a response that is told field by field, in the order in which they come; `end` says whether all was there. */
  begin(): void {
    this.outputs = 0;
    this.contentCount = 0;
    this.bytes = 0;
  }

  /** An InferOutputTensor. */
  output(buffer: Buffer, start: number, end: number): void {
    this.expected[this.outputs] = this.outputBytes(buffer, start, end);
    this.outputs += 1;
  }

  /** So many bytes of contents. Throws an Error where the output's shape and data type say otherwise. */
  contents(length: number): void {
    const index = this.contentCount;
    const expected = this.expected[index];
    // Raw contents stand behind the outputs they belong to: their field number is higher.
    if (expected === undefined || index >= this.outputs) throw new Error('contents without an output tensor');
    if (this.shared ? length !== 0 : expected >= 0 && length !== expected) {
      throw new Error(
        `output ${index} has ${length} bytes where ${this.shared ? 'they are in shared memory' : `its shape and type make ${expected}`}`,
      );
    }
    this.contentCount += 1;
    this.bytes += length;
  }

  /** Bytes of all output contents. Throws an Error where something is missing. */
  end(): number {
    const { outputs, contentCount } = this;
    if (outputs === 0) throw new Error('no output tensor');
    if (contentCount !== outputs) throw new Error(`${outputs} outputs, but contents of ${contentCount}`);
    return this.bytes;
  }

  /** -1: the length cannot be told from shape and type. */
  private outputBytes(buffer: Buffer, start: number, end: number): number {
    let elements = 1;
    let size = -1;
    const tensor = this.tensor.open(buffer, start, end);
    while (tensor.next()) {
      if (tensor.number === output.datatype) {
        size = bytesByName.get(nameNumber(buffer, tensor.start, tensor.end)) ?? -1;
      } else if (tensor.number === output.shape && tensor.wire === wireType.bytes) {
        const shape = this.shape.open(buffer, tensor.start, tensor.end);
        while (!shape.done) elements *= shape.varint();
      } else if (tensor.number === output.shape) {
        elements *= tensor.value;
      } else if (tensor.number === output.contents) {
        throw new Error('typed contents, where raw contents are expected');
      }
    }
    return size < 0 ? -1 : size * elements;
  }
}

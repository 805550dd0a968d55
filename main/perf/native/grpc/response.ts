import { datatypeBytes } from '../../../contract/measured/input-data';
import type { Tensor } from '../../../triton/tensor';
import { ProtobufReader, wireType } from './protobuf';

// Field numbers of KServe v2's grpc_service.proto: ModelInferResponse and its InferOutputTensor.
export const responseField = { outputs: 5, rawOutputContents: 6 } as const;
const output = { name: 1, datatype: 2, shape: 3, contents: 5 } as const;

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

// Field numbers of KServe v2's grpc_service.proto.
const streamResponse = { errorMessage: 1, inferResponse: 2 } as const;
const inferResponse = { parameters: 4, outputs: 5 } as const;
const mapEntry = { key: 1, value: 2 } as const;
const boolParam = 1;
const finalKey = Buffer.from('triton_final_response');

/**
 * Decodes ModelStreamInferResponse messages and checks their outputs. A request's answers end with the one whose
 * parameter `triton_final_response` is true; a refusal has no such parameter, and nothing comes behind it.
 */
export class GrpcStreamAnswer {
  /** The server's words; '' when the answer is none of an error. */
  error = '';
  /** No further answer comes to the request. */
  final = true;
  /** There are outputs; a final answer may have none. */
  hasContent = false;
  /** Where the ModelInferResponse stands in the buffer of the last `read`. */
  from = 0;
  to = 0;
  private readonly message = new ProtobufReader();
  private readonly inner = new ProtobufReader();
  private readonly entry = new ProtobufReader();
  private readonly value = new ProtobufReader();
  private readonly checker = new GrpcResponseChecker();

  /** Fills the fields. Throws an Error that says what is wrong with the answer; `final` then holds all the same. */
  read(buffer: Buffer, start: number, end: number): void {
    let error = '';
    let final = true;
    this.final = true;
    this.hasContent = false;
    let from = end;
    let to = end;
    const message = this.message.open(buffer, start, end);
    while (message.next()) {
      if (message.number === streamResponse.errorMessage)
        error = buffer.toString('utf8', message.start, message.end);
      else if (message.number === streamResponse.inferResponse) {
        from = message.start;
        to = message.end;
      }
    }
    this.error = error;
    this.from = from;
    this.to = to;
    const inner = this.inner.open(buffer, from, to);
    while (inner.next()) {
      if (inner.number === inferResponse.outputs) this.hasContent = true;
      else if (inner.number === inferResponse.parameters) {
        final = this.finalOf(buffer, inner.start, inner.end) ?? final;
      }
    }
    this.final = final;
    if (error !== '') return;
    if (this.hasContent) this.checker.check(buffer, from, to);
    else if (!final) throw new Error('an answer without outputs that is not the last');
  }

  /** What a parameter says of the end of the answers; null: it is another parameter. */
  private finalOf(buffer: Buffer, start: number, end: number): boolean | null {
    let isFinal = false;
    let value = false;
    const entry = this.entry.open(buffer, start, end);
    while (entry.next()) {
      if (entry.number === mapEntry.key) {
        isFinal = finalKey.compare(buffer, entry.start, entry.end) === 0;
      } else if (entry.number === mapEntry.value) {
        const inside = this.value.open(buffer, entry.start, entry.end);
        while (inside.next()) if (inside.number === boolParam) value = inside.value === 1;
      }
    }
    return isFinal ? value : null;
  }
}

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
    if (reader.number === responseField.outputs) outputs.push(decodeOutput(buffer, reader.start, reader.end));
    else if (reader.number === responseField.rawOutputContents)
      contents.push(buffer.subarray(reader.start, reader.end));
  }
  return outputs.map((tensor, index) => ({ ...tensor, data: contents[index] ?? Buffer.alloc(0) }));
}

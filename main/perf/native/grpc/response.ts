import { datatypeBytes } from '../../../contract/measured/input-data';
import type { Tensor } from '../../../triton/tensor';
import { ProtobufReader, wireType } from './protobuf';

// Field numbers of ModelInferResponse and InferOutputTensor in KServe v2's grpc_service.proto.
export const responseField = { outputs: 5, rawOutputContents: 6 } as const;
const output = { name: 1, datatype: 2, shape: 3, contents: 5 } as const;

/** Datatype names as base-128 numbers (at most 6 letters), which avoids a string per response. */
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
 * Validates ModelInferResponse messages: there are outputs, each with raw contents of the length that shape and
 * datatype imply (BYTES has none). One instance per concurrent response, because it keeps state from `begin` to `end`.
 */
export class GrpcResponseChecker {
  private readonly message = new ProtobufReader();
  private readonly tensor = new ProtobufReader();
  private readonly shape = new ProtobufReader();
  private readonly expected: number[] = [];
  private outputs = 0;
  private contentCount = 0;
  private bytes = 0;

  /** @param shared outputs are in shared memory, and contents are empty */
  constructor(private readonly shared = false) {}

  /** Returns bytes of all contents. Throws an Error for an invalid response. */
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

  /** Incremental form: fields in wire order, then `end`. */
  begin(): void {
    this.outputs = 0;
    this.contentCount = 0;
    this.bytes = 0;
  }

  output(buffer: Buffer, start: number, end: number): void {
    this.expected[this.outputs] = this.outputBytes(buffer, start, end);
    this.outputs += 1;
  }

  /** Throws an Error if the length contradicts the output's shape and datatype. */
  contents(length: number): void {
    const index = this.contentCount;
    const expected = this.expected[index];
    // Raw contents follow their outputs, because their field number is higher.
    if (expected === undefined || index >= this.outputs) throw new Error('contents without an output tensor');
    if (this.shared ? length !== 0 : expected >= 0 && length !== expected) {
      throw new Error(
        `output ${index} has ${length} bytes where ${this.shared ? 'they are in shared memory' : `its shape and type make ${expected}`}`,
      );
    }
    this.contentCount += 1;
    this.bytes += length;
  }

  /** Returns bytes of all contents. Throws an Error for missing ones. */
  end(): number {
    const { outputs, contentCount } = this;
    if (outputs === 0) throw new Error('no output tensor');
    if (contentCount !== outputs) throw new Error(`${outputs} outputs, but contents of ${contentCount}`);
    return this.bytes;
  }

  /** -1: unknown length. */
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

// Field numbers of ModelStreamInferResponse in KServe v2's grpc_service.proto.
const streamResponse = { errorMessage: 1, inferResponse: 2 } as const;
const inferResponse = { parameters: 4, outputs: 5 } as const;
const mapEntry = { key: 1, value: 2 } as const;
const boolParam = 1;
const finalKey = Buffer.from('triton_final_response');

/** `triton_final_response` marks a request's last response; an error lacks it and is the last. */
export class GrpcStreamAnswer {
  /** The server's error message, or ''. */
  error = '';
  /** Whether it is the last response. */
  final = true;
  /** Whether it has outputs; a final response may have none. */
  hasContent = false;
  /** Offset of the ModelInferResponse in the last buffer. */
  from = 0;
  to = 0;
  private readonly message = new ProtobufReader();
  private readonly inner = new ProtobufReader();
  private readonly entry = new ProtobufReader();
  private readonly value = new ProtobufReader();
  private readonly checker = new GrpcResponseChecker();

  /** Throws an Error for an invalid response; `final` is set all the same. */
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

  /** Value of triton_final_response; null for other parameters. */
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

/** Outputs whose data stay in `buffer`. Throws an Error for an invalid message. */
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

import { ProtobufReader } from './protobuf-reader';
import { GrpcResponseChecker } from './response';

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

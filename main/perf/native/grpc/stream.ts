import type { Failure } from '../seam/transport';
import { GrpcMessageReader } from './message-reader';
import { ProtobufReader, wireType } from './protobuf';
import { GrpcResponseChecker, responseField } from './response';

/** Names of gRPC's status codes, by number. */
const statusNames = [
  'OK',
  'CANCELLED',
  'UNKNOWN',
  'INVALID_ARGUMENT',
  'DEADLINE_EXCEEDED',
  'NOT_FOUND',
  'ALREADY_EXISTS',
  'PERMISSION_DENIED',
  'RESOURCE_EXHAUSTED',
  'FAILED_PRECONDITION',
  'ABORTED',
  'OUT_OF_RANGE',
  'UNIMPLEMENTED',
  'INTERNAL',
  'UNAVAILABLE',
  'DATA_LOSS',
  'UNAUTHENTICATED',
];

/** grpc-message is percent-encoded UTF-8. */
function readMessage(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** What the header and trailer fields of a stream say of its end. */
export class GrpcStatus {
  private httpStatus = '';
  private status = '';
  private text = '';

  reset(): void {
    this.httpStatus = '';
    this.status = '';
    this.text = '';
  }

  field(name: string, value: string): void {
    if (name === 'grpc-status') this.status = value;
    else if (name === 'grpc-message') this.text = value;
    else if (name === ':status') this.httpStatus = value;
  }

  /** After the end of the stream; null: the status is OK. */
  failure(): Failure | null {
    if (this.status === '0') return null;
    if (this.status !== '') {
      return {
        kind: statusNames[Number(this.status)] ?? `status ${this.status}`,
        message: readMessage(this.text),
      };
    }
    return { kind: `HTTP ${this.httpStatus}`, message: 'the server sent no gRPC status' };
  }
}

/** Tag and length of a field, or tag and value: two numbers of at most ten bytes. */
const fieldHeadBytes = 20;
/** What is not contents is short: the name, type and shape of an output. */
const pieceBytes = 512;

/**
 * Decodes and checks a ModelInferResponse while it comes, and keeps nothing of its contents: that an answer of many MB is well
 * formed is known without a place for it in memory.
 */
export class GrpcResponseSkimmer {
  private readonly message = new ProtobufReader();
  /** The beginning of a field that is not whole yet. */
  private kept = Buffer.alloc(2 * pieceBytes);
  private filled = 0;
  /** Bytes of contents that come next. */
  private contentLeft = 0;
  /** Bytes of the message that have not come. */
  private left = 0;

  constructor(private readonly checker: GrpcResponseChecker) {}

  /** The next message has so many bytes. */
  begin(bytes: number): void {
    this.filled = 0;
    this.contentLeft = 0;
    this.left = bytes;
    this.checker.begin();
  }

  /**
   * The next bytes of the message, at most as many as it still has.
   * @returns bytes of all output contents, with the last of them; null before.
   * Throws an Error that says what is wrong with the response.
   */
  push(buffer: Buffer, start: number, end: number): number | null {
    let at = start;
    while (at < end) {
      const skips = this.contentLeft > 0;
      const take = Math.min(skips ? this.contentLeft : pieceBytes, end - at);
      if (skips) this.contentLeft -= take;
      else this.keep(buffer, at, at + take);
      this.left -= take;
      at += take;
      if (this.contentLeft === 0) this.read();
    }
    return this.left === 0 ? this.checker.end() : null;
  }

  /** Bytes of contents that come next. */
  get contentDue(): number {
    return this.contentLeft;
  }

  private keep(buffer: Buffer, start: number, end: number): void {
    const length = this.filled + end - start;
    if (length > this.kept.length) {
      const larger = Buffer.alloc(2 * length);
      this.kept.copy(larger, 0, 0, this.filled);
      this.kept = larger;
    }
    buffer.copy(this.kept, this.filled, start, end);
    this.filled = length;
  }

  /** Takes the fields that are there; of contents their length is enough. */
  private read(): void {
    const { message, kept, filled, checker } = this;
    let at = 0;
    while (at < filled && (filled - at >= fieldHeadBytes || this.left === 0)) {
      message.open(kept, at, filled, filled + this.left).next();
      const isBytes = message.wire === wireType.bytes;
      if (isBytes && message.number === responseField.rawOutputContents) {
        checker.contents(message.end - message.start);
        this.contentLeft = Math.max(0, message.end - filled);
        at = Math.min(message.end, filled);
      } else if (message.position > filled) {
        break;
      } else {
        if (isBytes && message.number === responseField.outputs) {
          checker.output(kept, message.start, message.end);
        }
        at = message.position;
      }
    }
    kept.copyWithin(0, at, filled);
    this.filled = filled - at;
  }
}

/** The call that a slot has under way; used again for the slot's next call. */
export class GrpcStream extends GrpcStatus {
  readonly reader: GrpcMessageReader;
  readonly skimmer: GrpcResponseSkimmer;
  startUs = 0;
  sendUs = 0;
  recvUs = 0;
  /** What is wrong with the message that came; '' when nothing is. */
  fault = '';
  /** The answer is one of those whose values are looked at; null: that is not settled. */
  isChecked: boolean | null = null;
  /** The server may send all of the answer. */
  windowOpen = false;

  /** @param shared the outputs come in shared memory. */
  constructor(
    readonly slot: number,
    shared: boolean,
    replyLimitBytes: number,
  ) {
    super();
    this.reader = new GrpcMessageReader(replyLimitBytes);
    this.skimmer = new GrpcResponseSkimmer(new GrpcResponseChecker(shared));
  }

  begin(startUs: number): void {
    this.startUs = startUs;
    this.recvUs = 0;
    this.fault = '';
    this.isChecked = null;
    this.windowOpen = false;
    this.reset();
    this.reader.reset();
  }

  /** After the end of the stream; null: it succeeded. */
  override failure(): Failure | null {
    const failure = super.failure();
    if (failure !== null) return failure;
    if (this.fault !== '') return { kind: 'bad response', message: this.fault };
    return this.reader.complete ? null : { kind: 'bad response', message: 'no message before the status' };
  }
}

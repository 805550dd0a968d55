import type { Failure } from '../seam/transport';
import { GrpcMessageReader } from './message-reader';
import { ProtobufReader, wireType } from './protobuf';
import { GrpcResponseChecker, responseField } from './response';

/** gRPC status names by code. */
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

/** Status from a stream's headers and trailers. */
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

  /** After the stream's end; null for OK. */
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

/** Tag with length or value: two varints of at most ten bytes. */
const fieldHeadBytes = 20;
/** Everything but contents is short: names, types and shapes of outputs. */
const pieceBytes = 512;

/** Validates a ModelInferResponse incrementally without keeping contents, so that large responses need no memory. */
export class GrpcResponseSkimmer {
  private readonly message = new ProtobufReader();
  /** Start of an incomplete field. */
  private kept = Buffer.alloc(2 * pieceBytes);
  private filled = 0;
  /** Remaining content bytes of the current field. */
  private contentLeft = 0;
  /** Remaining bytes of the message. */
  private left = 0;

  constructor(private readonly checker: GrpcResponseChecker) {}

  /** The next message has so many bytes. */
  begin(bytes: number): void {
    this.filled = 0;
    this.contentLeft = 0;
    this.left = bytes;
    this.checker.begin();
  }

  /** Takes the next bytes of the message. @returns bytes of all contents at its end, else null. Throws an Error. */
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

  /** Parses available fields; contents are only measured. */
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

/** A slot's active call; reused for its next one. */
export class GrpcStream extends GrpcStatus {
  readonly reader: GrpcMessageReader;
  readonly skimmer: GrpcResponseSkimmer;
  startUs = 0;
  sendUs = 0;
  recvUs = 0;
  /** Error of the received message, or ''. */
  fault = '';
  /** Whether this response is checked; null: undecided. */
  isChecked: boolean | null = null;
  /** The flow control window covers the whole response. */
  windowOpen = false;

  /** @param shared outputs are in shared memory */
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

  /** After the stream's end; null for success. */
  override failure(): Failure | null {
    const failure = super.failure();
    if (failure !== null) return failure;
    if (this.fault !== '') return { kind: 'bad response', message: this.fault };
    return this.reader.complete ? null : { kind: 'bad response', message: 'no message before the status' };
  }
}

import { GrpcMessageReader } from './grpc-message-reader';

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

export interface Failure {
  readonly kind: string;
  readonly message: string;
}

/** grpc-message is percent-encoded UTF-8. */
function readMessage(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The call that a slot has under way; used again for the slot's next call. */
export class GrpcStream {
  readonly reader = new GrpcMessageReader();
  startUs = 0;
  sendUs = 0;
  recvUs = 0;
  /** What is wrong with the message that came; '' when nothing is. */
  fault = '';
  private httpStatus = '';
  private status = '';
  private text = '';

  constructor(readonly slot: number) {}

  begin(startUs: number): void {
    this.startUs = startUs;
    this.recvUs = 0;
    this.fault = '';
    this.httpStatus = '';
    this.status = '';
    this.text = '';
    this.reader.reset();
  }

  /** A header or trailer field. */
  field(name: string, value: string): void {
    if (name === 'grpc-status') this.status = value;
    else if (name === 'grpc-message') this.text = value;
    else if (name === ':status') this.httpStatus = value;
  }

  /** After the end of the stream; null: it succeeded. */
  failure(): Failure | null {
    if (this.status === '0') {
      if (this.fault !== '') return { kind: 'bad response', message: this.fault };
      return this.reader.complete ? null : { kind: 'bad response', message: 'no message before the status' };
    }
    if (this.status !== '') {
      return {
        kind: statusNames[Number(this.status)] ?? `status ${this.status}`,
        message: readMessage(this.text),
      };
    }
    return { kind: `HTTP ${this.httpStatus}`, message: 'the server sent no gRPC status' };
  }
}

import type { Failure } from '../seam/transport';

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

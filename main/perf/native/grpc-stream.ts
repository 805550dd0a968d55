import { GrpcMessageReader } from './grpc-message-reader';
import { GrpcStatus } from './grpc-status';
import type { Failure } from './grpc-status';

/** The call that a slot has under way; used again for the slot's next call. */
export class GrpcStream extends GrpcStatus {
  readonly reader = new GrpcMessageReader();
  startUs = 0;
  sendUs = 0;
  recvUs = 0;
  /** What is wrong with the message that came; '' when nothing is. */
  fault = '';
  /** The server may send all of the answer. */
  windowOpen = false;

  constructor(readonly slot: number) {
    super();
  }

  begin(startUs: number): void {
    this.startUs = startUs;
    this.recvUs = 0;
    this.fault = '';
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

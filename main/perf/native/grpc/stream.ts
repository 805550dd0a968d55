import type { Failure } from '../seam/transport';
import { GrpcMessageReader } from './message-reader';
import { GrpcResponseChecker } from './response';
import { GrpcResponseSkimmer } from './response-skimmer';
import { GrpcStatus } from './status';

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
  looked: boolean | null = null;
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
    this.looked = null;
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

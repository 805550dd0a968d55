import { WorkbenchError } from '../../../contract/errors';
import { untilEnded } from '../../../platform/abort';
import type { Tensor } from '../../../triton/tensor';
import type { TlsMaterial } from '../../../triton/tls';
import type { Http2Session } from '../http2/session';
import { MultiplexedConnection } from '../requests/multiplexed-connection';
import { largestReplyBytes, parseAddress, ReplyTooLarge } from '../seam/load-job';
import { authorityOf, cancelled, nowUs } from '../seam/transport';
import type { GrpcConnectionOptions } from './connection';
import { GrpcMessageSplitter } from './message-reader';
import { outputText } from './output-text';
import { encodeGrpcRequest, grpcHeaders } from './request';
import { decodeGrpcOutputs, GrpcStreamAnswer } from './response';
import { GrpcStatus } from './stream';

/** Received bytes after which a stream's 2 GiB window is renewed. */
const renewAfterBytes = 2 ** 30;

/** A slot's stream with its active request. */
class SlotStream {
  readonly splitter: GrpcMessageSplitter;
  readonly status = new GrpcStatus();
  /** -1: no stream. */
  streamId = -1;
  busy = false;
  startUs = 0;
  sendUs = 0;
  recvUs = 0;
  receivedBytes = 0;
  /** Responses to the active request are checked. */
  isChecked = false;
  fault: { readonly kind: string; readonly message: string } | null = null;
  readonly contentUs: number[] = [];
  /** Of all answers; null: not only text. */
  text: string | null = '';

  constructor(
    readonly slot: number,
    replyLimitBytes: number,
  ) {
    this.splitter = new GrpcMessageSplitter(replyLimitBytes);
  }
}

function addText(stream: SlotStream, text: string | null): void {
  stream.text = stream.text === null || text === null ? null : stream.text + text;
}

/** Bidirectional ModelStreamInfer, one stream per slot with one active request, which ends with its final response. */
export class GrpcStreamConnection extends MultiplexedConnection<GrpcConnectionOptions> {
  protected readonly session: Http2Session;
  private readonly answer = new GrpcStreamAnswer();
  private readonly bySlot = new Map<number, SlotStream>();
  private readonly byId = new Map<number, SlotStream>();
  private messageStream: SlotStream | null = null;

  constructor(options: GrpcConnectionOptions) {
    super(options);
    this.session = this.connect({
      fieldsOf: (streamId) => this.byId.get(streamId)?.status,
      data: (streamId, buffer, start, end) => this.onData(streamId, buffer, start, end),
      ended: (streamId) => {
        const stream = this.byId.get(streamId);
        if (stream === undefined) return;
        const failure = stream.status.failure();
        // A clean end during a request means that its final response is missing.
        this.drop(
          stream,
          failure?.kind ?? 'bad response',
          failure?.message ?? 'the stream ended before the final answer',
        );
      },
      reset: (streamId, code) => {
        const stream = this.byId.get(streamId);
        if (stream === undefined) return;
        this.drop(stream, 'stream reset', `the server reset the stream with HTTP/2 error ${code}`);
      },
    });
  }

  protected hasRequests(): boolean {
    return this.busyStreams().length > 0;
  }

  protected failAbove(last: number, kind: string, message: string): void {
    for (const stream of [...this.byId.values()])
      if (stream.streamId > last) this.drop(stream, kind, message);
  }

  protected abandon(slot: number): void {
    const stream = this.bySlot.get(slot);
    if (stream?.busy !== true) return;
    this.session.cancel(stream.streamId);
    this.drop(stream, cancelled.kind, cancelled.message);
  }

  protected takeSlots(): number[] {
    const slots = this.busyStreams().map((stream) => stream.slot);
    this.byId.clear();
    return slots;
  }

  private busyStreams(): SlotStream[] {
    return [...this.byId.values()].filter((stream) => stream.busy);
  }

  protected begin(slot: number): void {
    const startUs = nowUs();
    let stream = this.bySlot.get(slot);
    if (stream === undefined) {
      stream = new SlotStream(slot, this.options.replyLimitBytes);
      this.bySlot.set(slot, stream);
    }
    stream.busy = true;
    stream.startUs = startUs;
    stream.recvUs = 0;
    stream.fault = null;
    stream.contentUs.length = 0;
    stream.text = '';
    const { session } = this;
    if (stream.streamId < 0) this.open(stream);
    session.outbound.message(stream.streamId, this.options.nextMessage(slot));
    stream.sendUs = nowUs() - startUs;
  }

  private open(stream: SlotStream): void {
    const { session } = this;
    stream.streamId = session.nextStreamId();
    stream.splitter.reset();
    stream.status.reset();
    stream.receivedBytes = 0;
    this.byId.set(stream.streamId, stream);
    session.outbound.openStream(stream.streamId, session.headerBlock());
    session.openWindow(stream.streamId);
    if (session.exhausted) this.retire();
  }

  private onData(streamId: number, buffer: Buffer, start: number, end: number): void {
    const stream = this.byId.get(streamId);
    if (stream === undefined) return;
    stream.receivedBytes += end - start;
    if (stream.receivedBytes > renewAfterBytes) {
      this.session.renew(streamId, stream.receivedBytes);
      stream.receivedBytes = 0;
    }
    this.messageStream = stream;
    try {
      stream.splitter.push(buffer, start, end, this.onMessage);
    } catch (error) {
      if (!(error instanceof ReplyTooLarge)) throw error;
      this.session.cancel(streamId);
      this.drop(stream, error.kind, error.message);
    }
  }

  private readonly onMessage = (buffer: Buffer, start: number, end: number): void => {
    const stream = this.messageStream;
    if (stream === null) return;
    // Requests and responses can no longer be matched on this stream.
    if (!stream.busy) throw new Error('an answer that nobody asked for');
    const { answer } = this;
    const startUs = nowUs();
    try {
      answer.read(buffer, start, end);
      if (answer.error !== '') stream.fault ??= { kind: 'error answer', message: answer.error };
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      stream.fault ??= { kind: 'bad response', message };
    }
    const endUs = nowUs();
    stream.recvUs += endUs - startUs;
    if (answer.hasContent) {
      stream.contentUs.push(endUs);
      if (stream.fault === null) {
        if (this.options.keepsTexts === true) addText(stream, outputText(buffer, answer.from, answer.to));
        if (stream.contentUs.length === 1) stream.isChecked = this.options.isChecked(stream.slot);
        if (stream.isChecked) this.options.check(stream.slot, buffer, answer.from, answer.to);
      }
    }
    if (answer.final) this.finish(stream, endUs);
  };

  private finish(stream: SlotStream, finalUs: number): void {
    stream.busy = false;
    const { events } = this.options;
    const { slot, startUs, sendUs, recvUs, contentUs, fault, text } = stream;
    if (fault === null) {
      const endUs = contentUs[contentUs.length - 1] ?? finalUs;
      events.success(slot, startUs, endUs, sendUs, recvUs, { contentUs, finalUs, text });
    } else events.failure(slot, fault.kind, fault.message);
  }

  /** Drops the stream, failing its active request. */
  private drop(stream: SlotStream, kind: string, message: string): void {
    this.byId.delete(stream.streamId);
    this.session.outbound.forget(stream.streamId);
    stream.streamId = -1;
    if (!stream.busy) return;
    stream.busy = false;
    this.options.events.failure(stream.slot, kind, message);
  }
}

interface StreamInference {
  /** `host:port`. */
  readonly grpcAddress: string;
  /** null: no TLS. */
  readonly tls: TlsMaterial | null;
  readonly modelName: string;
  readonly modelVersion: string;
  readonly inputs: readonly Tensor[];
  /** Sends the request as a complete sequence with this correlation id. */
  readonly sequenceId?: number | undefined;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

const copyOf = ({ data, ...rest }: Tensor) => ({ ...rest, data: Buffer.from(data) });

/** One request over its own stream: its non-empty responses. Throws inference-failed, server-unreachable, cancelled. */
export function inferOverStream(input: StreamInference): Promise<readonly (readonly Tensor[])[]> {
  const { tls, signal, timeoutMs, modelName, sequenceId } = input;
  const target = { ...parseAddress(input.grpcAddress), tls };
  const message = encodeGrpcRequest(input, input.inputs.map(copyOf), {
    sequence: sequenceId === undefined ? null : { id: sequenceId, start: true, end: true, step: 0, first: 0 },
    emptyFinal: true,
  });
  const failed = (code: 'inference-failed' | 'server-unreachable', details: string) =>
    new WorkbenchError(
      code,
      code === 'inference-failed'
        ? `${modelName} refused an inference request: ${details.slice(0, 500)}`
        : `No gRPC answer from Triton at ${authorityOf(target)}`,
      { details },
    );
  const made: { connection: GrpcStreamConnection | null } = { connection: null };
  const ending = {
    ...{ timeoutMs, signal },
    cancelled: () => new WorkbenchError('cancelled', 'The request was cancelled'),
    late: () => failed('inference-failed', `There was no final answer within ${timeoutMs / 1000} s.`),
    close: () => made.connection?.close(),
  };
  return untilEnded(ending, (done, fail) => {
    const answers: Tensor[][] = [];
    made.connection = new GrpcStreamConnection({
      ...target,
      blocks: grpcHeaders(target, 'ModelStreamInfer'),
      requestBytes: message.length,
      nextMessage: () => message,
      alone: true,
      shared: false,
      replyLimitBytes: largestReplyBytes,
      isChecked: () => true,
      // The connection reuses the buffer.
      check: (_slot, buffer, start, stop) => {
        answers.push(decodeGrpcOutputs(buffer, start, stop).map(copyOf));
      },
      events: {
        success: () => done(answers),
        failure: (_slot, kind, text) => fail(failed('inference-failed', `${kind}: ${text}`)),
        opened: () => undefined,
        retired: () => undefined,
        lost: (_connection, _opened, reason) => fail(failed('server-unreachable', reason)),
      },
    });
    made.connection.start(0);
  });
}

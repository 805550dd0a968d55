import { encodeInferBody, inferPath } from '../http1/infer-request';
import { decodeHttpOutputs } from '../http1/messages';
import { encodeHeaderBlocks, encodeLiterals, type HeaderBlocks } from '../http2/hpack';
import { MultiplexedTransport } from '../requests/multiplexed-transport';
import { type LoadJob, replyLimitBytes } from '../seam/load-job';
import { authorityOf, type TransportEvents } from '../seam/transport';
import { Http2Connection, type PreparedRequest } from './http2-connection';

/** What every request of a load has; HTTP/2 requires lower-case names. */
const commonFields = (job: LoadJob): HeaderBlocks =>
  encodeHeaderBlocks([
    [':method', 'POST'],
    [':scheme', job.tls === null ? 'http' : 'https'],
    [':path', inferPath(job)],
    [':authority', authorityOf(job)],
    ['user-agent', 'triton-workbench'],
    ...(job.headers ?? []).map(({ name, value }): [string, string] => [name.toLowerCase(), value]),
  ]);

/** Inference requests over HTTP/2. */
export class Http2Transport extends MultiplexedTransport<Http2Connection> {
  private readonly blocks: HeaderBlocks;
  /** Of each body its own header fields. */
  private readonly fields: WeakMap<Buffer, Buffer>;

  constructor(job: LoadJob, events: TransportEvents) {
    const known = new WeakMap<Buffer, Buffer>();
    super(job, events, (inputs, shared, sequence) => {
      const { body, fields } = encodeInferBody(job, inputs, shared, sequence);
      const own = [...fields, ['content-length', String(body.length)] as const];
      known.set(
        body,
        encodeLiterals(own.map(([name, value]): [string, string] => [name.toLowerCase(), value])),
      );
      return body;
    });
    this.fields = known;
    this.blocks = commonFields(job);
    this.openFirst();
  }

  protected connect(): Http2Connection {
    const { job, validator } = this;
    const { host, port, tls } = job;
    return new Http2Connection({
      ...{ host, port, tls, blocks: this.blocks, requestBytes: this.requestBytes },
      ...{ shared: job.shared !== null, json: job.json === true, replyLimitBytes: replyLimitBytes(job) },
      nextRequest: (slot) => this.next(slot),
      check: (slot, body, jsonBytes) => {
        const payload = this.source.payloadOf(slot);
        if (validator?.begin(slot, payload) === true) {
          validator.check(slot, payload, () => decodeHttpOutputs(body, 0, body.length, jsonBytes));
        }
        this.settle(slot);
      },
      events: {
        ...this.ofConnections(),
        success: (...ended) => {
          this.losses.succeeded();
          this.events.success(...ended);
        },
      },
    });
  }

  private next(slot: number): PreparedRequest {
    const body = this.source.next(slot);
    return { body, fields: this.fields.get(body) ?? Buffer.alloc(0) };
  }
}

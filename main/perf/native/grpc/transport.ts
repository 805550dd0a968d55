import type { MultiplexedConnection } from '../requests/multiplexed-connection';
import { MultiplexedTransport } from '../requests/multiplexed-transport';
import { type LoadJob, replyLimitBytes } from '../seam/load-job';
import type { TransportEvents } from '../seam/transport';
import { GrpcConnection, type GrpcConnectionOptions } from './connection';
import { encodeGrpcRequest, grpcHeaders } from './request';
import { decodeGrpcOutputs } from './response';
import { GrpcStreamConnection } from './stream-connection';

/** Unary calls, or a stream per slot. */
export class GrpcTransport extends MultiplexedTransport<MultiplexedConnection> {
  private readonly blocks: ReturnType<typeof grpcHeaders>;

  constructor(job: LoadJob, events: TransportEvents) {
    const { streaming: emptyFinal } = job;
    super(job, events, (inputs, shared, sequence) =>
      encodeGrpcRequest(job, inputs, { shared, sequence, emptyFinal }),
    );
    this.blocks = grpcHeaders(job, job.streaming ? 'ModelStreamInfer' : 'ModelInfer');
    this.openFirst();
  }

  protected connect(): MultiplexedConnection {
    const { host, port, tls, streaming } = this.job;
    const options: GrpcConnectionOptions = {
      host,
      port,
      tls,
      blocks: this.blocks,
      requestBytes: this.requestBytes,
      alone: this.job.concurrency === 1,
      nextMessage: (slot) => this.source.next(slot),
      shared: this.job.shared !== null,
      replyLimitBytes: replyLimitBytes(this.job),
      keepsTexts: this.job.generation?.keepsTexts,
      isChecked: (slot) => this.validator?.begin(slot, this.source.payloadOf(slot)) ?? false,
      check: (slot, buffer, start, end) => {
        this.validator?.check(slot, this.source.payloadOf(slot), () => decodeGrpcOutputs(buffer, start, end));
      },
      events: {
        ...this.ofConnections(),
        success: (slot, startUs, endUs, sendUs, recvUs, answers) => {
          this.losses.succeeded();
          // The response's end time is taken before it is checked.
          const heldUs = this.settle(slot);
          const own = answers === undefined ? heldUs : 0;
          this.events.success(slot, startUs, endUs - own, sendUs, recvUs, answers);
        },
      },
    };
    return streaming ? new GrpcStreamConnection(options) : new GrpcConnection(options);
  }
}

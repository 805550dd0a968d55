import { largestRequestBytes } from '../requests/batch-payloads';
import { JobTransport } from '../requests/job-transport';
import { type LoadJob, replyLimitBytes } from '../seam/load-job';
import type { TransportEvents } from '../seam/transport';
import { GrpcConnection, type GrpcConnectionOptions, type GrpcSlotConnection } from './connection';
import { encodeGrpcRequest, grpcHeaders } from './request';
import { decodeGrpcOutputs } from './response';
import { GrpcStreamConnection } from './stream-connection';

/** perf_analyzer's TRITON_CLIENT_GRPC_CHANNEL_MAX_SHARE_COUNT: batches small requests in one write. */
const slotsPerConnection = 6;
/** From this size on sharing a connection costs more: requests queue in its socket and are read serially. */
const ownConnectionBytes = 256 * 1024;

/** Own HTTP/2 implementation. Six slots share a connection, as in perf_analyzer, unless requests are large. */
export class GrpcTransport extends JobTransport<GrpcSlotConnection> {
  private readonly retiring = new Set<GrpcSlotConnection>();
  private readonly blocks: ReturnType<typeof grpcHeaders>;
  private readonly requestBytes: number;
  private readonly slotsPerConnection: number;

  constructor(job: LoadJob, events: TransportEvents) {
    const requestBytes = largestRequestBytes(job);
    const slots = requestBytes < ownConnectionBytes ? slotsPerConnection : 1;
    const count = Math.ceil(job.concurrency / slots);
    const { streaming: emptyFinal } = job;
    super(
      job,
      events,
      (inputs, shared, sequence) => encodeGrpcRequest(job, inputs, { shared, sequence, emptyFinal }),
      count,
    );
    this.blocks = grpcHeaders(job, job.streaming ? 'ModelStreamInfer' : 'ModelInfer');
    this.requestBytes = requestBytes;
    this.slotsPerConnection = slots;
    // In an open loop most slots stay unused.
    const first = job.schedule === null ? count : 1;
    for (let index = 0; index < first; index += 1) this.connections.push(this.open());
  }

  start(slot: number): void {
    const index = Math.floor(slot / this.slotsPerConnection);
    // Slots are used from the lowest on, without gaps.
    while (this.connections.length <= index) this.connections.push(this.open());
    this.connections[index]?.start(slot);
  }

  cancel(slot: number): void {
    this.connections[Math.floor(slot / this.slotsPerConnection)]?.cancel(slot);
    for (const connection of this.retiring) connection.cancel(slot);
  }

  override close(): void {
    super.close();
    for (const connection of this.retiring) connection.close();
  }

  private open(): GrpcSlotConnection {
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
        success: (slot, startUs, endUs, sendUs, recvUs, answers) => {
          this.losses.succeeded();
          // The response's end time is taken before it is checked.
          const heldUs = this.settle(slot);
          const own = answers === undefined ? heldUs : 0;
          this.events.success(slot, startUs, endUs - own, sendUs, recvUs, answers);
        },
        failure: (slot, kind, message) => this.failed(slot, kind, message),
        retired: (connection) => {
          this.retiring.add(connection);
          this.replace(connection);
        },
        lost: (connection, opened, reason, slots) => this.onLost(connection, opened, reason, slots),
      },
    };
    return streaming ? new GrpcStreamConnection(options) : new GrpcConnection(options);
  }

  private replace(connection: GrpcSlotConnection): void {
    const index = this.connections.indexOf(connection);
    if (index >= 0 && !this.closed) this.connections[index] = this.open();
  }

  private onLost(
    connection: GrpcSlotConnection,
    opened: boolean,
    reason: string,
    slots: readonly number[],
  ): void {
    this.retiring.delete(connection);
    if (!this.goesOn(opened, reason)) return;
    this.replace(connection);
    for (const slot of slots) this.failed(slot, 'connection lost', reason);
  }
}

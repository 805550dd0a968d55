import type { LoadJob } from '../seam/load-job';
import type { TransportEvents } from '../seam/transport';
import { largestRequestBytes } from './batch-payloads';
import { JobTransport } from './job-transport';
import type { MultiplexedConnection, MultiplexedOptions } from './multiplexed-connection';
import type { createRequestSource } from './request-source';

/** perf_analyzer's TRITON_CLIENT_GRPC_CHANNEL_MAX_SHARE_COUNT: batches small requests in one write. */
const slotsPerConnection = 6;
/** From this size on sharing a connection costs more: requests queue in its socket and are read serially. */
const ownConnectionBytes = 256 * 1024;

const slotsOf = (job: LoadJob): number =>
  largestRequestBytes(job) < ownConnectionBytes ? slotsPerConnection : 1;

/** Own HTTP/2 implementation. Six slots share a connection, as in perf_analyzer, unless requests are large. */
export abstract class MultiplexedTransport<
  Connection extends MultiplexedConnection,
> extends JobTransport<Connection> {
  private readonly retiring = new Set<MultiplexedConnection>();
  protected readonly requestBytes: number;
  private readonly slotsPerConnection: number;

  constructor(job: LoadJob, events: TransportEvents, encode: Parameters<typeof createRequestSource>[1]) {
    super(job, events, encode, Math.ceil(job.concurrency / slotsOf(job)));
    this.requestBytes = largestRequestBytes(job);
    this.slotsPerConnection = slotsOf(job);
  }

  protected abstract connect(): Connection;

  /** For the end of a constructor: in an open loop most slots stay unused. */
  protected openFirst(): void {
    const { schedule, concurrency } = this.job;
    const first = schedule === null ? Math.ceil(concurrency / this.slotsPerConnection) : 1;
    for (let index = 0; index < first; index += 1) this.connections.push(this.connect());
  }

  start(slot: number): void {
    const index = Math.floor(slot / this.slotsPerConnection);
    // Slots are used from the lowest on, without gaps.
    while (this.connections.length <= index) this.connections.push(this.connect());
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

  /** What happens to a connection, apart from answers. */
  protected ofConnections(): Omit<MultiplexedOptions['events'], 'success'> {
    return {
      opened: (times) => {
        this.connected.add(times);
      },
      failure: (slot, kind, message) => this.failed(slot, kind, message),
      retired: (connection) => {
        this.retiring.add(connection);
        this.replace(connection);
      },
      lost: (connection, opened, reason, slots) => this.onLost(connection, opened, reason, slots),
    };
  }

  private replace(connection: MultiplexedConnection): void {
    const index = this.connections.findIndex((one) => one === connection);
    if (index >= 0 && !this.closed) this.connections[index] = this.connect();
  }

  private onLost(
    connection: MultiplexedConnection,
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

import { batchPayloads } from './batch-payloads';
import { GrpcConnection } from './grpc-connection';
import { encodeGrpcRequest } from './grpc-request';
import { encodeHeaderBlocks } from './hpack-encoder';
import type { LoadJob } from './load-job';
import { LostConnections } from './lost-connections';
import type { Transport, TransportEvents } from './transport';

/** perf_analyzer's TRITON_CLIENT_GRPC_CHANNEL_MAX_SHARE_COUNT. */
const slotsPerConnection = 6;

/** gRPC over HTTP/2 of our own; slots share connections by sixes, as perf_analyzer's do. */
export class GrpcTransport implements Transport {
  private readonly connections: GrpcConnection[] = [];
  private readonly retiring = new Set<GrpcConnection>();
  private readonly messages: readonly Buffer[];
  private readonly blocks: ReturnType<typeof encodeHeaderBlocks>;
  private readonly losses: LostConnections;
  private next = 0;
  private closed = false;

  constructor(
    private readonly job: LoadJob,
    private readonly events: TransportEvents,
  ) {
    this.messages = batchPayloads(job).map((inputs) => encodeGrpcRequest(job, inputs));
    const authority = `${job.host.includes(':') ? `[${job.host}]` : job.host}:${job.port}`;
    this.blocks = encodeHeaderBlocks([
      [':method', 'POST'],
      [':scheme', 'http'],
      [':path', '/inference.GRPCInferenceService/ModelInfer'],
      [':authority', authority],
      ['te', 'trailers'],
      ['content-type', 'application/grpc'],
      ['user-agent', 'triton-workbench'],
    ]);
    const count = Math.ceil(job.concurrency / slotsPerConnection);
    this.losses = new LostConnections(authority, count);
    for (let index = 0; index < count; index += 1) this.connections.push(this.open());
  }

  start(slot: number): void {
    this.connections[Math.floor(slot / slotsPerConnection)]?.start(slot);
  }

  close(): void {
    this.closed = true;
    for (const connection of [...this.connections, ...this.retiring]) connection.close();
  }

  private open(): GrpcConnection {
    return new GrpcConnection({
      host: this.job.host,
      port: this.job.port,
      blocks: this.blocks,
      nextMessage: () => {
        const message = this.messages[this.next] ?? Buffer.alloc(0);
        this.next = (this.next + 1) % this.messages.length;
        return message;
      },
      events: {
        success: (slot, startUs, endUs, sendUs, recvUs) => {
          this.losses.succeeded();
          this.events.success(slot, startUs, endUs, sendUs, recvUs);
        },
        failure: (slot, kind, message) => {
          this.events.failure(slot, kind, message);
        },
        retired: (connection) => {
          this.retiring.add(connection);
          this.replace(connection);
        },
        lost: (connection, opened, reason, slots) => {
          this.onLost(connection, opened, reason, slots);
        },
      },
    });
  }

  private replace(connection: GrpcConnection): void {
    const index = this.connections.indexOf(connection);
    if (index >= 0 && !this.closed) this.connections[index] = this.open();
  }

  private onLost(
    connection: GrpcConnection,
    opened: boolean,
    reason: string,
    slots: readonly number[],
  ): void {
    this.retiring.delete(connection);
    if (this.closed) return;
    const end = this.losses.lost(opened, reason);
    if (end !== null) {
      this.close();
      this.events.fatal(end);
      return;
    }
    this.replace(connection);
    for (const slot of slots) this.events.failure(slot, 'connection lost', reason);
  }
}

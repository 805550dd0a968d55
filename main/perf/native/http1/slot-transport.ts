import { largestRequestBytes } from '../requests/batch-payloads';
import { JobTransport } from '../requests/job-transport';
import { replyLimitBytes } from '../seam/load-job';
import { cancelled } from '../seam/transport';
import type { ConnectTimes } from '../socket/socket';

/** A connection with one request at a time, of its slot. */
interface SlotConnection {
  readonly slot: number;
  /** A request is under way. */
  readonly occupied: boolean;
  start(): void;
  close(): void;
}

/** HTTP/1.1: one connection per slot, opened again where it ended or was lost. */
export abstract class SlotTransport<Connection extends SlotConnection> extends JobTransport<Connection> {
  protected abstract connect(slot: number): Connection;

  start(slot: number): void {
    while (this.connections.length <= slot) this.open(this.connections.length);
    this.connections[slot]?.start();
  }

  /** HTTP/1.1 has no other way than to close the connection. */
  cancel(slot: number): void {
    const connection = this.connections[slot];
    if (connection?.occupied !== true) return;
    connection.close();
    this.replace(connection);
    this.failed(slot, cancelled.kind, cancelled.message);
  }

  /** What the owner of the connections does for each of them. */
  protected ofSlots() {
    const { job, events, source, losses } = this;
    return {
      target: {
        ...{ host: job.host, port: job.port, tls: job.tls, protocol: 'http/1.1' as const },
        requestBytes: largestRequestBytes(job),
      },
      ...{ events, source, losses },
      opened: (times: ConnectTimes) => {
        this.connected.add(times);
      },
      replyLimitBytes: replyLimitBytes(job),
      failed: (slot: number, kind: string, message: string) => {
        this.failed(slot, kind, message);
      },
      ended: (connection: Connection) => {
        this.replace(connection);
      },
      lost: (connection: Connection, opened: boolean, reason: string) => {
        if (!this.goesOn(opened, reason)) return;
        this.replace(connection);
        if (connection.occupied) this.failed(connection.slot, 'connection lost', reason);
      },
    };
  }

  /** For the end of a constructor: in an open loop most slots stay unused. */
  protected openFirst(): void {
    const { schedule, concurrency } = this.job;
    const first = schedule === null ? concurrency : 1;
    for (let slot = 0; slot < first; slot += 1) this.open(slot);
  }

  private open(slot: number): void {
    this.connections[slot] = this.connect(slot);
  }

  private replace(connection: Connection): void {
    if (!this.closed) this.open(connection.slot);
  }
}

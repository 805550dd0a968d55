import type { LoadJob } from '../seam/load-job';
import {
  authorityOf,
  type ConnectionSums,
  type FailureCount,
  FailureCounter,
  noConnections,
  noOutputChecks,
  type OutputCheckCounts,
  ReconnectPolicy,
  type SharedChecks,
  type Transport,
  type TransportEvents,
} from '../seam/transport';
import type { ConnectTimes } from '../socket/socket';
import { OutputValidator } from './output-validator';
import { createRequestSource, type RequestSource } from './request-source';

class ConnectionTally {
  sums: ConnectionSums = noConnections;

  add({ connectUs, tlsUs }: ConnectTimes): void {
    const { sums } = this;
    this.sums = {
      count: sums.count + 1,
      connectUs: sums.connectUs + connectUs,
      tlsUs: tlsUs === null ? sums.tlsUs : (sums.tlsUs ?? 0) + tlsUs,
    };
  }
}

/** Shared by all protocols: requests, response checks and the end of a job. */
export abstract class JobTransport<Connection extends { close(): void }> implements Transport {
  protected readonly connections: Connection[] = [];
  protected readonly connected = new ConnectionTally();
  protected readonly source: RequestSource;
  protected readonly validator: OutputValidator | null;
  protected readonly losses: ReconnectPolicy;
  protected closed = false;
  private readonly wrong = new FailureCounter();

  constructor(
    protected readonly job: LoadJob,
    protected readonly events: TransportEvents,
    encode: Parameters<typeof createRequestSource>[1],
    connections: number,
  ) {
    this.source = createRequestSource(job, encode, (slot) => events.requestOf?.(slot) ?? 0);
    this.validator =
      job.outputChecks === null
        ? null
        : new OutputValidator(job.outputChecks, { ...job, partOf: this.source.partOf });
    this.losses = new ReconnectPolicy(authorityOf(job), connections);
  }

  abstract start(slot: number): void;

  abstract cancel(slot: number): void;

  get checks(): SharedChecks {
    return { checked: this.source.checked, wrong: this.source.wrong };
  }

  get outputs(): OutputCheckCounts {
    return this.validator?.counts ?? noOutputChecks;
  }

  get faults(): readonly FailureCount[] {
    return this.wrong.counts;
  }

  get opened(): ConnectionSums {
    return this.connected.sums;
  }

  closeSequence(slot: number): boolean {
    return this.source.closeSequence(slot);
  }

  get sequencesEnded(): number {
    return this.source.sequencesEnded;
  }

  close(): void {
    if (this.closed) return;
    this.closed = true;
    for (const connection of this.connections) connection.close();
    this.source.close();
  }

  /** A request is answered. @returns time spent on checks */
  protected settle(slot: number): number {
    const checked = this.validator?.take(slot) ?? null;
    const fault = this.source.check(slot) ?? checked?.fault ?? null;
    if (fault !== null) this.wrong.add(fault.kind, fault.message);
    return checked?.heldUs ?? 0;
  }

  protected failed(slot: number, kind: string, message: string): void {
    this.validator?.forget(slot);
    this.source.failed(slot);
    this.events.failure(slot, kind, message);
  }

  /** A connection was lost. @returns whether to reconnect; otherwise the job ends */
  protected goesOn(opened: boolean, reason: string): boolean {
    if (this.closed) return false;
    const end = this.losses.lost(opened, reason);
    if (end === null) return true;
    this.close();
    this.events.fatal(end);
    return false;
  }
}

import { createRandom } from '../../../domain/random';
import type { CancellationJob } from '../seam/load-job';
import type { Transport, TransportEvents } from '../seam/transport';

/** A transport whose requests are cancelled in part, some time after their send. */
export class CancellingTransport implements Transport {
  private readonly inner: Transport;
  private readonly timers: (NodeJS.Timeout | undefined)[] = [];
  private readonly next: () => number;

  constructor(
    make: (events: TransportEvents) => Transport,
    events: TransportEvents,
    private readonly job: CancellationJob,
  ) {
    this.next = createRandom(job.seed);
    this.inner = make({
      success: (slot, ...times) => {
        this.clear(slot);
        events.success(slot, ...times);
      },
      failure: (slot, kind, message) => {
        this.clear(slot);
        events.failure(slot, kind, message);
      },
      requestOf: (slot) => events.requestOf?.(slot) ?? 0,
      fatal: (error) => events.fatal(error),
    });
  }

  start(slot: number): void {
    const { share, delayMs } = this.job;
    if (this.next() < share) this.timers[slot] = setTimeout(() => this.cancel(slot), delayMs);
    this.inner.start(slot);
  }

  cancel(slot: number): void {
    this.inner.cancel(slot);
  }

  closeSequence(slot: number): boolean {
    return this.inner.closeSequence(slot);
  }

  get sequencesEnded(): number {
    return this.inner.sequencesEnded;
  }

  get checks(): Transport['checks'] {
    return this.inner.checks;
  }

  get outputs(): Transport['outputs'] {
    return this.inner.outputs;
  }

  get faults(): Transport['faults'] {
    return this.inner.faults;
  }

  get opened(): Transport['opened'] {
    return this.inner.opened;
  }

  close(): void {
    for (const timer of this.timers) clearTimeout(timer);
    this.inner.close();
  }

  private clear(slot: number): void {
    clearTimeout(this.timers[slot]);
    this.timers[slot] = undefined;
  }
}

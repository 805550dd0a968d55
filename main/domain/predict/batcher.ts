import { largestOf } from '../statistics';

/** Requests of one execution; like Triton's, it grows until an instance takes it. */
interface Payload {
  readonly requests: number[];
  rows: number;
  startUs: number;
  isQueued: boolean;
  isTaken: boolean;
}

export interface BatcherRules {
  readonly isDynamic: boolean;
  readonly maxBatchSize: number;
  readonly preferredBatchSizes: readonly number[];
  readonly maxQueueDelayUs: number;
  readonly instances: number;
  /** 0: one queue. With levels a batch is formed only when an instance is free. */
  readonly priorityLevels: number;
}

export interface Requests {
  rowsOf(request: number): number;
  arrivedUs(request: number): number;
  /** From 0, served first. */
  priorityOf(request: number): number;
}

/** FIFO queue of numbers that does not move its content. */
class Fifo {
  private readonly items: number[] = [];
  private head = 0;

  get length(): number {
    return this.items.length - this.head;
  }

  push(item: number): void {
    this.items.push(item);
  }

  at(index: number): number | undefined {
    return this.items[this.head + index];
  }

  shift(): number | undefined {
    const item = this.items[this.head];
    if (item !== undefined) this.head += 1;
    return item;
  }
}

const emptyPayload = (): Payload => ({
  requests: [],
  rows: 0,
  startUs: Infinity,
  isQueued: false,
  isTaken: false,
});

/** Tolerance for sums of floating-point times. */
const tinyUs = 1e-3;

/** After dynamic_batch_scheduler.cc, rate_limiter.cc and instance_queue.cc: two payloads prefetched per instance. */
export class Batcher {
  private readonly queues: readonly Fifo[];
  private readonly preferred: ReadonlySet<number>;
  private readonly sizes: readonly number[];
  private readonly maxPreferred: number;
  private readonly payloads: Payload[] = [];
  private payloadHead = 0;
  private current = emptyPayload();
  private isSaturated = false;
  private nextPreferred = 0;
  private queuedRows = 0;
  private waiting = 0;
  private pending = { count: 0, rows: 0 };
  /** Time of the next check without an arrival or a free instance. */
  wakeAtUs = Infinity;

  constructor(
    private readonly rules: BatcherRules,
    private readonly requests: Requests,
  ) {
    this.queues = Array.from({ length: Math.max(1, rules.priorityLevels) }, () => new Fifo());
    const within = rules.preferredBatchSizes.filter((size) => size <= rules.maxBatchSize);
    this.sizes = within.length === 0 ? [rules.maxBatchSize] : [...within].sort((a, b) => a - b);
    this.preferred = new Set(this.sizes);
    this.maxPreferred = largestOf(this.sizes);
  }

  get waitingCount(): number {
    return this.waiting;
  }

  get queuedPayloads(): number {
    return this.payloads.length - this.payloadHead;
  }

  /** @returns whether the batcher must run now */
  add(request: number, idle: number): boolean {
    this.waiting += 1;
    const rows = this.requests.rowsOf(request);
    if (!this.rules.isDynamic) {
      const startUs = this.requests.arrivedUs(request);
      this.payloads.push({ requests: [request], rows, startUs, isQueued: true, isTaken: false });
      return true;
    }
    this.queues[this.requests.priorityOf(request)]?.push(request);
    this.queuedRows += rows;
    const isStale = this.isSaturated || this.current.isTaken;
    return this.hasSlot(idle) && (isStale || this.queuedRows >= this.nextPreferred);
  }

  private hasSlot(idle: number): boolean {
    return this.rules.priorityLevels > 0
      ? idle > this.queuedPayloads
      : this.queuedPayloads < 2 * this.rules.instances;
  }

  /** Forms the next payload. @returns whether one was queued: an instance may take it before the batcher continues */
  run(nowUs: number, idle: number): boolean {
    if (!this.rules.isDynamic) return false;
    this.wakeAtUs = Infinity;
    for (;;) {
      if (this.isSaturated || this.current.isTaken) {
        this.current = emptyPayload();
        this.isSaturated = false;
        this.nextPreferred = 0;
      }
      if (this.queues.every(({ length }) => length === 0) || !this.hasSlot(idle)) return false;
      const waitUs = this.examine(nowUs);
      if (waitUs > 0) {
        this.wakeAtUs = nowUs + waitUs;
        return false;
      }
      this.move();
      if (!this.current.isQueued && this.current.requests.length > 0) {
        this.current.isQueued = true;
        this.payloads.push(this.current);
        return true;
      }
    }
  }

  private move(): void {
    for (let left = this.pending.count; left > 0; left -= 1) {
      const request = this.queues.find(({ length }) => length > 0)?.shift();
      if (request === undefined) break;
      const rows = this.requests.rowsOf(request);
      this.queuedRows -= rows;
      this.current.requests.push(request);
      this.current.rows += rows;
      this.current.startUs = Math.min(this.current.startUs, this.requests.arrivedUs(request));
    }
  }

  /** GetDynamicBatch. @returns microseconds to wait; 0: the pending requests go now */
  private examine(nowUs: number): number {
    const { maxQueueDelayUs: delayUs } = this.rules;
    const own = this.current.rows;
    const { best, all, isFull, oldestUs } = this.collect(own);
    const isLate = delayUs > 0 && nowUs - oldestUs >= delayUs - tinyUs;
    if (best.rows !== 0 && !isLate) {
      if (delayUs === 0) this.isSaturated = true;
      this.pending = best;
      return 0;
    }
    this.pending = all;
    if (all.count === 0) return 0;
    if (isFull || own + all.rows >= this.maxPreferred) {
      this.isSaturated = true;
      return 0;
    }
    if (isLate || delayUs === 0) return 0;
    this.aimAbove(own, own + all.rows);
    // A waiting payload takes what is there, unless it has a preferred size.
    if (!this.isSaturated && own !== 0 && !this.preferred.has(own)) return 0;
    return Math.max(tinyUs, delayUs - (nowUs - oldestUs));
  }

  /** Rows that wake the batcher before the delay is over. */
  private aimAbove(own: number, rows: number): void {
    const next = this.sizes.find((size) => size > rows) ?? this.sizes[0] ?? 0;
    // Triton subtracts unsigned: a negative result is never reached.
    this.nextPreferred = next < own ? Infinity : next - own;
  }

  /** Walks the queue as far as a batch can reach. */
  private collect(own: number) {
    let best = { count: 0, rows: 0 };
    let all = { count: 0, rows: 0 };
    let oldestUs = Infinity;
    for (const queue of this.queues) {
      for (let index = 0; index < queue.length; index += 1) {
        const request = queue.at(index) ?? 0;
        const rows = own + all.rows + this.requests.rowsOf(request);
        if (own + all.count !== 0) {
          if (rows > this.maxPreferred && best.rows === 0) {
            best = all;
            this.isSaturated = true;
          }
          if (rows > this.rules.maxBatchSize) return { best, all, isFull: true, oldestUs };
        }
        all = { count: all.count + 1, rows: rows - own };
        oldestUs = Math.min(oldestUs, this.requests.arrivedUs(request));
        if (this.preferred.has(rows)) best = all;
      }
    }
    return { best, all, isFull: false, oldestUs: all.count === 0 ? -Infinity : oldestUs };
  }

  /** First payload for a free instance, with later overdue ones that fit; null without one. */
  take(nowUs: number): { readonly requests: readonly number[]; readonly rows: number } | null {
    const taken = this.payloads[this.payloadHead];
    if (taken === undefined) return null;
    this.drop();
    taken.isTaken = true;
    const { maxQueueDelayUs, maxBatchSize } = this.rules;
    const merges = this.rules.isDynamic && maxQueueDelayUs > 0 && maxBatchSize > 1;
    while (merges) {
      const next = this.payloads[this.payloadHead];
      if (next === undefined || !(nowUs - next.startUs > maxQueueDelayUs)) break;
      // One that does not fit stops growing, too.
      next.isTaken = true;
      if (taken.rows + next.rows > maxBatchSize) break;
      taken.requests.push(...next.requests);
      taken.rows += next.rows;
      this.drop();
    }
    this.waiting -= taken.requests.length;
    return taken;
  }

  private drop(): void {
    this.payloadHead += 1;
    if (this.payloadHead < 1024) return;
    this.payloads.splice(0, this.payloadHead);
    this.payloadHead = 0;
  }
}

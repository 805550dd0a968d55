import { createRandom } from '../random';
import { type Arrivals, arrivalSource } from './arrivals';
import { Batcher, type BatcherRules } from './batcher';
import { Instances } from './instances';
import type { Overhead } from './overhead';
import type { ServiceTable } from './service-times';
import { drawFactor, type ServiceVariation } from './variation';

export interface Simulation {
  readonly rules: BatcherRules;
  readonly table: ServiceTable;
  /** Of execution times. Empty: each takes the mean. */
  readonly variation: readonly ServiceVariation[];
  readonly overhead: Overhead;
  readonly arrivals: Arrivals;
  readonly rowsPerRequest: number;
  /** Shares by priority, first served first, adding up to 1. Empty: one priority. */
  readonly priorityShares: readonly number[];
  readonly requestCount: number;
  readonly warmupCount: number;
  readonly seed: number;
}

/** Times per counted request, and sums; microseconds. */
export interface Simulated {
  /** From arrival to the answer, by request. */
  readonly responseUs: Float64Array;
  readonly queueUs: Float64Array;
  readonly answeredRows: number;
  readonly executedRows: number;
  readonly executions: number;
  /** Time span of the counted answers. */
  readonly spanUs: number;
  readonly busyUs: number;
  readonly waitingAtEnd: number;
  readonly isOutside: boolean;
}

/** Priority of a request, by shares that add up to 1. */
function drawnPriority(shares: readonly number[], value: number): number {
  let sum = 0;
  const found = shares.findIndex((share) => {
    sum += share;
    return value < sum;
  });
  return found === -1 ? Math.max(0, shares.length - 1) : found;
}

/** Arrival, wait, start and end of each request are fewer: with more, times are too small for the clock to advance. */
const mostEventsPerRequest = 50;

class Run {
  private readonly count: number;
  private readonly arrived: Float64Array;
  private readonly started: Float64Array;
  private readonly answeredAt: Float64Array;
  /** Until when answers are passed on, one after the other. */
  private passingUntilUs = 0;
  private readonly priorities: Uint8Array;
  private readonly batcher: Batcher;
  private readonly instances: Instances;
  private readonly source;
  private readonly random: () => number;
  private nowUs = 0;
  private arrivedCount = 0;
  private answered = 0;
  private answeredRows = 0;
  private executedRows = 0;
  private executions = 0;
  private countedFrom = { us: 0, workedUs: 0 };
  private countedTo = { us: 0, workedUs: 0 };
  private waitingAtEnd = 0;
  private isOutside = false;

  constructor(private readonly of: Simulation) {
    const { arrivals, rules, seed } = of;
    this.count = arrivals.kind === 'recorded' ? arrivals.timesUs.length : of.requestCount;
    this.arrived = new Float64Array(this.count);
    this.started = new Float64Array(this.count);
    this.answeredAt = new Float64Array(this.count);
    this.priorities = new Uint8Array(this.count);
    this.source = arrivalSource(arrivals, this.count, seed);
    // Separate from the arrivals' stream, so that one can change without the other.
    this.random = createRandom(seed ^ 0x5bd1e995);
    this.instances = new Instances(rules.instances, of.table);
    this.batcher = new Batcher(rules, {
      rowsOf: (request) => this.rowsOf(request),
      arrivedUs: (request) => this.arrived[request] ?? 0,
      priorityOf: (request) => this.priorities[request] ?? 0,
    });
  }

  private rowsOf(request: number): number {
    const { arrivals, rowsPerRequest } = this.of;
    return arrivals.kind === 'recorded' ? (arrivals.rows?.[request] ?? rowsPerRequest) : rowsPerRequest;
  }

  result(): Simulated {
    let eventsLeft = mostEventsPerRequest * this.count;
    while (this.answered < this.count) {
      eventsLeft -= 1;
      if (eventsLeft < 0) {
        this.isOutside = true;
        break;
      }
      const untilEndUs = this.instances.nextEndUs();
      const endUs = this.nowUs + untilEndUs;
      const nextUs = Math.min(endUs, this.source.nextUs, this.batcher.wakeAtUs);
      // Times that are no numbers have no next one either.
      if (!(nextUs < Infinity)) break;
      // Not a difference of times: that of a short one is lost in a long simulation, and it would never end.
      this.pass(nextUs, nextUs === endUs ? untilEndUs : nextUs - this.nowUs);
    }
    const { warmupCount, arrivals } = this.of;
    if (arrivals.kind === 'recorded') this.mark('countedTo');
    const responses = this.answeredAt.map((us, request) => us - (this.arrived[request] ?? 0));
    const queues = this.started.map((us, request) => us - (this.arrived[request] ?? 0));
    return {
      responseUs: responses.subarray(warmupCount),
      queueUs: queues.subarray(warmupCount),
      answeredRows: this.answeredRows,
      executedRows: this.executedRows,
      executions: this.executions,
      spanUs: this.countedTo.us - this.countedFrom.us,
      busyUs: this.countedTo.workedUs - this.countedFrom.workedUs,
      waitingAtEnd: this.waitingAtEnd,
      isOutside: this.isOutside,
    };
  }

  private pass(nextUs: number, elapsedUs: number): void {
    const ended = this.instances.advance(elapsedUs);
    this.nowUs = nextUs;
    for (const { requests, rows } of ended) this.end(requests, rows);
    if (ended.length > 0) this.settle();
    while (this.source.nextUs <= nextUs) {
      if (this.arrive()) this.settle();
    }
    if (this.batcher.wakeAtUs <= nextUs) this.settle();
  }

  private arrive(): boolean {
    const request = this.arrivedCount;
    this.arrived[request] = this.source.nextUs;
    if (this.of.priorityShares.length > 0) {
      this.priorities[request] = drawnPriority(this.of.priorityShares, this.random());
    }
    this.source.shift();
    this.arrivedCount += 1;
    if (request === this.of.warmupCount) this.mark('countedFrom');
    const isSeen = this.batcher.add(request, this.instances.idle);
    if (this.arrivedCount === this.count) {
      this.waitingAtEnd = this.batcher.waitingCount;
      this.mark('countedTo');
    }
    return isSeen;
  }

  /** Recorded requests count to the last answer, others to the last send: then the load fades out. */
  private get isCounting(): boolean {
    const { arrivals, warmupCount } = this.of;
    return (
      this.arrivedCount > warmupCount && (arrivals.kind === 'recorded' || this.arrivedCount < this.count)
    );
  }

  private mark(name: 'countedFrom' | 'countedTo'): void {
    this[name] = { us: this.nowUs, workedUs: this.instances.workedUs };
  }

  private end(requests: readonly number[], rows: number): void {
    if (this.isCounting) this.answeredRows += rows;
    this.answered += requests.length;
    const { fixedUs, perAnswerUs } = this.of.overhead;
    // The answers of a batch are passed on together, and the next requests of their connections come together.
    this.passingUntilUs = Math.max(this.passingUntilUs, this.nowUs) + perAnswerUs * requests.length;
    const answeredUs = this.passingUntilUs + fixedUs;
    for (const request of requests) {
      this.answeredAt[request] = answeredUs;
      this.source.answered(answeredUs);
    }
  }

  /** Runs batcher and free instances until both are idle. */
  private settle(): void {
    let isBusy = true;
    while (isBusy) {
      isBusy = false;
      while (this.instances.idle > 0) {
        const payload = this.batcher.take(this.nowUs);
        if (payload === null) break;
        this.start(payload.requests, payload.rows);
        isBusy = true;
      }
      if (this.batcher.run(this.nowUs, this.instances.idle)) isBusy = true;
    }
  }

  private start(requests: readonly number[], rows: number): void {
    const busy = this.instances.busy + 1;
    const drawn = drawFactor(this.of.variation, { batch: rows, busy }, this.random);
    const isOutside = this.instances.start(requests, rows, drawn);
    for (const request of requests) this.started[request] = this.nowUs;
    if (!this.isCounting) return;
    if (isOutside) this.isOutside = true;
    this.executions += 1;
    this.executedRows += rows;
  }
}

/** Runs to the last answer; deterministic. */
export const simulate = (simulation: Simulation): Simulated => new Run(simulation).result();

import type { ServiceTable } from './service-times';

interface Execution {
  readonly requests: readonly number[];
  readonly rows: number;
  /** Of the time that the table has for it: executions vary. */
  readonly factor: number;
  /** Share that is still to be done, 1 at the start. */
  left: number;
}

/** Of an execution: less is a rounding error of the clock. */
const doneBelow = 1e-6;

/**
 * The instances of a model. Each execution proceeds at the pace that the table has for the instances at work at the time,
 * so that one that starts beside another slows that one down as well.
 */
export class Instances {
  private running: Execution[] = [];
  private busyUs = 0;

  constructor(
    private readonly count: number,
    private readonly table: ServiceTable,
  ) {}

  get idle(): number {
    return this.count - this.running.length;
  }

  /** Microseconds of instances at work so far, over all instances. */
  get workedUs(): number {
    return this.busyUs;
  }

  /** @returns whether the time of an execution is now one that nothing was measured of. */
  start(requests: readonly number[], rows: number, factor: number): boolean {
    this.running.push({ requests, rows, factor, left: 1 });
    return this.running.some((execution) => this.table.isOutside(execution.rows, this.running.length));
  }

  /** Microseconds until the next execution ends, if none starts before; Infinity without one. */
  nextEndUs(): number {
    let next = Infinity;
    for (const { rows, factor, left } of this.running) {
      next = Math.min(next, left * factor * this.table.timeUs(rows, this.running.length));
    }
    return next;
  }

  /** Lets time pass. @returns the executions that have ended. */
  advance(us: number): readonly Execution[] {
    const busy = this.running.length;
    if (busy === 0) return [];
    this.busyUs += us * busy;
    let hasEnded = false;
    for (const execution of this.running) {
      execution.left -= us / (execution.factor * this.table.timeUs(execution.rows, busy));
      if (execution.left <= doneBelow) hasEnded = true;
    }
    if (!hasEnded) return [];
    const ended = this.running.filter(({ left }) => left <= doneBelow);
    this.running = this.running.filter(({ left }) => left > doneBelow);
    return ended;
  }
}

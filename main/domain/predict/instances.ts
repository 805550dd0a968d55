import type { ServiceTable } from './service-times';

interface Execution {
  readonly requests: readonly number[];
  readonly rows: number;
  /** Factor on the table's time, as executions vary. */
  readonly factor: number;
  /** Remaining share, 1 at the start. */
  left: number;
}

/** Remainders below are rounding errors of the clock. */
const doneBelow = 1e-6;

/** Executions proceed at the pace for the currently busy instances: a new one slows the others. */
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

  get busy(): number {
    return this.running.length;
  }

  /** Busy microseconds so far, over all instances. */
  get workedUs(): number {
    return this.busyUs;
  }

  /** @returns whether the execution's time was never measured */
  start(requests: readonly number[], rows: number, factor: number): boolean {
    this.running.push({ requests, rows, factor, left: 1 });
    return this.running.some((execution) => this.table.isOutside(execution.rows, this.running.length));
  }

  /** Microseconds to the next end, if nothing starts before; Infinity without one. */
  nextEndUs(): number {
    let next = Infinity;
    for (const { rows, factor, left } of this.running) {
      next = Math.min(next, left * factor * this.table.timeUs(rows, this.running.length));
    }
    return next;
  }

  /** @returns the executions that end within `us` */
  advance(us: number): readonly Execution[] {
    const busy = this.running.length;
    if (busy === 0) return [];
    this.busyUs += us * busy;
    let hasEnded = false;
    for (const execution of this.running) {
      const wholeUs = execution.factor * this.table.timeUs(execution.rows, busy);
      execution.left -= wholeUs > 0 ? us / wholeUs : execution.left;
      if (execution.left <= doneBelow) hasEnded = true;
    }
    if (!hasEnded) return [];
    const ended = this.running.filter(({ left }) => left <= doneBelow);
    this.running = this.running.filter(({ left }) => left > doneBelow);
    return ended;
  }
}

import type { FailureCount, RecordedWindow } from './worker-messages';

const firstCapacity = 1 << 14;
/** Kinds beyond this many are counted together: the server chooses the texts. */
const maxKinds = 50;

export class FailureCounter {
  private readonly byKind = new Map<string, { count: number; message: string }>();

  add(kind: string, message: string): void {
    const key = this.byKind.has(kind) || this.byKind.size < maxKinds ? kind : 'other';
    const entry = this.byKind.get(key);
    if (entry === undefined) this.byKind.set(key, { count: 1, message: message.slice(0, 2000) });
    else entry.count += 1;
  }

  get counts(): FailureCount[] {
    return [...this.byKind].map(([kind, entry]) => ({ kind, ...entry }));
  }
}

/** What ends within one window. Grows by doubling; nothing is allocated for a single request. */
export class WindowRecorder {
  private latencies = new Float64Array(firstCapacity);
  private count = 0;
  private sendSumUs = 0;
  private recvSumUs = 0;
  private failed = 0;
  private failures = new FailureCounter();
  private blocks: number[] = [];
  private startUs = 0;

  constructor(private readonly blockUs: number) {}

  /** Requests that ended, well or badly. */
  get ended(): number {
    return this.count + this.failed;
  }

  begin(startUs: number): void {
    this.latencies = new Float64Array(Math.max(firstCapacity, this.count));
    this.count = 0;
    this.sendSumUs = 0;
    this.recvSumUs = 0;
    this.failed = 0;
    this.failures = new FailureCounter();
    this.blocks = [];
    this.startUs = startUs;
  }

  success(latencyUs: number, endUs: number, sendUs: number, recvUs: number): void {
    if (this.count === this.latencies.length) {
      const larger = new Float64Array(this.latencies.length * 2);
      larger.set(this.latencies);
      this.latencies = larger;
    }
    this.latencies[this.count] = latencyUs;
    this.count += 1;
    this.sendSumUs += sendUs;
    this.recvSumUs += recvUs;
    const block = Math.floor((endUs - this.startUs) / this.blockUs);
    while (this.blocks.length <= block) this.blocks.push(0);
    this.blocks[block] = (this.blocks[block] ?? 0) + 1;
  }

  failure(kind: string, message: string): void {
    this.failed += 1;
    this.failures.add(kind, message);
  }

  /** The window up to `endUs`. The latencies are handed over and may be transferred. */
  close(endUs: number, loopUtilization: number): RecordedWindow {
    const durationUs = endUs - this.startUs;
    const whole = Math.floor(durationUs / this.blockUs + 1e-3);
    const blockCounts = Array.from({ length: whole }, (_unused, index) => this.blocks[index] ?? 0);
    return {
      durationUs,
      latenciesUs: this.latencies.slice(0, this.count),
      sendSumUs: this.sendSumUs,
      recvSumUs: this.recvSumUs,
      failures: this.failures.counts,
      blockCounts,
      blockUs: this.blockUs,
      loopUtilization,
    };
  }
}

import type { ProbeFigures } from '../contract/monitor';
import { percentileOf } from '../perf/percentile';

/** Percentiles are over the probes of this long. */
const windowMs = 60_000;

interface Probed {
  readonly endedMs: number;
  /** null: it failed. */
  readonly fromScheduleUs: number | null;
  readonly fromSendUs: number | null;
}

/** The probes of the last minute. */
export class ProbeWindow {
  private probes: Probed[] = [];
  private worstUs: number | null = null;

  succeeded(endedMs: number, fromScheduleUs: number, fromSendUs: number): void {
    this.probes.push({ endedMs, fromScheduleUs, fromSendUs });
    this.worstUs = Math.max(this.worstUs ?? 0, fromScheduleUs);
  }

  failed(endedMs: number): void {
    this.probes.push({ endedMs, fromScheduleUs: null, fromSendUs: null });
  }

  /** As of now; the slowest since the last call is told once. */
  figures(nowMs: number): ProbeFigures {
    this.probes = this.probes.filter((probe) => probe.endedMs > nowMs - windowMs);
    const { worstUs } = this;
    this.worstUs = null;
    const sorted = (values: readonly (number | null)[]): Float64Array =>
      Float64Array.from(values.filter((value) => value !== null)).sort();
    const schedule = sorted(this.probes.map((probe) => probe.fromScheduleUs));
    const send = sorted(this.probes.map((probe) => probe.fromSendUs));
    const at = (values: Float64Array, percent: number): number | null =>
      values.length === 0 ? null : percentileOf(values, percent);
    return {
      count: this.probes.length,
      failures: this.probes.length - schedule.length,
      p50Us: at(schedule, 50),
      p95Us: at(schedule, 95),
      p99Us: at(schedule, 99),
      sendP99Us: at(send, 99),
      worstUs,
    };
  }
}

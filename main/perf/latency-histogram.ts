import type { Spread } from '../contract/measured/spread';
import { roundUs } from '../contract/numbers';

/** Bins per octave; a value is read as its bin's middle. */
const parts = 1024;
const partBits = 10;
/** 1 ns to 2^41 ns (36 minutes); larger values are clamped. */
const octaves = 32;
const size = parts * octaves;

/** Largest relative error: half a bin at an octave's lower end. */
export const histogramError = 1 / (2 * parts);

/** Log-linear: 1024 bins per octave (exact below 1024 ns), 128 KiB. Mean, minimum and maximum are exact. */
export class LatencyHistogram {
  private counts = new Uint32Array(size);
  private total = 0;
  private sumUs = 0;
  private smallestUs = Infinity;
  private largestUs = 0;

  get count(): number {
    return this.total;
  }

  /** 0 without values. */
  get avgUs(): number {
    return this.total === 0 ? 0 : this.sumUs / this.total;
  }

  get maxUs(): number {
    return this.largestUs;
  }

  add(latencyUs: number): void {
    const ns = Math.max(0, latencyUs * 1000);
    const index = indexOf(ns);
    this.counts[index] = (this.counts[index] ?? 0) + 1;
    this.total += 1;
    this.sumUs += latencyUs;
    if (latencyUs < this.smallestUs) this.smallestUs = latencyUs;
    if (latencyUs > this.largestUs) this.largestUs = latencyUs;
  }

  merge(other: LatencyHistogram | HistogramData): void {
    const { counts, total, sumUs, smallestUs, largestUs } =
      other instanceof LatencyHistogram ? other.data() : other;
    if (total === 0) return;
    const last = indexOf(largestUs * 1000);
    for (let index = indexOf(smallestUs * 1000); index <= last; index += 1) {
      const more = counts[index] ?? 0;
      if (more > 0) this.counts[index] = (this.counts[index] ?? 0) + more;
    }
    this.total += total;
    this.sumUs += sumUs;
    this.smallestUs = Math.min(this.smallestUs, smallestUs);
    this.largestUs = Math.max(this.largestUs, largestUs);
  }

  clear(): void {
    if (this.total > 0) this.counts.fill(0);
    this.total = 0;
    this.sumUs = 0;
    this.smallestUs = Infinity;
    this.largestUs = 0;
  }

  /** Nearest rank on n - 1, within {@link histogramError}. Throws a RangeError if empty. */
  percentile(percent: number): number {
    if (this.total === 0) throw new RangeError(`No ${percent}th percentile of 0 values`);
    const rank = Math.floor((percent / 100) * (this.total - 1) + 0.5);
    let seen = 0;
    for (let index = indexOf(this.smallestUs * 1000); index < size; index += 1) {
      seen += this.counts[index] ?? 0;
      if (seen > rank) return Math.min(this.largestUs, Math.max(this.smallestUs, middleOf(index) / 1000));
    }
    return this.largestUs;
  }

  /** `count` logarithmic classes from minimum to maximum. */
  bins(count: number): { readonly edgesUs: number[]; readonly counts: number[] } {
    if (this.total === 0) return { edgesUs: [], counts: [] };
    const low = Math.max(this.smallestUs, 1e-3);
    const factor = (Math.max(this.largestUs, low) / low) ** (1 / count);
    const edgesUs = Array.from({ length: count + 1 }, (_unused, index) => low * factor ** index);
    const counts = Array<number>(count).fill(0);
    const last = indexOf(this.largestUs * 1000);
    for (let index = indexOf(this.smallestUs * 1000); index <= last; index += 1) {
      const more = this.counts[index] ?? 0;
      if (more === 0) continue;
      const over = Math.max(middleOf(index) / 1000, low) / low;
      const at = factor === 1 ? 0 : Math.floor(Math.log(over) / Math.log(factor));
      const bin = Math.min(count - 1, at);
      counts[bin] = (counts[bin] ?? 0) + more;
    }
    return { edgesUs, counts };
  }

  /** Structured-cloneable; shares the counts. */
  data(): HistogramData {
    return {
      counts: this.counts,
      total: this.total,
      sumUs: this.sumUs,
      smallestUs: this.smallestUs,
      largestUs: this.largestUs,
    };
  }
}

export interface HistogramData {
  readonly counts: Uint32Array;
  readonly total: number;
  readonly sumUs: number;
  readonly smallestUs: number;
  readonly largestUs: number;
}

/** Throws a RangeError if empty. */
export const spreadOf = (times: LatencyHistogram): Spread => ({
  avgUs: roundUs(times.avgUs),
  p50Us: roundUs(times.percentile(50)),
  p90Us: roundUs(times.percentile(90)),
  p95Us: roundUs(times.percentile(95)),
  p99Us: roundUs(times.percentile(99)),
  maxUs: roundUs(times.maxUs),
});

export function histogramOf(data: HistogramData): LatencyHistogram {
  const histogram = new LatencyHistogram();
  histogram.merge(data);
  return histogram;
}

function indexOf(ns: number): number {
  if (ns < parts) return Math.floor(ns);
  const octave = Math.floor(Math.log2(ns)) - partBits;
  // The logarithm may round up just below an octave's bound.
  const part = Math.max(0, Math.floor(ns / 2 ** octave) - parts);
  return Math.min(size - 1, (octave + 1) * parts + part);
}

function middleOf(index: number): number {
  if (index < parts) return index;
  const octave = Math.floor(index / parts) - 1;
  return (parts + (index % parts) + 0.5) * 2 ** octave;
}

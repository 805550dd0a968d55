import { formatMs, formatRate } from '../../contract/numbers';
import type { RunSummary } from '../../contract/run/run-outcome';

export type HistoryRun = Pick<
  RunSummary,
  'runId' | 'name' | 'createdAt' | 'chosen' | 'machine' | 'server' | 'engine'
>;

/** Half-widths of 95 % intervals; null: unknown. */
export interface HistoryPoint {
  readonly run: HistoryRun;
  readonly inferencesPerSecond: number;
  readonly intervalIps: number | null;
  /** Milliseconds. */
  readonly p99Ms: number;
  readonly p99IntervalMs: number | null;
  readonly steady: boolean;
}

export interface RunChange {
  readonly run: HistoryRun;
  readonly of: 'throughput' | 'p99';
  /** From the mean of the runs since the last change. */
  readonly from: number;
  readonly to: number;
  readonly isBetter: boolean;
  /** What else differs from the run before: "machine", "server", "engine". */
  readonly others: readonly string[];
  readonly text: string;
}

/** Runs with an answer, the oldest first. */
export const historyPoints = (runs: readonly HistoryRun[]): readonly HistoryPoint[] =>
  runs
    .flatMap((run) => {
      const { chosen } = run;
      if (chosen === null) return [];
      const { inferencesPerSecond, intervalIps = null, p99Us, p99IntervalUs = null, steady } = chosen;
      const p99IntervalMs = p99IntervalUs === null ? null : p99IntervalUs / 1000;
      return [{ run, inferencesPerSecond, intervalIps, p99Ms: p99Us / 1000, p99IntervalMs, steady }];
    })
    .toSorted((a, b) => a.run.createdAt.localeCompare(b.run.createdAt));

interface Value {
  readonly value: number;
  readonly interval: number;
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** From this many runs on, how far they lie apart says how much runs differ by themselves. */
const fewestForSpread = 3;

/**
 * How much a further run may differ from these without a cause: the interval of their mean and its own together, and at
 * least twice the standard deviation between them, because an interval covers one run and not what differs from run to run.
 */
function noiseOf(before: readonly Value[], next: Value): number {
  const ofMean = Math.hypot(...before.map(({ interval }) => interval)) / before.length;
  const middle = mean(before.map(({ value }) => value));
  const squares = before.map(({ value }) => (value - middle) ** 2).reduce((sum, one) => sum + one, 0);
  const spread = before.length < fewestForSpread ? 0 : 2 * Math.sqrt(squares / (before.length - 1));
  return Math.max(Math.hypot(ofMean, next.interval), spread);
}

const sides = { machine: 'machine', server: 'server', engine: 'engine' } as const;

const otherDifferences = (run: HistoryRun, before: HistoryRun): readonly string[] =>
  Object.values(sides).filter((side) => run[side] !== before[side]);

const measures = [
  {
    of: 'throughput',
    read: ({ inferencesPerSecond, intervalIps }: HistoryPoint) => [inferencesPerSecond, intervalIps] as const,
    higherIsBetter: true,
    text: (value: number) => `${formatRate(value)} inferences/s`,
  },
  {
    of: 'p99',
    read: ({ p99Ms, p99IntervalMs }: HistoryPoint) => [p99Ms, p99IntervalMs] as const,
    higherIsBetter: false,
    text: (value: number) => `${formatMs(value * 1000)} ms`,
  },
] as const;

const percentText = (from: number, to: number): string => {
  const percent = Math.round((to / from - 1) * 100);
  return `${percent < 0 ? '−' : '+'}${Math.abs(percent)} %`;
};

/**
 * Changes between runs of one model that are larger than the noise, by time. A run is compared with all since the last
 * change, so that slow drift is found too. Runs that are not steady, or whose interval is unknown, are left out: nothing
 * can be said of them.
 * @param points the oldest first
 */
export function changesOf(points: readonly HistoryPoint[]): readonly RunChange[] {
  return measures
    .flatMap(({ of, read, higherIsBetter, text }) => {
      let since: { readonly run: HistoryRun; readonly value: Value }[] = [];
      return points.flatMap((point): RunChange[] => {
        const [value, interval] = read(point);
        if (!point.steady || interval === null) return [];
        const next = { value, interval };
        const before = since.map((one) => one.value);
        const last = since.at(-1)?.run;
        since.push({ run: point.run, value: next });
        if (last === undefined) return [];
        const from = mean(before.map((one) => one.value));
        if (Math.abs(value - from) <= noiseOf(before, next)) return [];
        since = since.slice(-1);
        const others = otherDifferences(point.run, last);
        const cause = others.length === 0 ? '' : `; another ${others.join(' and ')}`;
        return [
          {
            ...{ run: point.run, of, from, to: value, others },
            isBetter: value > from === higherIsBetter,
            text: `${of === 'p99' ? 'p99' : 'Throughput'} ${percentText(from, value)}: ${text(from)} before, ${text(value)} since${cause}`,
          },
        ];
      });
    })
    .toSorted((a, b) => a.run.createdAt.localeCompare(b.run.createdAt));
}

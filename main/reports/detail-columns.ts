import { togetherText } from '../contract/level-text';
import type { LatencyName } from '../contract/latency-intervals';
import { latencyIntervalUs, latencyNames } from '../contract/latency-intervals';
import type { LoadPoint } from '../contract/results';
import type { CsvValue } from './csv';

export interface DetailColumn {
  readonly heading: string;
  /** null where the level has none of it. */
  readonly read: (point: LoadPoint) => CsvValue;
}

/** Milliseconds to the microsecond. */
const ms = (us: number | null | undefined): number | null =>
  us === null || us === undefined ? null : Number((us / 1000).toFixed(3));

const nameOf = (latency: LatencyName): string => latency.slice(0, -'Us'.length);

/** Half widths of the 95 % intervals. */
const intervalColumns: readonly DetailColumn[] = [
  {
    heading: 'Inferences/Second +/-',
    read: ({ throughputIntervalIps: ips }) => (ips === null ? null : Number(ips.toPrecision(9))),
  },
  ...latencyNames.map((name): DetailColumn => ({
    heading: `${nameOf(name)} latency +/- (ms)`,
    read: (point) => ms(latencyIntervalUs(point, name)),
  })),
];

const cacheColumns: readonly DetailColumn[] = [
  { heading: 'Server Cache Hit Count', read: ({ cache }) => cache?.hitCount ?? null },
  { heading: 'Server Cache Miss Count', read: ({ cache }) => cache?.missCount ?? null },
  { heading: 'Server Cache Hit (ms)', read: ({ cache }) => ms(cache?.hitUs) },
  { heading: 'Server Cache Miss (ms)', read: ({ cache }) => ms(cache?.missUs) },
];

const checkColumns: readonly DetailColumn[] = [
  { heading: 'Checked Response Count', read: ({ outputChecks }) => outputChecks?.checkedCount ?? null },
  { heading: 'Wrong Response Count', read: ({ outputChecks }) => outputChecks?.wrongCount ?? null },
];

const tlsColumns: readonly DetailColumn[] = [
  {
    heading: 'TLS Certificate',
    read: ({ tls }) => (tls === undefined ? null : tls.verified ? 'verified' : 'not verified'),
  },
];

const modelColumns: readonly DetailColumn[] = [
  { heading: 'Model', read: ({ model }) => model ?? null },
  { heading: 'Measured Together With', read: togetherText },
];

/** What intervals, the cache, checks of responses, TLS and models measured together add to a file; none where no level has any. */
export function detailColumnsOf(points: readonly (LoadPoint | null)[]): readonly DetailColumn[] {
  const any = (has: (point: LoadPoint) => unknown) =>
    points.some((point) => point !== null && has(point) !== undefined);
  return [
    ...(any(({ latencyIntervals }) => latencyIntervals) ? intervalColumns : []),
    ...(any(({ cache }) => cache) ? cacheColumns : []),
    ...(any(({ outputChecks }) => outputChecks) ? checkColumns : []),
    ...(any(({ tls }) => tls) ? tlsColumns : []),
    ...(any(({ model }) => model) ? modelColumns : []),
  ];
}

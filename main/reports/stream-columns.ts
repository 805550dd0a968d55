import type { LoadPoint } from '../contract/results';

export interface StreamColumn {
  readonly heading: string;
  readonly kind: 'ratio' | 'throughput' | 'latency';
  /** Times in microseconds; null where the tool does not tell, or nothing came. */
  readonly read: (point: LoadPoint) => number | null;
}

const parts = [
  ['First Response', 'firstResponse'],
  ['Inter-Response', 'interResponse'],
  ['Final Response', 'finalResponse'],
] as const;
const percentiles = [
  ['p50', 'p50Us'],
  ['p90', 'p90Us'],
  ['p95', 'p95Us'],
  ['p99', 'p99Us'],
  ['avg', 'avgUs'],
] as const;

const sequenceColumns: readonly StreamColumn[] = [
  {
    heading: 'Sequences/Second',
    kind: 'throughput',
    read: ({ sequences }) => sequences?.endedPerSecond ?? null,
  },
];

const streamColumns: readonly StreamColumn[] = [
  {
    heading: 'Responses/Request',
    kind: 'ratio',
    read: ({ streaming }) => streaming?.responsesPerRequest ?? null,
  },
  {
    heading: 'Responses/Second',
    kind: 'throughput',
    read: ({ streaming }) => streaming?.responsesPerSecond ?? null,
  },
  ...parts.flatMap(([name, part]) =>
    percentiles.map(([percent, field]): StreamColumn => ({
      heading: `${name} ${percent} (ms)`,
      kind: 'latency',
      read: ({ streaming }) => streaming?.[part]?.[field] ?? null,
    })),
  ),
];

/** What sequences and streams have beyond the published columns; none where no level was measured so. */
export function streamColumnsOf(points: readonly (LoadPoint | null)[]): readonly StreamColumn[] {
  const measured = points.flatMap((point) => point ?? []);
  return [
    ...(measured.some(({ sequences }) => sequences !== undefined) ? sequenceColumns : []),
    ...(measured.some(({ streaming }) => streaming !== undefined) ? streamColumns : []),
  ];
}

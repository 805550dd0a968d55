import type { Soaked } from '../../../contract/study/soak';
import { readingKey } from './block-of';
import { titleOfReading } from './soak-rows';
import { capital } from './soak-text';

/** Null: a gap. */
export type ChartPoint = readonly [minutes: number, value: number | null];

export interface SoakLine {
  readonly key: string;
  readonly name: string;
  /** In MB, ms or inferences/s over minutes. */
  readonly points: readonly ChartPoint[];
}

const minute = 60_000;

/** Between two starts of the server nothing is drawn. */
function withGaps(
  points: readonly { readonly life: number; readonly point: ChartPoint }[],
): readonly ChartPoint[] {
  return points.flatMap(({ life, point }, at) =>
    at > 0 && points[at - 1]?.life !== life ? [[point[0], null] as const, point] : [point],
  );
}

/** Resident memory by process, MB over minutes. Pure. */
export function memoryLines({ blocks }: Pick<Soaked, 'blocks'>): readonly SoakLine[] {
  const names = new Map<string, string>();
  for (const reading of blocks.flatMap(({ readings }) => readings)) {
    if (reading.rss !== null) names.set(readingKey(reading), capital(titleOfReading(reading)));
  }
  return [...names].map(([key, name]): SoakLine => {
    const points = blocks.flatMap(({ fromMs, toMs, life, readings }) => {
      const own = readings.find((reading) => readingKey(reading) === key);
      const value = own?.rss ?? null;
      return [{ life, point: [(fromMs + toMs) / 2 / minute, value === null ? null : value / 1e6] as const }];
    });
    return { key, name, points: withGaps(points) };
  });
}

/** p99 by slice, ms, and inferences/s, over minutes. Pure. */
export function loadLines({ slices }: Pick<Soaked, 'slices'>): {
  readonly p99: SoakLine;
  readonly throughput: SoakLine;
} {
  const line = (
    key: string,
    name: string,
    read: (slice: Soaked['slices'][number]) => number | null,
  ): SoakLine => ({
    ...{ key, name },
    points: withGaps(
      slices.map((slice) => ({
        life: slice.life,
        point: [(slice.fromMs + slice.toMs) / 2 / minute, read(slice)] as const,
      })),
    ),
  });
  return {
    p99: line('p99', 'p99 (ms)', ({ p99Us }) => (p99Us === null ? null : p99Us / 1000)),
    throughput: line('throughput', 'Inferences/s', ({ inferencesPerSecond }) => inferencesPerSecond),
  };
}

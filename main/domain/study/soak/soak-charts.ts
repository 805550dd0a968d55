import type { Soaked, SoakReading } from '../../../contract/study/soak';
import type { ChartSymbol } from '../../measured/chart-lines';
import type { TimeLine } from '../../measured/time-lines';
import { largestOf } from '../../statistics';
import { readingKey } from './block-of';
import { soakedMsOf } from './soak-answer';
import { type SoakRow, soakRowsOf } from './soak-rows';
import { capital } from './soak-text';

const minuteMs = 60_000;
const hourMs = 3_600_000;
/** Minutes beyond these are read as hours. */
const mostMinutes = 180;

export interface SoakTime {
  /** Of the axis: "Minutes under load". */
  readonly title: string;
  readonly unitMs: number;
  /** So far, in that unit. */
  readonly end: number;
}

/** How the time of a soak is drawn: in minutes, or in hours. Pure. */
export function soakTimeOf(soaked: Soaked): SoakTime {
  const ms = soakedMsOf(soaked);
  const [title, unitMs] =
    ms > mostMinutes * minuteMs ? ['Hours under load', hourMs] : ['Minutes under load', minuteMs];
  return { title, unitMs, end: ms === 0 ? 1 : ms / unitMs };
}

type Points = TimeLine['points'];

interface At {
  readonly fromMs: number;
  readonly toMs: number;
  readonly life: number;
}

/** Between two starts of the server nothing is drawn. */
function pointsOf<Of extends At>(
  all: readonly Of[],
  read: (one: Of) => number | null,
  { unitMs }: SoakTime,
): Points {
  return all.flatMap((one, at) => {
    const point = [(one.fromMs + one.toMs) / 2 / unitMs, read(one)] as const;
    const before = all[at - 1];
    const isOtherStart = before !== undefined && before.life !== one.life;
    return isOtherStart ? [[point[0], null] as const, point] : [point];
  });
}

const symbols: readonly ChartSymbol[] = ['circle', 'triangle', 'square', 'diamond', 'pentagon'];

const rssOf = (readings: readonly SoakReading[], key: string): number | null =>
  readings.find((reading) => readingKey(reading) === key)?.rss ?? null;

/** Resident memory where the warm part ends: what later memory is compared with. */
function settledRss({ key, growth }: SoakRow, { blocks }: Pick<Soaked, 'blocks'>): number | null {
  const known = blocks.filter(({ readings }) => rssOf(readings, key) !== null);
  const settled = known.find(({ toMs }) => toMs > growth.rss.sinceMs) ?? known.at(-1);
  return settled === undefined ? null : rssOf(settled.readings, key);
}

export const soakTitles = {
  memory: 'Change of resident memory since the warm-up part',
  memoryAxis: 'MB',
  p99: 'p99 latency by slice',
  p99Axis: 'ms',
  throughput: 'Throughput by slice',
  throughputAxis: 'Inferences/s',
} as const;

/**
 * By process, how much more memory it has than where its warm part ended, MB. The load generator, whose memory is not the
 * server’s, is dashed. Pure.
 */
export function memoryLines(soaked: Soaked): readonly TimeLine[] {
  const { blocks } = soaked;
  const time = soakTimeOf(soaked);
  return soakRowsOf({ blocks }).flatMap((row, order): readonly TimeLine[] => {
    const settled = settledRss(row, soaked);
    if (settled === null) return [];
    const change = (rss: number | null): number | null => (rss === null ? null : (rss - settled) / 1e6);
    return [
      {
        ...{ name: capital(row.title), order, dashed: row.role === 'client' },
        symbol: symbols[order % symbols.length] ?? 'circle',
        points: pointsOf(blocks, ({ readings }) => change(rssOf(readings, row.key)), time),
      },
    ];
  });
}

/** Until when the memory of the server is left out, in the unit of the time; null: nothing is known of it. Pure. */
export function warmEndOf(soaked: Soaked): number | null {
  const { unitMs } = soakTimeOf(soaked);
  const known = soakRowsOf(soaked)
    .filter(({ role, growth }) => role !== 'client' && growth.rss.perHour !== null)
    .map(({ growth }) => growth.rss.sinceMs);
  return known.length === 0 ? null : largestOf(known) / unitMs;
}

/** p99 by slice, ms, and inferences/s. Pure. */
export function loadLines(soaked: Soaked): { readonly p99: TimeLine; readonly throughput: TimeLine } {
  const { slices } = soaked;
  const time = soakTimeOf(soaked);
  const p99 = pointsOf(slices, ({ p99Us }) => (p99Us === null ? null : p99Us / 1000), time);
  const throughput = pointsOf(slices, ({ inferencesPerSecond }) => inferencesPerSecond, time);
  return {
    p99: { name: 'p99', order: 1, symbol: 'triangle', points: p99 },
    throughput: { name: 'Throughput', order: 0, symbol: 'circle', points: throughput },
  };
}

import { type Column, count, named, text } from '../../../contract/measured/column';
import type { SoakBlock, SoakFigure, SoakReading, SoakSlice } from '../../../contract/study/soak';
import { type SoakRow, titleOfReading } from './soak-rows';
import { capital, slopeText } from './soak-text';

const mb = { unit: 'MB', kind: 'rate' } as const;
const inMb = (bytes: number | null): number | null => (bytes === null ? null : bytes / 1e6);

const ends = (figure: SoakFigure, title: string, help: string): readonly Column<SoakRow>[] => [
  {
    ...named(`${figure}-first`, `${figure}_first`, `${title} at first`, mb),
    help: `${help}, median of the first readings`,
    read: ({ first }) => inMb(first[figure]),
  },
  {
    ...named(`${figure}-last`, `${figure}_last`, `${title} at last`, mb),
    help: `${help}, median of the last readings`,
    read: ({ last }) => inMb(last[figure]),
  },
];

const words = { grows: 'grows', flat: 'flat', step: 'rose once', unclear: 'unclear', unknown: 'not known' };

/** The processes of a soak. */
export const soakColumns: readonly Column<SoakRow>[] = [
  {
    ...named('process', 'process', 'Process', text),
    help: 'Process that owns the memory',
    read: ({ title }) => capital(title),
  },
  {
    ...named('verdict', 'verdict', 'Result', text),
    help: 'Of its resident memory, after the warm-up part',
    read: ({ growth }) => words[growth.rss.verdict],
  },
  ...ends('rss', 'RSS', 'Resident memory'),
  {
    ...named('rss-slope', 'rss_mb_per_hour', 'RSS growth per hour', text),
    help: 'With its 95 % interval',
    read: (row) => slopeText(row, 'rss', 'h')?.replace(' MB per hour', ' MB') ?? null,
  },
  {
    ...named('rss-requests', 'rss_mb_per_1000_requests', 'RSS growth per 1,000 requests', text),
    help: 'With its 95 % interval',
    read: (row) => slopeText(row, 'rss', '1000')?.replace(' MB per 1,000 requests', ' MB') ?? null,
  },
  ...ends('shm', '/dev/shm', 'Shared memory files that it has mapped'),
  ...ends('gpu', 'GPU', 'GPU memory'),
  ...(['threads', 'handles'] as const).map((figure): Column<SoakRow> => ({
    ...named(figure, `${figure}_last`, figure === 'threads' ? 'Threads' : 'Open handles', count),
    help: 'At last',
    read: ({ last }) => last[figure],
  })),
];

const minutes = (ms: number): string => {
  const seconds = Math.round(ms / 1000);
  const [hours, rest] = [Math.floor(seconds / 3600), seconds % 3600];
  const two = (value: number) => String(value).padStart(2, '0');
  return `${hours}:${two(Math.floor(rest / 60))}:${two(rest % 60)}`;
};

/** The load of a soak by slices of time. */
export const sliceColumns: readonly Column<SoakSlice>[] = [
  {
    ...named('from', 'from', 'From', text),
    help: 'h:mm:ss since the load began',
    read: ({ fromMs }) => minutes(fromMs),
  },
  {
    ...named('to', 'to', 'To', text),
    help: 'h:mm:ss since the load began',
    read: ({ toMs }) => minutes(toMs),
  },
  {
    ...named('throughput', 'inferences_per_second', 'Inferences/s', { unit: '', kind: 'rate' }),
    help: 'Mean of the slice',
    read: ({ inferencesPerSecond }) => inferencesPerSecond,
  },
  {
    ...named('p50', 'p50_ms', 'p50', { unit: 'ms', kind: 'duration' }),
    help: 'Median latency',
    read: ({ p50Us }) => p50Us,
  },
  {
    ...named('p99', 'p99_ms', 'p99', { unit: 'ms', kind: 'duration' }),
    help: '99th percentile',
    read: ({ p99Us }) => p99Us,
  },
  { ...named('requests', 'requests', 'Requests', count), help: 'Answered', read: ({ requests }) => requests },
  {
    ...named('errors', 'errors', 'Failed', count),
    help: 'Requests that failed',
    read: ({ errors }) => errors,
  },
  {
    ...named('refused', 'refused', 'Refused', count),
    help: 'Requests that the server refused: a full queue, or a timeout in it',
    read: ({ refused = 0 }) => refused,
  },
];

/** A process in one block. */
export interface BlockRow {
  readonly block: SoakBlock;
  readonly reading: SoakReading;
}

export const blockRowsOf = (blocks: readonly SoakBlock[]): readonly BlockRow[] =>
  blocks.flatMap((block) => block.readings.map((reading) => ({ block, reading })));

const bytes = (figure: SoakFigure): Column<BlockRow> => ({
  ...named(figure, `${figure}_bytes`, figure, { unit: '', kind: 'bytes' }),
  help: 'Median of the block, bytes',
  read: ({ reading }) => reading[figure],
});

const figures = ['rss', 'pss', 'virtual', 'shm', 'gpu'] as const;

/** Every median that was read, for files. */
export const blockColumns: readonly Column<BlockRow>[] = [
  { ...named('from', 'from_s', 'From', count), help: 'Seconds', read: ({ block }) => block.fromMs / 1000 },
  { ...named('to', 'to_s', 'To', count), help: 'Seconds', read: ({ block }) => block.toMs / 1000 },
  {
    ...named('life', 'server_start', 'Start', count),
    help: 'Of the server',
    read: ({ block }) => block.life,
  },
  {
    ...named('requests', 'requests', 'Requests', count),
    help: 'So far',
    read: ({ block }) => block.requests,
  },
  { ...named('reloads', 'reloads', 'Reloads', count), help: 'So far', read: ({ block }) => block.reloads },
  {
    ...named('process', 'process', 'Process', text),
    help: 'Whose',
    read: ({ reading }) => titleOfReading(reading),
  },
  ...figures.map(bytes),
  ...(['threads', 'handles'] as const).map((figure): Column<BlockRow> => ({
    ...named(figure, figure, figure, count),
    help: 'Median of the block',
    read: ({ reading }) => reading[figure],
  })),
];

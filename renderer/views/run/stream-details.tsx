import { memo } from 'react';
import { levelText } from '../../../main/contract/level-text';
import type { LoadPoint, Spread } from '../../../main/contract/results';
import { formatCount, formatMs, formatRate, missing } from '../../../main/contract/numbers';
import type { DetailsRow } from './details-table';
import { DetailsTable } from './details-table';

const parts = [
  ['firstResponse', 'first response'],
  ['interResponse', 'between two responses'],
  ['finalResponse', 'final response'],
] as const;
const columns = ['p50Us', 'p90Us', 'p95Us', 'p99Us', 'avgUs', 'maxUs'] as const;

const spreadCells = (spread: Spread | null): readonly string[] =>
  columns.map((column) => formatMs(spread?.[column]));

const range = (fewest: number | null, most: number | null): string =>
  fewest === null || most === null ? missing : `${formatCount(fewest)} to ${formatCount(most)}`;

function streamRows(point: LoadPoint): readonly DetailsRow[] {
  const { streaming } = point;
  if (streaming === undefined) return [];
  const { fewestResponses, mostResponses, decoupled } = streaming;
  const level = levelText(point);
  return parts.map(([part, name], index) => ({
    key: `${level} ${point.model ?? ''} ${part}`,
    cells: [
      index === 0 ? level : '',
      index === 0 ? (decoupled ? 'yes' : 'no') : '',
      index === 0 ? range(fewestResponses, mostResponses) : '',
      name,
      ...spreadCells(streaming[part]),
    ],
  }));
}

/** When the responses of a stream came, all percentiles; nothing where no level was measured over one. */
export const StreamTable = memo(function StreamTable({ points }: { points: readonly LoadPoint[] }) {
  return (
    <DetailsTable
      title="Responses of streams"
      note="times of the responses to one request, in ms"
      headings={[
        { title: 'Level' },
        {
          title: 'Decoupled',
          help: 'The model’s configuration says that a request may have any number of responses.',
        },
        {
          title: 'Responses',
          help: 'Fewest and most responses with content that one request had.',
          number: true,
        },
        {
          title: 'Time of',
          help: 'First and final from the send of the request; the final response may only say that it is the last.',
        },
        ...['p50', 'p90', 'p95', 'p99', 'avg', 'max'].map((title) => ({ title, number: true })),
      ]}
      rows={points.flatMap(streamRows)}
    />
  );
});

/** How the sequences of a stateful model were sent; nothing where there were none. */
export const SequenceTable = memo(function SequenceTable({ points }: { points: readonly LoadPoint[] }) {
  const rows = points.flatMap((point): readonly DetailsRow[] => {
    const { sequences } = point;
    if (sequences === undefined) return [];
    const level = levelText(point);
    const { length, lengthVariation, concurrent, endedPerSecond } = sequences;
    return [
      {
        key: `${level} ${point.model ?? ''}`,
        cells: [
          level,
          `${formatCount(length)} ± ${lengthVariation} %`,
          formatCount(concurrent),
          formatRate(endedPerSecond),
        ],
      },
    ];
  });
  return (
    <DetailsTable
      title="Sequences"
      note="requests of a stateful model that belong together"
      headings={[
        { title: 'Level' },
        { title: 'Requests of a sequence', help: 'As asked for, give or take the variation.', number: true },
        { title: 'At once', help: 'Sequences that were open at the same time.', number: true },
        { title: 'Ended/s', help: 'Sequences that ended, a second.', number: true },
      ]}
      rows={rows}
    />
  );
});

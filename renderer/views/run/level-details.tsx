import { memo } from 'react';
import { cellText } from '../../../main/contract/measured/column';
import {
  composing,
  composingName,
  responseTimes,
  sequenceRate,
  sequencesAtOnce,
} from '../../../main/contract/measured/detail-columns';
import type { LoadPoint } from '../../../main/contract/measured/results';
import { formatCount, missing } from '../../../main/contract/numbers';
import { levelText } from '../../../main/contract/words';
import { type DetailsRow, DetailsTable, headingsOf } from './details-table';

/** What the server did for each model of an ensemble; nothing for other models. */
export const ComposingTable = memo(function ComposingTable({ points }: { points: readonly LoadPoint[] }) {
  return (
    <DetailsTable
      title="Models of the ensemble"
      note="mean times of one request of the model, from the server's statistics"
      headings={[{ title: 'Level' }, { title: 'Model', mono: true }, ...headingsOf(composing)]}
      rows={points.flatMap((point) =>
        (point.composing ?? []).map((part) => ({
          key: `${levelText(point)} ${composingName(part)}`,
          cells: [
            levelText(point),
            composingName(part),
            ...composing.map((column) => cellText(column, part)),
          ],
        })),
      )}
    />
  );
});

/** Failed requests by level and kind, with the server's words; nothing where none failed. */
export const ErrorsTable = memo(function ErrorsTable({ points }: { points: readonly LoadPoint[] }) {
  return (
    <DetailsTable
      title="Failed requests"
      note="by kind, with the first message of the server"
      headings={[
        { title: 'Level' },
        { title: 'Requests', number: true },
        { title: 'Kind', mono: true },
        { title: 'Message' },
      ]}
      rows={points.flatMap((point) =>
        (point.errorsByKind ?? []).map(({ kind, count, message }) => ({
          key: `${levelText(point)} ${point.model ?? ''} ${kind}`,
          cells: [levelText(point), formatCount(count), kind, message],
        })),
      )}
    />
  );
});

const range = (fewest: number | null, most: number | null): string =>
  fewest === null || most === null ? missing : `${formatCount(fewest)} to ${formatCount(most)}`;

function streamRows(point: LoadPoint): readonly DetailsRow[] {
  const { streaming } = point;
  if (streaming === undefined) return [];
  const { fewestResponses, mostResponses, decoupled } = streaming;
  const level = levelText(point);
  return responseTimes.map(({ title, columns }, index) => ({
    key: `${level} ${point.model ?? ''} ${title}`,
    cells: [
      index === 0 ? level : '',
      index === 0 ? (decoupled ? 'yes' : 'no') : '',
      index === 0 ? range(fewestResponses, mostResponses) : '',
      title,
      ...columns.map((column) => cellText(column, point)),
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
          help: 'According to its configuration, the model can send any number of responses per request.',
        },
        {
          title: 'Responses',
          help: 'Minimum and maximum number of responses with content per request.',
          number: true,
        },
        {
          title: 'Time of',
          help: 'First and final are measured from the send of the request. The final response may have no content.',
        },
        ...(responseTimes[0]?.columns ?? []).map(({ short = '' }) => ({ title: short, number: true })),
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
    const { length, lengthVariation } = sequences;
    return [
      {
        key: `${level} ${point.model ?? ''}`,
        cells: [
          level,
          `${formatCount(length)} ± ${lengthVariation} %`,
          ...[sequencesAtOnce, sequenceRate].map((column) => cellText(column, point)),
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
        { title: 'Requests per sequence', help: 'As requested, with the variation.', number: true },
        ...headingsOf([sequencesAtOnce, sequenceRate]),
      ]}
      rows={rows}
    />
  );
});

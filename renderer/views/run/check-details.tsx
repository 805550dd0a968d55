import { memo } from 'react';
import { levelText, togetherText } from '../../../main/contract/level-text';
import type { LoadPoint } from '../../../main/contract/results';
import { formatCount } from '../../format/numbers';
import type { DetailsRow } from './details-table';
import { DetailsTable } from './details-table';

function checkRow(point: LoadPoint): readonly DetailsRow[] {
  const { outputChecks, requestCount } = point;
  if (outputChecks === undefined) return [];
  const { checkedCount, wrongCount, comparedCount, finite } = outputChecks;
  const level = levelText(point);
  return [
    {
      key: `${level} ${point.model ?? ''}`,
      cells: [
        level,
        formatCount(checkedCount),
        requestCount === null ? '–' : formatCount(requestCount),
        formatCount(wrongCount),
        formatCount(comparedCount),
        finite ? 'names, types, shapes, finite values' : 'names, types, shapes',
      ],
      doubtful: wrongCount > 0,
    },
  ];
}

/** Which responses were decoded and looked at under load; nothing where no level has checks. */
export const ChecksTable = memo(function ChecksTable({ points }: { points: readonly LoadPoint[] }) {
  return (
    <DetailsTable
      title="Checks of responses"
      note="responses picked at random, decoded and held against what the model says of its outputs"
      headings={[
        { title: 'Level' },
        { title: 'Checked', help: 'Responses that were decoded and looked at.', number: true },
        {
          title: 'Requests',
          help: 'Answered requests in the windows that count; warm-up responses are checked beside them.',
          number: true,
        },
        {
          title: 'Wrong',
          help: 'Responses with a wrong output; they count as failed requests.',
          number: true,
        },
        {
          title: 'Compared',
          help: 'Checked responses whose values were also compared with those that the input data give.',
          number: true,
        },
        { title: 'What was checked' },
      ]}
      rows={points.flatMap(checkRow)}
    />
  );
});

/** Whether the tensors that went through shared memory arrived; nothing where they went over the wire. */
export const SharedMemoryTable = memo(function SharedMemoryTable({
  points,
}: {
  points: readonly LoadPoint[];
}) {
  const rows = points.flatMap((point): readonly DetailsRow[] => {
    if (point.sharedMemory === undefined) return [];
    const { kind, checkedCount, wrongCount, repairs } = point.sharedMemory;
    const level = levelText(point);
    return [
      {
        key: `${level} ${point.model ?? ''}`,
        cells: [
          level,
          kind === 'cuda' ? 'CUDA' : 'system',
          formatCount(checkedCount),
          formatCount(wrongCount),
          formatCount(repairs),
        ],
        doubtful: wrongCount > 0,
      },
    ];
  });
  return (
    <DetailsTable
      title="Shared memory"
      note="tensors that did not go over the wire"
      headings={[
        { title: 'Level' },
        { title: 'Kind' },
        {
          title: 'Checked',
          help: 'Outputs that were read back and compared with the same request over the wire.',
          number: true,
        },
        { title: 'Wrong', help: 'Of these the ones that differed.', number: true },
        {
          title: 'Registered anew',
          help: 'Times that another client had unregistered the regions.',
          number: true,
        },
      ]}
      rows={rows}
    />
  );
});

/** What ran beside each model that was measured together with others; nothing of a model alone. */
export const TogetherTable = memo(function TogetherTable({ points }: { points: readonly LoadPoint[] }) {
  const rows = points.flatMap((point): readonly DetailsRow[] => {
    const beside = togetherText(point);
    if (beside === null) return [];
    const level = levelText(point);
    const model = point.model ?? '–';
    return [{ key: `${level} ${model}`, cells: [model, level, beside] }];
  });
  return (
    <DetailsTable
      title="Models measured together"
      note="what the server answered at the same time"
      headings={[{ title: 'Model', mono: true }, { title: 'Level' }, { title: 'Beside it' }]}
      rows={rows}
    />
  );
});

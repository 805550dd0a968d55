import { memo } from 'react';
import { levelText, togetherText } from '../../../main/contract/level-text';
import type { LoadPoint } from '../../../main/contract/results';
import { formatCount, formatMeasured, formatMs, formatShare, missing } from '../../../main/contract/numbers';
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
        formatCount(requestCount),
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
        { title: 'Mismatches', help: 'Outputs that differed.', number: true },
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

/** What the server's response cache did; nothing where it counted neither a hit nor a miss. */
export const CacheTable = memo(function CacheTable({ points }: { points: readonly LoadPoint[] }) {
  const rows = points.flatMap((point): readonly DetailsRow[] => {
    if (point.cache === undefined) return [];
    const { hitCount, missCount, hitUs, missUs } = point.cache;
    const level = levelText(point);
    return [
      {
        key: `${level} ${point.model ?? ''}`,
        cells: [level, formatCount(hitCount), formatCount(missCount), formatMs(hitUs), formatMs(missUs)],
      },
    ];
  });
  return (
    <DetailsTable
      title="Response cache"
      note="from the server's statistics, mean times in ms"
      headings={[
        { title: 'Level' },
        { title: 'Hits', help: 'Requests that the cache answered.', number: true },
        { title: 'Misses', help: 'Requests that the model had to answer.', number: true },
        { title: 'Server cache hit', help: 'Mean time of a hit in the cache.', number: true },
        {
          title: 'Server cache miss',
          help: 'Mean time for looking up and keeping an answer, without the model’s own.',
          number: true,
        },
      ]}
      rows={rows}
    />
  );
});

/** Why the load generator is in doubt, in the words of the levels table. */
const limitText = {
  'client-saturated': 'client-limited: the server may be faster',
  'machine-busy': 'machine busy: latencies may read too high',
} as const;

/** What the load generator itself had to do; nothing where the tool does not say. */
export const ClientTable = memo(function ClientTable({ points }: { points: readonly LoadPoint[] }) {
  const rows = points.flatMap((point): readonly DetailsRow[] => {
    if (point.client === undefined) return [];
    const { cpuShare, loopShare, loopDelayP99Us } = point.client;
    const level = levelText(point);
    const limit = point.flags.find((flag) => flag === 'client-saturated' || flag === 'machine-busy');
    return [
      {
        key: `${level} ${point.model ?? ''}`,
        cells: [
          level,
          formatMeasured(cpuShare),
          formatShare(loopShare),
          formatMs(loopDelayP99Us),
          limit === undefined ? 'no' : limitText[limit],
        ],
        doubtful: limit !== undefined,
      },
    ];
  });
  return (
    <DetailsTable
      title="Load generator"
      note="its own load; near one core, or always busy, it limits what can be measured"
      headings={[
        { title: 'Level' },
        {
          title: 'CPU, cores',
          help: 'CPU time of its process over the time; “–”: measured for too short a time.',
          number: true,
        },
        { title: 'Busy', help: 'Share of the time in which its event loop was busy.', number: true },
        {
          title: 'Event loop delay p99 (ms)',
          help: 'How late its event loop was at p99, in the worst window.',
          number: true,
        },
        { title: 'In doubt', help: 'Whether the load generator, and not the server, set these figures.' },
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
    const model = point.model ?? missing;
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

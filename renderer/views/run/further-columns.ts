import type { LoadPoint } from '../../../main/contract/results';
import { formatCount, formatMs, formatRate, missing } from '../../../main/contract/numbers';
import type { LevelColumn } from './level-column';

const parts = [
  [
    'First',
    'firstResponse',
    'Time from the send of a request to its first response with content: half of the requests within p50, 99 % within p99.',
  ],
  [
    'Between',
    'interResponse',
    'Time between two responses to the same request: half of the waits within p50, 99 % within p99.',
  ],
] as const;

/** Of requests over a stream: the table of its own below has the other percentiles. */
const streamColumns: readonly LevelColumn[] = [
  {
    title: 'Responses/request',
    help: 'Responses with content to one request, on average; a decoupled model may send any number.',
    text: ({ streaming }) => formatRate(streaming?.responsesPerRequest),
  },
  {
    title: 'Responses/s',
    help: 'Responses with content a second, over all requests.',
    text: ({ streaming }) => formatRate(streaming?.responsesPerSecond),
  },
  ...parts.flatMap(([name, part, help]) =>
    (['p50', 'p99'] as const).map((percent): LevelColumn => ({
      title: `${name} ${percent}`,
      help,
      text: ({ streaming }) => formatMs(streaming?.[part]?.[`${percent}Us`]),
    })),
  ),
];

const sequenceColumns: readonly LevelColumn[] = [
  {
    title: 'Sequences/s',
    help: 'Sequences of a stateful model that ended, a second.',
    text: ({ sequences }) => formatRate(sequences?.endedPerSecond),
  },
];

const checkColumns: readonly LevelColumn[] = [
  {
    title: 'Checked',
    help: 'Responses, picked at random, that were decoded and held against the model’s outputs.',
    text: ({ outputChecks }) => formatCount(outputChecks?.checkedCount),
  },
  {
    title: 'Wrong',
    help: 'Of the checked responses those with a wrong output; they count as failed requests.',
    text: ({ outputChecks }) => formatCount(outputChecks?.wrongCount),
    doubtful: ({ outputChecks }) => (outputChecks?.wrongCount ?? 0) > 0,
  },
];

const tlsText = ({ tls }: LoadPoint): string =>
  tls === undefined ? missing : tls.verified ? 'verified' : 'not verified';

const tlsColumns: readonly LevelColumn[] = [
  {
    title: 'TLS',
    help: 'Whether the server’s certificate was checked; “–” is a connection in the clear.',
    text: tlsText,
    doubtful: ({ tls }) => tls?.verified === false,
  },
];

/** What sequences, streams, checks of responses and TLS have beyond the columns of every level; none where no level has it. */
export function furtherColumns(points: readonly LoadPoint[]): readonly LevelColumn[] {
  const any = (has: (point: LoadPoint) => unknown) => points.some((point) => has(point) !== undefined);
  return [
    ...(any(({ sequences }) => sequences) ? sequenceColumns : []),
    ...(any(({ streaming }) => streaming) ? streamColumns : []),
    ...(any(({ outputChecks }) => outputChecks) ? checkColumns : []),
    ...(any(({ tls }) => tls) ? tlsColumns : []),
  ];
}

import type { LatencyName } from '../../../main/contract/latency-intervals';
import type { LoadPoint } from '../../../main/contract/results';
import type { Sweep } from '../../../main/contract/sweep';
import { achievedRate } from '../../../main/contract/sweep';
import { formatCount, formatMs, formatRate } from '../../../main/contract/numbers';
import { furtherColumns } from './further-columns';
import type { LevelColumn } from './level-column';

const ms =
  (valueOf: (point: LoadPoint) => number | null | undefined) =>
  (point: LoadPoint): string =>
    formatMs(valueOf(point));

const column = (title: string, ranged: NonNullable<LevelColumn['ranged']>, help: string): LevelColumn => ({
  title,
  help,
  text: ms((point) => point[ranged]),
  ranged,
});

const components: readonly LevelColumn[] = [
  column('Send', 'clientSendUs', 'Mean time in which the client sends a request.'),
  column(
    'Network',
    'networkServerSendRecvUs',
    'Mean time on the network and in the server’s receiving and sending.',
  ),
  column('Queue', 'serverQueueUs', 'Mean wait in the server for a batch to fill or an instance to be free.'),
  column('Input', 'serverComputeInputUs', 'Mean time in which the server gathers the inputs.'),
  column('Infer', 'serverComputeInferUs', 'Mean time in which the model runs.'),
  column('Output', 'serverComputeOutputUs', 'Mean time in which the server hands back the outputs.'),
  column('Receive', 'clientRecvUs', 'Mean time in which the client receives the answer.'),
];

const percentile = (percent: number): string =>
  `Latency within which ${percent} % of the requests were answered.`;

const latency = (title: string, name: LatencyName, help: string): LevelColumn => ({
  ...column(title, name, help),
  interval: name,
});

const latencies: readonly LevelColumn[] = [
  latency('p50', 'p50Us', percentile(50)),
  latency('p90', 'p90Us', percentile(90)),
  latency('p95', 'p95Us', percentile(95)),
  latency('p99', 'p99Us', percentile(99)),
  latency('avg', 'avgUs', 'Mean latency as it was measured, not the sum of the components.'),
];

const achieved: LevelColumn = {
  title: 'Achieved requests/s',
  help: 'Requests a second that were answered.',
  text: (point) => formatRate(achievedRate(point)),
};

/** Of an open loop: asked stands in the first column. */
const scheduled: readonly LevelColumn[] = [
  ...(['p50', 'p90', 'p95', 'p99', 'max'] as const).map((name) => ({
    title: `${name} schedule`,
    help: 'Latency from the time at which a request was due, with its wait for a slow server.',
    text: ms((point) => point.scheduled?.[`${name}Us`]),
    rangedSchedule: `${name}Us` as const,
  })),
  {
    title: 'Delayed',
    help: 'Requests that went out more than 1 ms after they were due.',
    text: (point) => formatCount(point.scheduled?.delayedCount),
  },
];

/** By request rate both latencies stand beside each other: from the send and from the schedule. */
function sweepColumns(sweep: Sweep, parts: readonly LevelColumn[]): readonly LevelColumn[] {
  if (sweep !== 'requestRate') return [...latencies, ...parts];
  const fromSend = latencies.map((known) => ({
    ...known,
    title: `${known.title} send`,
    help: `${known.help.slice(0, -1)}, from the send.`,
  }));
  return [achieved, ...fromSend, ...scheduled, ...parts];
}

/**
 * The columns of a sweep, and those that streams, sequences and checks add where a level has them. The components of the
 * latency stand behind it, where they are asked for: a chart of their own shows them.
 */
export const levelColumns = (
  sweep: Sweep,
  points: readonly LoadPoint[],
  withComponents: boolean,
): readonly LevelColumn[] => [
  ...sweepColumns(sweep, withComponents ? components : []),
  ...furtherColumns(points),
];

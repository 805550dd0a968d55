import { isSteady, marksOf } from '../flag-text';
import { achievedRate, type Sweep, sweepTitle } from '../run/sweep';
import { loadToolText } from '../words';
import { type Column, count, ms, named, rate, text } from './column';
import { latencyIntervalUs, type LatencyName, type LoadPoint, type Repeats } from './results';
import { refusedCount } from './timeline';

/** Every measured column, once, for tables, CSV files, charts and comparisons. Times are read in microseconds. */

const repeated =
  (name: keyof Repeats['ranges']) =>
  ({ ranges }: Repeats) =>
    ranges[name];

export const batchSize: Column = {
  ...named('batch-size', 'Batch', sweepTitle.batchSize, count),
  help: 'Items per request.',
  read: (point) => point.batchSize,
};

const concurrency: Column = {
  ...named('concurrency', 'Concurrency', sweepTitle.concurrency, count),
  short: 'Conc.',
  help: 'Requests in flight at the same time.',
  read: (point) => point.concurrency,
};

/** perf_analyzer's heading in place of "Concurrency". */
const requestRate: Column = {
  id: 'request-rate',
  heading: 'Request Rate',
  title: sweepTitle.requestRate,
  short: 'Req. rate',
  help: 'Requests per second that were asked for.',
  unit: 'requests/s',
  kind: 'typed',
  read: (point) => point.requestRate,
};

export const loadOf = (sweep: Sweep): Column => (sweep === 'requestRate' ? requestRate : concurrency);

export const ownLoad = (point: Pick<LoadPoint, 'requestRate'>): Column =>
  point.requestRate === undefined ? concurrency : requestRate;

export const throughput: Column = {
  ...named('throughput', 'Inferences/Second', 'Inferences/s', rate),
  help: 'Items of answered requests per second.',
  read: (point) => point.inferencesPerSecond,
  interval: (point) => point.throughputIntervalIps,
  range: repeated('inferencesPerSecond'),
};

type Component =
  | 'clientSendUs'
  | 'networkServerSendRecvUs'
  | 'serverQueueUs'
  | 'serverComputeInputUs'
  | 'serverComputeInferUs'
  | 'serverComputeOutputUs'
  | 'clientRecvUs';

const component = (name: Component, id: string, heading: string, title: string, help: string): Column => ({
  ...named(id, heading, title, ms),
  help,
  read: (point) => point[name],
  range: repeated(name),
});

/** Parts of the mean latency in the order in which a request passes them. */
export const components: readonly Column[] = [
  component(
    'clientSendUs',
    'client-send',
    'Client Send (ms)',
    'Client send',
    'Mean time in which the client serializes and sends a request.',
  ),
  component(
    'networkServerSendRecvUs',
    'network',
    'Network+Server Send/Recv (ms)',
    'Network + server',
    'Mean time on the network, both ways, and in the server’s receiving and sending.',
  ),
  component(
    'serverQueueUs',
    'queue',
    'Server Queue (ms)',
    'Server queue',
    'Mean wait in the server for a batch to fill or an instance to be free.',
  ),
  component(
    'serverComputeInputUs',
    'compute-input',
    'Server Compute Input (ms)',
    'Compute input',
    'Mean time in which the server gathers the inputs and copies them to the device.',
  ),
  component(
    'serverComputeInferUs',
    'compute-infer',
    'Server Compute Infer (ms)',
    'Compute infer',
    'Mean time in which the model runs.',
  ),
  component(
    'serverComputeOutputUs',
    'compute-output',
    'Server Compute Output (ms)',
    'Compute output',
    'Mean time in which the server copies the outputs from the device and hands them back.',
  ),
  component(
    'clientRecvUs',
    'client-recv',
    'Client Recv (ms)',
    'Client receive',
    'Mean time in which the client receives and deserializes the response.',
  ),
];

const percentileHelp = (percent: string): string =>
  `Latency within which ${percent.slice(1)} % of the requests were answered.`;

const latency = (id: 'p50' | 'p90' | 'p95' | 'p99' | 'avg', help: string): Column => {
  const name: LatencyName = `${id}Us`;
  return {
    ...named(id, `${id} latency (ms)`, id, ms),
    help,
    read: (point) => point[name],
    interval: (point) => latencyIntervalUs(point, name),
    range: repeated(name),
  };
};

export const p50 = latency('p50', percentileHelp('p50'));
export const p95 = latency('p95', percentileHelp('p95'));
export const p99 = latency('p99', percentileHelp('p99'));

/** From the send of a request to its response. */
export const latencies: readonly Column[] = [
  p50,
  latency('p90', percentileHelp('p90')),
  p95,
  p99,
  latency('avg', 'Mean latency as it was measured, not the sum of the components.'),
];

/** Requested percentiles, beyond those of every level. */
export function percentileColumns(points: readonly LoadPoint[]): readonly Column[] {
  const asked = new Set(points.flatMap(({ percentile }) => percentile?.percent ?? []));
  return [...asked]
    .filter((percent) => ![50, 90, 95, 99].includes(percent))
    .map((percent) => ({
      ...named(`p${percent}`, `p${percent} latency (ms)`, `p${percent}`, ms),
      help: percentileHelp(`p${percent}`),
      read: ({ percentile }) => (percentile?.percent === percent ? percentile.latencyUs : null),
    }));
}

export const fromSend = (column: Column): Column => ({ ...column, title: `${column.title} from send` });

export const achieved: Column = {
  ...named('achieved-rate', 'Requests/Second', 'Achieved requests/s', rate),
  short: 'Achieved',
  help: 'Requests per second that were answered.',
  read: achievedRate,
};

export const delayed: Column = {
  ...named('delayed', 'Delayed Request Count', 'Delayed requests', count),
  short: 'Delayed',
  help: 'Requests that went out more than 1 ms after they were due.',
  read: ({ scheduled }) => scheduled?.delayedCount,
};

/** From the time a request was due, including its wait for a slow server. */
const fromSchedule = (name: 'p50' | 'p90' | 'p95' | 'p99' | 'avg' | 'max'): Column => ({
  ...named(`schedule-${name}`, `${name} latency from schedule (ms)`, `${name} from schedule`, ms),
  short: name,
  help: 'Latency from the time at which a request was due, including its wait for a slow server.',
  read: (point) => point.scheduled?.[`${name}Us`],
  range: ({ scheduledRanges }) => scheduledRanges?.[`${name}Us`],
});

export const scheduledP50 = fromSchedule('p50');
export const scheduledP99 = fromSchedule('p99');

export const scheduled: readonly Column[] = [
  scheduledP50,
  ...(['p90', 'p95'] as const).map(fromSchedule),
  scheduledP99,
  ...(['avg', 'max'] as const).map(fromSchedule),
];

export const requests: Column = {
  ...named('requests', 'Request Count', 'Requests', count),
  help: 'Answered requests in the windows that count.',
  read: (point) => point.requestCount,
};

export const errors: Column = {
  ...named('errors', 'Error Count', 'Failed requests', count),
  help: 'Requests that failed in the windows that count.',
  read: (point) => point.errorCount,
};

export const refused: Column = {
  ...named('refused', 'Refused Count', 'Refused requests', count),
  help: 'Requests that were refused (queue full, timeout) or cancelled; they are neither answered nor errors.',
  read: (point) => (point.requestCount === null ? null : refusedCount(point)),
};

export const flags: Column = {
  ...named('flags', 'Flags', 'In doubt', text),
  help: 'Doubts about the level, one word each.',
  read: (point) => marksOf(point).join('; '),
};

export const trust: readonly Column[] = [
  requests,
  errors,
  {
    ...named('steady', 'Steady', 'Steady', text),
    help: 'Throughput and latency agree over three windows, without drift.',
    read: (point) => (isSteady(point) ? 'yes' : 'no'),
  },
  flags,
  {
    ...named('load-tool', 'Load Tool', 'Load tool', text),
    help: 'What sent the requests.',
    read: loadToolText,
  },
  {
    ...named('protocol', 'Protocol', 'Protocol', text),
    help: 'How the requests were sent.',
    read: (point) => point.protocol,
  },
];

export const meanBatch: Column = {
  ...named('mean-batch', null, 'Mean executed batch size', rate),
  help: 'Items in one execution inside the server: inference count divided by execution count.',
  read: (point) => point.meanServerBatch,
  range: repeated('meanServerBatch'),
};

export const windows: Column = {
  ...named('windows', null, 'Windows', count),
  help: 'Measurement windows of the level.',
  read: (point) => (point.windows.length === 0 ? null : point.windows.length),
};

export const timeSpent: Column = {
  ...named('time-spent', null, 'Time spent', { unit: '', kind: 'spent' }),
  help: 'Wall time of the level with its warm-up.',
  read: (point) => point.elapsedUs,
};

/** Columns of the published result tables (second generation), in order. */
export const publishedColumns = (sweep: Sweep): readonly Column[] => [
  batchSize,
  loadOf(sweep),
  throughput,
  ...components,
  ...latencies,
];

export const scheduleColumns: readonly Column[] = [achieved, delayed, ...scheduled];

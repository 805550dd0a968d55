import { togetherText } from '../words';
import type { Column } from './column';
import type { ComposingModelColumns } from './composing';
import type { CountedKind, LoadPoint } from './results';

/** Columns that only some levels have, and those of a level's models and GPUs. Times are read in microseconds. */

const ms = { unit: 'ms', kind: 'duration' } as const;
const rate = { unit: '', kind: 'rate' } as const;
const count = { unit: '', kind: 'count' } as const;
const text = { unit: '', kind: 'text' } as const;

export const sequenceRate: Column = {
  ...rate,
  id: 'sequences',
  heading: 'Sequences/Second',
  title: 'Sequences/s',
  help: 'Sequences of a stateful model that ended, per second.',
  read: ({ sequences }) => sequences?.endedPerSecond,
};

export const sequencesAtOnce: Column = {
  ...count,
  ...{ id: 'sequences-at-once', heading: null, title: 'Sequences at once' },
  help: 'Sequences that were open at the same time.',
  read: ({ sequences }) => sequences?.concurrent,
};

export const responseRates: readonly Column[] = [
  {
    ...rate,
    id: 'responses-per-request',
    heading: 'Responses/Request',
    title: 'Responses/request',
    help: 'Responses with content to one request, on average; a decoupled model may send any number.',
    read: ({ streaming }) => streaming?.responsesPerRequest,
  },
  {
    ...rate,
    id: 'responses',
    heading: 'Responses/Second',
    title: 'Responses/s',
    help: 'Responses with content per second, over all requests.',
    read: ({ streaming }) => streaming?.responsesPerSecond,
  },
];

export const responseTimes = (
  [
    [
      'firstResponse',
      'First Response',
      'First response',
      'From the send of a request to its first response with content',
    ],
    ['interResponse', 'Inter-Response', 'Between responses', 'Between two responses to the same request'],
    [
      'finalResponse',
      'Final Response',
      'Final response',
      'From the send of a request to its final response, which may only say that it is the last',
    ],
  ] as const
).map(([part, heading, title, help]) => ({
  title,
  help: `${help}.`,
  columns: (['p50', 'p90', 'p95', 'p99', 'avg', 'max'] as const).map((name): Column => ({
    ...ms,
    id: `${part}-${name}`,
    heading: name === 'max' ? null : `${heading} ${name} (ms)`,
    title: `${title} ${name}`,
    short: name,
    help: `${help}: ${name}.`,
    read: ({ streaming }) => streaming?.[part]?.[`${name}Us`],
  })),
}));

export const checks: readonly Column[] = [
  {
    ...count,
    id: 'checked-responses',
    heading: 'Checked Response Count',
    title: 'Checked responses',
    help: 'Responses that were decoded and held against the model’s outputs: some at random, with expected outputs all that time allows.',
    read: ({ outputChecks }) => outputChecks?.checkedCount,
  },
  {
    ...count,
    id: 'wrong-responses',
    heading: 'Wrong Response Count',
    title: 'Wrong responses',
    help: 'Checked responses with a wrong output: a level that has any is not an answer.',
    read: ({ outputChecks }) => outputChecks?.wrongCount,
    doubtful: ({ outputChecks }) => (outputChecks?.wrongCount ?? 0) > 0,
  },
];

export const faultKinds = ({ errorsByKind = [], wrongByKind = [] }: LoadPoint): readonly CountedKind[] => [
  ...errorsByKind,
  ...wrongByKind,
];

export const comparedResponses: Column = {
  ...count,
  ...{ id: 'compared-responses', heading: null, title: 'Compared responses' },
  help: 'Checked responses whose values were also compared with those that the input data give.',
  read: ({ outputChecks }) => outputChecks?.comparedCount,
};

export const sharedMemory: readonly Column[] = [
  {
    ...count,
    ...{ id: 'shared-checked', heading: null, title: 'Checked outputs' },
    help: 'Outputs that were read back and compared with the same request over the wire.',
    read: (point) => point.sharedMemory?.checkedCount,
  },
  {
    ...count,
    ...{ id: 'shared-wrong', heading: null, title: 'Mismatches' },
    help: 'Outputs that differed.',
    read: (point) => point.sharedMemory?.wrongCount,
    doubtful: (point) => (point.sharedMemory?.wrongCount ?? 0) > 0,
  },
  {
    ...count,
    ...{ id: 'shared-repairs', heading: null, title: 'Registered again' },
    help: 'Times that another client had unregistered the regions.',
    read: (point) => point.sharedMemory?.repairs,
  },
];

export const cache: readonly Column[] = [
  {
    ...count,
    id: 'cache-hits',
    heading: 'Server Cache Hit Count',
    title: 'Cache hits',
    help: 'Requests that the response cache answered.',
    read: (point) => point.cache?.hitCount,
  },
  {
    ...count,
    id: 'cache-misses',
    heading: 'Server Cache Miss Count',
    title: 'Cache misses',
    help: 'Requests that the model had to answer.',
    read: (point) => point.cache?.missCount,
  },
  {
    ...ms,
    id: 'cache-hit-time',
    heading: 'Server Cache Hit (ms)',
    title: 'Cache hit time',
    help: 'Mean time of a hit in the cache.',
    read: (point) => point.cache?.hitUs,
  },
  {
    ...ms,
    id: 'cache-miss-time',
    heading: 'Server Cache Miss (ms)',
    title: 'Cache miss time',
    help: 'Mean time for looking up and keeping a response, without the model’s own.',
    read: (point) => point.cache?.missUs,
  },
];

const clientCpu: Column = {
  ...{ id: 'client-cpu-cores', heading: null, title: 'Client CPU', unit: 'cores', kind: 'rate' },
  help: 'CPU time of the load generator over the time; unknown where it was measured for too short a time.',
  read: ({ client }) => client?.cpuShare,
};

const serverCpu: Column = {
  ...{ id: 'server-cpu', heading: 'Server CPU', title: 'Server CPU', unit: '', kind: 'share' },
  help: 'Mean use of all cores of the server’s machine, from Triton’s metrics.',
  read: (point) => point.serverCpuShare,
};

export const cpus: readonly Column[] = [clientCpu, serverCpu];

export const effort: readonly Column[] = [
  ...cpus,
  {
    ...{ id: 'client-busy', heading: null, title: 'Client busy', unit: '', kind: 'share' },
    help: 'Share of the time in which the event loop of the load generator was busy.',
    read: (point) => point.client?.loopShare,
  },
  {
    ...ms,
    ...{ id: 'client-delay-p99', heading: null, title: 'Client delay p99' },
    help: 'How late the event loop of the load generator was at p99, in the worst window.',
    read: (point) => point.client?.loopDelayP99Us,
  },
];

export const clientCpuPerRequest: Column = {
  ...ms,
  ...{ id: 'client-cpu', heading: null, title: 'Client CPU/request' },
  help: 'CPU time of the load generator for each answered request.',
  read: (point) => point.clientCpuUsPerRequest,
};

export const tls: Column = {
  ...text,
  id: 'tls',
  heading: 'TLS Certificate',
  title: 'TLS certificate',
  help: 'Whether the server’s certificate was checked; “–” is a connection in the clear.',
  read: (point) => (point.tls === undefined ? null : point.tls.verified ? 'verified' : 'not verified'),
  doubtful: (point) => point.tls?.verified === false,
};

export const model: Column = {
  ...text,
  id: 'model',
  heading: 'Model',
  title: 'Model',
  help: 'Of models that were measured at the same time: which one this is.',
  read: (point) => point.model,
};

export const together: Column = {
  ...text,
  id: 'together',
  heading: 'Measured Together With',
  title: 'Measured together with',
  help: 'What the server answered at the same time.',
  read: togetherText,
};

const perModel = (
  name: 'queueUs' | 'computeInputUs' | 'computeInferUs' | 'computeOutputUs',
  id: string,
  title: string,
): Column<ComposingModelColumns> => ({
  ...ms,
  ...{ id: `model-${id}`, heading: null, title },
  help: 'Mean time of one request of the model, from the server’s statistics.',
  read: (part) => part[name],
});

export const composing: readonly Column<ComposingModelColumns>[] = [
  {
    ...count,
    ...{ id: 'model-requests', heading: null, title: 'Requests' },
    help: 'Requests that the model answered, also those of others than the ensemble.',
    read: (part) => part.requestCount,
  },
  {
    ...count,
    ...{ id: 'model-executions', heading: null, title: 'Executions' },
    help: 'Executed batches of the model.',
    read: (part) => part.executionCount,
  },
  perModel('queueUs', 'queue', 'Server queue'),
  perModel('computeInputUs', 'compute-input', 'Compute input'),
  perModel('computeInferUs', 'compute-infer', 'Compute infer'),
  perModel('computeOutputUs', 'compute-output', 'Compute output'),
  {
    ...rate,
    ...{ id: 'model-mean-batch', heading: null, title: 'Mean executed batch size' },
    help: 'Items in one execution of the model.',
    read: ({ inferenceCount: items, executionCount: batches }) =>
      items === null || batches === null || batches === 0 ? null : items / batches,
  },
  {
    ...count,
    ...{ id: 'model-cache-hits', heading: null, title: 'Cache hits' },
    help: 'Requests that the response cache answered.',
    read: (part) => part.cacheHitCount,
  },
  {
    ...count,
    ...{ id: 'model-cache-misses', heading: null, title: 'Cache misses' },
    help: 'Requests that the model had to answer.',
    read: (part) => part.cacheMissCount,
  },
];

export const composingName = ({ modelName, modelVersion }: ComposingModelColumns): string =>
  modelVersion === '' ? modelName : `${modelName}/${modelVersion}`;

/** "head5/1 (longest path)" where the level's server times include the model. */
export const composingNameIn = ({ ensemblePath = [] }: LoadPoint, part: ComposingModelColumns): string =>
  `${composingName(part)}${ensemblePath.includes(part.modelName) ? ' (longest path)' : ''}`;

const timesFaultText = {
  'out-of-range': 'Triton’s sums of them are out of range',
  constant: 'Triton counts requests, and no time for them',
} as const;

/** Notes on the server times of the levels, one sentence each. */
export function serverPartsTexts(points: readonly LoadPoint[]): readonly string[] {
  const faults = new Set(points.flatMap(({ serverTimesFault }) => serverTimesFault ?? []));
  const ensembles = points.filter(({ composing = [] }) => composing.length > 0);
  const isPath = ({ ensemblePath = [] }: LoadPoint): boolean => ensemblePath.length > 0;
  return [
    ...[...faults].map((fault) => `The server’s times are not known: ${timesFaultText[fault]}.`),
    ...(ensembles.some(isPath)
      ? [
          'Queue and compute of an ensemble are those of its longest path: the steps that take longest one after the other.',
        ]
      : []),
    ...(ensembles.some((point) => !isPath(point) && point.serverTimesFault === undefined)
      ? ['Queue and compute of an ensemble are sums over its steps, also over those that run side by side.']
      : []),
    ...(ensembles.some(({ networkServerSendRecvUs: rest }) => rest !== null && rest < 0)
      ? ['Network + server below zero: the parts are more than the mean latency, which they do not make up.']
      : []),
  ];
}

export type Gpu = NonNullable<LoadPoint['gpus']>[number];

export const gpus: readonly Column<Gpu>[] = [
  {
    ...{ id: 'gpu-utilization', heading: null, title: 'Mean utilization', unit: '', kind: 'share' },
    help: 'Mean utilization of the GPU while the level was measured.',
    read: (gpu) => gpu.utilization,
  },
  {
    ...{ id: 'gpu-power', heading: null, title: 'Mean power', unit: 'W', kind: 'count' },
    help: 'Mean power of the GPU while the level was measured.',
    read: (gpu) => gpu.powerW,
  },
  {
    ...{ id: 'gpu-memory', heading: null, title: 'Most memory', unit: '', kind: 'bytes' },
    help: 'Most memory of the GPU that was in use.',
    read: (gpu) => gpu.maxMemoryBytes,
  },
  {
    ...{ id: 'gpu-total-memory', heading: null, title: 'Total memory', unit: '', kind: 'bytes' },
    help: 'All memory of the GPU.',
    read: (gpu) => gpu.totalMemoryBytes,
  },
  {
    ...{ id: 'gpu-clock', heading: null, title: 'Mean clock', unit: 'MHz', kind: 'count' },
    help: 'Mean clock of the GPU’s multiprocessors while the level was measured.',
    read: (gpu) => gpu.smClockMHz,
  },
  {
    ...{ id: 'gpu-throttled', heading: null, title: 'Throttled', unit: '', kind: 'share' },
    help: 'Share of the readings in which power, temperature or the hardware held the clocks down.',
    read: (gpu) => gpu.throttledShare,
  },
  {
    ...text,
    ...{ id: 'gpu-throttled-by', heading: null, title: 'Throttled by' },
    help: 'What held the clocks down.',
    read: (gpu) => gpu.throttledBy?.join(', ') ?? null,
  },
];

/** Share of readings from which a GPU counts as throttled; busy GPUs reach less now and then. */
const throttledFrom = 0.1;

export const isThrottled = ({ throttledShare = 0 }: Pick<Gpu, 'throttledShare'>): boolean =>
  throttledShare >= throttledFrom;

/** Columns of sequences, streams, checks and the like that any level has. */
export const partsOf = (
  points: readonly LoadPoint[],
  parts: readonly (readonly [part: keyof LoadPoint, columns: readonly Column[]])[],
): readonly Column[] =>
  parts.flatMap(([part, columns]) => (points.some((point) => point[part] !== undefined) ? columns : []));

/** Columns of sequences and streams; `keep` filters the response times. */
export const streamColumns = (
  points: readonly LoadPoint[],
  keep: (column: Column) => boolean = () => true,
): readonly Column[] =>
  partsOf(points, [
    ['sequences', [sequenceRate]],
    ['streaming', [...responseRates, ...responseTimes.flatMap(({ columns }) => columns.filter(keep))]],
  ]);

/** Columns of parts for files, behind those of every level. */
export const partsInFiles = [
  ['cache', cache],
  ['outputChecks', checks],
  ['tls', [tls]],
  ['model', [model, together]],
  ['serverCpuShare', [serverCpu]],
] as const satisfies Parameters<typeof partsOf>[1];

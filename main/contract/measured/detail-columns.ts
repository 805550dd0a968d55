import { togetherText } from '../words';
import { type Column, count, ms, named, rate, share, spreadColumns, text } from './column';
import { refused } from './columns';
import type { ComposingModelColumns } from './composing';
import { tokensInFiles } from './generation-columns';
import { replayedText } from './replayed';
import type { CountedKind, LoadPoint } from './results';

/** Columns that only some levels have, and those of a level's models and GPUs. Times are read in microseconds. */

export const sequenceRate: Column = {
  ...named('sequences', 'Sequences/Second', 'Sequences/s', rate),
  help: 'Sequences of a stateful model that ended, per second.',
  read: ({ sequences }) => sequences?.endedPerSecond,
};

export const sequencesAtOnce: Column = {
  ...named('sequences-at-once', null, 'Sequences at once', count),
  help: 'Sequences that were open at the same time.',
  read: ({ sequences }) => sequences?.concurrent,
};

export const responseRates: readonly Column[] = [
  {
    ...named('responses-per-request', 'Responses/Request', 'Responses/request', rate),
    help: 'Responses with content to one request, on average; a decoupled model may send any number.',
    read: ({ streaming }) => streaming?.responsesPerRequest,
  },
  {
    ...named('responses', 'Responses/Second', 'Responses/s', rate),
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
).map(([part, heading, title, help]) =>
  spreadColumns(
    { id: part, heading, title, help, files: ['p50', 'p90', 'p95', 'p99', 'avg'] },
    ({ streaming }) => streaming?.[part],
  ),
);

export const checks: readonly Column[] = [
  {
    ...named('checked-responses', 'Checked Response Count', 'Checked responses', count),
    help: 'Responses that were decoded and compared with the model’s declared outputs: a random sample, or with expected outputs as many as time allows.',
    read: ({ outputChecks }) => outputChecks?.checkedCount,
  },
  {
    ...named('wrong-responses', 'Wrong Response Count', 'Wrong responses', count),
    help: 'Checked responses with a wrong output. A level that has any does not count as a result.',
    read: ({ outputChecks }) => outputChecks?.wrongCount,
    doubtful: ({ outputChecks }) => (outputChecks?.wrongCount ?? 0) > 0,
  },
];

export const faultKinds = ({ errorsByKind = [], wrongByKind = [] }: LoadPoint): readonly CountedKind[] => [
  ...errorsByKind,
  ...wrongByKind,
];

export const comparedResponses: Column = {
  ...named('compared-responses', null, 'Compared responses', count),
  help: 'Checked responses whose values were also compared with those that the input data give.',
  read: ({ outputChecks }) => outputChecks?.comparedCount,
};

export const sharedMemory: readonly Column[] = [
  {
    ...named('shared-checked', null, 'Checked outputs', count),
    help: 'Outputs that were read back and compared with the same request over the wire.',
    read: (point) => point.sharedMemory?.checkedCount,
  },
  {
    ...named('shared-wrong', null, 'Mismatches', count),
    help: 'Outputs that differed.',
    read: (point) => point.sharedMemory?.wrongCount,
    doubtful: (point) => (point.sharedMemory?.wrongCount ?? 0) > 0,
  },
  {
    ...named('shared-repairs', null, 'Registered again', count),
    help: 'Number of times that another client had unregistered the regions.',
    read: (point) => point.sharedMemory?.repairs,
  },
];

export const padding: Column = {
  ...named('padding', 'Padding', 'Padding', share),
  help: 'Share of padding in the tokens that were sent: the client pads the texts of a request to the longest of them.',
  read: (point) => point.paddingShare,
};

export const cache: readonly Column[] = [
  {
    ...named('cache-hits', 'Server Cache Hit Count', 'Cache hits', count),
    help: 'Requests that the response cache answered.',
    read: (point) => point.cache?.hitCount,
  },
  {
    ...named('cache-misses', 'Server Cache Miss Count', 'Cache misses', count),
    help: 'Requests that the model had to answer.',
    read: (point) => point.cache?.missCount,
  },
  {
    ...named('cache-hit-time', 'Server Cache Hit (ms)', 'Cache hit time', ms),
    help: 'Mean time of a hit in the cache.',
    read: (point) => point.cache?.hitUs,
  },
  {
    ...named('cache-miss-time', 'Server Cache Miss (ms)', 'Cache miss time', ms),
    help: 'Mean time for looking up and keeping a response, without the model’s own.',
    read: (point) => point.cache?.missUs,
  },
];

const clientCpu: Column = {
  ...named('client-cpu-cores', null, 'Client CPU', { unit: 'cores', kind: 'rate' }),
  help: 'CPU time of the load generator divided by elapsed time; unknown if the measurement was too short.',
  read: ({ client }) => client?.cpuShare,
};

const serverCpu: Column = {
  ...named('server-cpu', 'Server CPU', 'Server CPU', share),
  help: 'Mean use of all cores of the server’s machine, from Triton’s metrics.',
  read: (point) => point.serverCpuShare,
};

export const cpus: readonly Column[] = [clientCpu, serverCpu];

export const effort: readonly Column[] = [
  ...cpus,
  {
    ...named('client-busy', null, 'Client busy', share),
    help: 'Share of the time in which the event loop of the load generator was busy.',
    read: (point) => point.client?.loopShare,
  },
  {
    ...named('client-delay-p99', null, 'Client delay p99', ms),
    help: 'How late the event loop of the load generator was at p99, in the worst window.',
    read: (point) => point.client?.loopDelayP99Us,
  },
];

export const clientCpuPerRequest: Column = {
  ...named('client-cpu', null, 'Client CPU/request', ms),
  help: 'CPU time of the load generator for each answered request.',
  read: (point) => point.clientCpuUsPerRequest,
};

export const tls: Column = {
  ...named('tls', 'TLS Certificate', 'TLS certificate', text),
  help: 'Whether the server’s certificate was checked; “–” is an unencrypted connection.',
  read: (point) => (point.tls === undefined ? null : point.tls.verified ? 'verified' : 'not verified'),
  doubtful: (point) => point.tls?.verified === false,
};

export const model: Column = {
  ...named('model', 'Model', 'Model', text),
  help: 'Model of this row, among models that were measured at the same time.',
  read: (point) => point.model,
};

export const replayed: Column = {
  ...text,
  id: 'replay',
  heading: 'Replay',
  title: 'Replayed trace',
  help: 'What was sent of the recorded trace.',
  read: replayedText,
};

export const together: Column = {
  ...named('together', 'Measured Together With', 'Measured together with', text),
  help: 'Other models that the server served at the same time.',
  read: togetherText,
};

const perModel = (
  name: 'queueUs' | 'computeInputUs' | 'computeInferUs' | 'computeOutputUs',
  id: string,
  title: string,
): Column<ComposingModelColumns> => ({
  ...ms,
  id: `model-${id}`,
  heading: null,
  title,
  help: 'Mean time of one request of the model, from the server’s statistics.',
  read: (part) => part[name],
});

export const composing: readonly Column<ComposingModelColumns>[] = [
  {
    ...named('model-requests', null, 'Requests', count),
    help: 'Requests that the model answered, including those from outside the ensemble.',
    read: (part) => part.requestCount,
  },
  {
    ...named('model-executions', null, 'Executions', count),
    help: 'Executed batches of the model.',
    read: (part) => part.executionCount,
  },
  perModel('queueUs', 'queue', 'Server queue'),
  perModel('computeInputUs', 'compute-input', 'Compute input'),
  perModel('computeInferUs', 'compute-infer', 'Compute infer'),
  perModel('computeOutputUs', 'compute-output', 'Compute output'),
  {
    ...named('model-mean-batch', null, 'Mean executed batch size', rate),
    help: 'Items in one execution of the model.',
    read: ({ inferenceCount: items, executionCount: batches }) =>
      items === null || batches === null || batches === 0 ? null : items / batches,
  },
  {
    ...named('model-max-batch', null, 'Maximum batch size', count),
    help: 'From the model’s configuration; 0 means no batch dimension.',
    read: (part) => part.maxBatchSize,
  },
  {
    ...named('model-instances', null, 'Instances', count),
    help: 'From the model’s configuration, on all its GPUs.',
    read: (part) => part.instances,
  },
  {
    ...named('model-cache-hits', null, 'Cache hits', count),
    help: 'Requests that the response cache answered.',
    read: (part) => part.cacheHitCount,
  },
  {
    ...named('model-cache-misses', null, 'Cache misses', count),
    help: 'Requests that the model had to answer.',
    read: (part) => part.cacheMissCount,
  },
];

export const composingName = ({ modelName, modelVersion }: ComposingModelColumns): string =>
  modelVersion === '' ? modelName : `${modelName}/${modelVersion}`;

/** "head5/1 (longest path)" where the level's server times include the model. */
export const composingNameIn = ({ ensemblePath = [] }: LoadPoint, part: ComposingModelColumns): string =>
  `${composingName(part)}${part.bls === true ? ' (BLS)' : ensemblePath.includes(part.modelName) ? ' (longest path)' : ''}`;

const timesFaultText = {
  'out-of-range': 'Triton’s sums of them are out of range',
  constant: 'Triton counts requests but no time for them',
} as const;

/** Notes on the server times of the levels, one sentence each. */
export function serverPartsTexts(points: readonly LoadPoint[]): readonly string[] {
  const faults = new Set(points.flatMap(({ serverTimesFault }) => serverTimesFault ?? []));
  const ensembles = points.filter(({ composing = [] }) => composing.some(({ bls }) => bls !== true));
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
    ...(points.some(({ composing = [] }) => composing.some(({ bls }) => bls === true))
      ? ['Times of a model that is called by BLS lie within the compute of the one that calls it.']
      : []),
    ...(ensembles.some(({ networkServerSendRecvUs: rest }) => rest !== null && rest < 0)
      ? ['Network + server is below zero: the parts add up to more than the mean latency.']
      : []),
  ];
}

export type Gpu = NonNullable<LoadPoint['gpus']>[number];

export const gpus: readonly Column<Gpu>[] = [
  {
    ...named('gpu-utilization', null, 'Mean utilization', share),
    help: 'Mean utilization of the GPU while the level was measured.',
    read: (gpu) => gpu.utilization,
  },
  {
    ...named('gpu-power', null, 'Mean power', { unit: 'W', kind: 'count' }),
    help: 'Mean power of the GPU while the level was measured.',
    read: (gpu) => gpu.powerW,
  },
  {
    ...named('gpu-memory', null, 'Most memory', { unit: '', kind: 'bytes' }),
    help: 'Peak memory in use on the GPU.',
    read: (gpu) => gpu.maxMemoryBytes,
  },
  {
    ...named('gpu-total-memory', null, 'Total memory', { unit: '', kind: 'bytes' }),
    help: 'All memory of the GPU.',
    read: (gpu) => gpu.totalMemoryBytes,
  },
  {
    ...named('gpu-clock', null, 'Mean clock', { unit: 'MHz', kind: 'count' }),
    help: 'Mean clock of the GPU’s multiprocessors while the level was measured.',
    read: (gpu) => gpu.smClockMHz,
  },
  {
    ...named('gpu-throttled', null, 'Throttled', share),
    help: 'Share of the readings in which power, temperature or the hardware held the clocks down.',
    read: (gpu) => gpu.throttledShare,
  },
  {
    ...named('gpu-throttled-by', null, 'Throttled by', text),
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
  ['replay', [replayed]],
  ['generation', tokensInFiles],
  ['paddingShare', [padding]],
  ['cache', cache],
  ['outputChecks', checks],
  ['tls', [tls]],
  ['model', [model, together]],
  ['serverCpuShare', [serverCpu]],
  ['refused', [refused]],
] as const satisfies Parameters<typeof partsOf>[1];

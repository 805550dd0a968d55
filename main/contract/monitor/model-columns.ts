import type { Column } from '../measured/column';
import type { ModelRates, ModelSample, ProbeFigures } from './monitor';

/** A figure of a monitored model. Its id is the field in the history and the heading in CSV files. */
export interface ModelColumn extends Column<ModelSample> {
  /** Heading in a table of models; absent: `title`. */
  readonly inTable?: string;
  readonly read: (model: ModelSample) => number | null | undefined;
}

const ofRates = (id: keyof ModelRates) => ({
  id,
  heading: id,
  read: ({ rates }: ModelSample) => rates?.[id],
});

const time = (id: keyof ModelRates, title: string, help: string) =>
  ({ ...ofRates(id), title, help, unit: 'ms', kind: 'duration' }) as const;

/** From the time a probe was due. */
const probe = (id: string, name: keyof ProbeFigures, title: string, help: string) =>
  ({
    id,
    heading: id,
    title,
    inTable: `Probe ${title}`,
    help,
    unit: 'ms',
    kind: 'duration',
    read: ({ probe: figures }: ModelSample) => figures?.[name],
  }) as const;

const percentileHelp = (percent: number): string =>
  `Latency within which ${percent} % of the probes of the last minute were answered.`;

const columns = {
  requestsPerSecond: {
    ...ofRates('requestsPerSecond'),
    title: 'Requests',
    inTable: 'Requests/s',
    help: 'Successful and failed requests per second.',
    unit: 'requests/s',
    kind: 'rate',
  },
  inferencesPerSecond: {
    ...ofRates('inferencesPerSecond'),
    title: 'Inferences',
    help: 'Batch items per second.',
    unit: 'inferences/s',
    kind: 'rate',
  },
  errorShare: {
    ...ofRates('errorShare'),
    title: 'Errors',
    help: 'Share of the requests that failed.',
    unit: '%',
    kind: 'share',
  },
  queueUs: time('queueUs', 'Queue', 'Mean wait in the server for a batch to fill or an instance to be free.'),
  computeInputUs: {
    ...time('computeInputUs', 'Compute input', 'Mean time in which the server prepares the inputs.'),
    inTable: 'Input',
  },
  computeInferUs: {
    ...time('computeInferUs', 'Compute infer', 'Mean time in which the model runs.'),
    inTable: 'Infer',
  },
  computeOutputUs: {
    ...time('computeOutputUs', 'Compute output', 'Mean time in which the server hands the outputs back.'),
    inTable: 'Output',
  },
  batch: {
    ...ofRates('batch'),
    title: 'Mean batch',
    inTable: 'Batch',
    help: 'Mean number of batch items per execution.',
    unit: 'items per execution',
    kind: 'rate',
  },
  cacheHitShare: {
    ...ofRates('cacheHitShare'),
    title: 'Cache hits',
    help: 'Share of the requests answered from the response cache.',
    unit: '%',
    kind: 'share',
  },
  pending: {
    id: 'pending',
    heading: 'pending',
    title: 'Pending',
    help: 'Requests waiting for execution, from the metrics.',
    unit: '',
    kind: 'count',
    read: ({ pending }) => pending,
  },
  probeP50Us: probe('probeP50Us', 'p50Us', 'p50', percentileHelp(50)),
  probeP95Us: probe('probeP95Us', 'p95Us', 'p95', percentileHelp(95)),
  probeP99Us: probe('probeP99Us', 'p99Us', 'p99', percentileHelp(99)),
  probeWorstUs: probe('probeWorstUs', 'worstUs', 'Slowest', 'Slowest probe that ended in this second.'),
} as const satisfies Readonly<Record<string, ModelColumn>>;

export type ModelField = keyof typeof columns;

/** Every figure of a monitored model, in CSV order. Times are read in microseconds. */
export const modelColumns: Readonly<Record<ModelField, ModelColumn>> = columns;

export const modelFields = Object.keys(columns) as readonly ModelField[];

/** "Queue", "Probe p99": the unit is given elsewhere. */
export const tableTitle = ({ inTable, title }: ModelColumn): string => inTable ?? title;

/** "Queue (ms)"; shares have their unit in the cells. */
export const tableHeading = (column: ModelColumn): string =>
  column.kind === 'duration' ? `${tableTitle(column)} (${column.unit})` : tableTitle(column);

export const chartFactor = ({ kind }: ModelColumn): number =>
  kind === 'duration' ? 0.001 : kind === 'share' ? 100 : 1;

import { invalidInput } from '../../contract/errors';
import type { LoadPoint } from '../../contract/measured/results';
import { fileLimits } from '../../contract/reader-limits';
import { loadKey, mostUnderWay } from '../../contract/run/sweep';
import { shortText, someOf } from '../../platform/lines';
import { readGpus, serverNotes } from './model-analyzer-gpus';
import type { Table, TableRow } from './model-analyzer-table';

/** One configuration of the model with its levels. */
export interface AnalyzedConfiguration {
  readonly model: string;
  /** "resnet50_config_3" */
  readonly name: string;
  readonly points: readonly LoadPoint[];
  readonly notes: readonly string[];
}

const { levels: mostLevels, configurations: mostConfigurations } = fileLimits.captureCsv;

const throughput = 'Throughput (infer/sec)';
const p99 = 'p99 Latency (ms)';
const responseWait = 'Response Wait Time (ms)';
const times = {
  avgUs: 'Avg Latency (ms)',
  p90Us: 'p90 Latency (ms)',
  p95Us: 'p95 Latency (ms)',
  serverQueueUs: 'Server Queue time (ms)',
  serverComputeInputUs: 'Server Compute Input time (ms)',
  serverComputeInferUs: 'Server Compute Infer time (ms)',
  serverComputeOutputUs: 'Server Compute Output time (ms)',
} as const;
const ofServer = [
  'serverQueueUs',
  'serverComputeInputUs',
  'serverComputeInferUs',
  'serverComputeOutputUs',
] as const;
/** What makes the configuration, which a run's notes say. */
const settings = ['Instance Group', 'Max Batch Size'] as const;
const satisfies = 'Satisfies Constraints';
const backendParameter = 'backend_parameter/';
const known: ReadonlySet<string> = new Set([
  ...['Model', 'Batch', 'Concurrency', 'Request Rate', 'Model Config Path', throughput, p99, responseWait],
  ...[...Object.values(times), ...settings, satisfies],
]);

/** Milliseconds of the file, in microseconds without the noise of the product. */
const toUs = (ms: number | null): number | null => (ms === null ? null : Math.round(ms * 1e6) / 1e3);

/** What the client waited for beyond the server's own times: the network. null where a part is missing. */
function networkUs(waitUs: number | null, parts: readonly (number | null)[]): number | null {
  if (waitUs === null) return null;
  let left = waitUs;
  for (const part of parts) {
    if (part === null) return null;
    left -= part;
  }
  return Math.max(0, left);
}

function loadOf(row: TableRow): Pick<LoadPoint, 'batchSize' | 'concurrency' | 'requestRate'> {
  const batchSize = row.whole('Batch') ?? 1;
  const concurrency = row.whole('Concurrency');
  if (concurrency !== null) return { batchSize, concurrency };
  const rate = row.number('Request Rate');
  if (rate !== null && rate > 0) return { batchSize, concurrency: mostUnderWay, requestRate: rate };
  throw row.fail('There is neither a concurrency nor a request rate');
}

/** null: the row has no throughput or p99. */
function pointOf(row: TableRow, gpus: LoadPoint['gpus']): LoadPoint | null {
  const [rate, p99Us] = [row.number(throughput), toUs(row.number(p99))];
  if (rate === null || p99Us === null) return null;
  const read = Object.fromEntries(
    Object.entries(times).map(([key, name]) => [key, toUs(row.number(name))] as const),
  ) as Record<keyof typeof times, number | null>;
  return {
    ...loadOf(row),
    ...read,
    ...{ inferencesPerSecond: rate, p99Us, p50Us: null, clientSendUs: null, clientRecvUs: null },
    networkServerSendRecvUs: networkUs(
      toUs(row.number(responseWait)),
      ofServer.map((name) => read[name]),
    ),
    requestCount: null,
    // perf_analyzer, which measured, exits at the first failed request and omits unstable levels.
    ...{ errorCount: 0, stable: true, flags: [], loadTool: 'perf_analyzer', protocol: null },
    ...{ meanServerBatch: null, throughputIntervalIps: null },
    ...(gpus === undefined ? {} : { gpus }),
    ...{ windows: [], elapsedUs: null },
  };
}

/** "Instance Group 2:CPU, Max Batch Size 8" of the first row, which is that of all. */
function settingsNotes(
  name: string,
  rows: readonly TableRow[],
  columns: readonly string[],
): readonly string[] {
  const [first] = rows;
  const ofBackend = columns.filter((column) => column.startsWith(backendParameter));
  const said = [...settings, ...ofBackend].flatMap((column) => {
    const text = first?.text(column) ?? '';
    return text === '' ? [] : [`${column} ${shortText(text)}`];
  });
  const kept = rows.filter((row) => row.text(satisfies) === 'Yes').length;
  return [
    `Configuration ${shortText(name)}${said.length === 0 ? '' : `: ${said.join(', ')}`}.`,
    ...(first?.has(satisfies) === true
      ? [`Satisfies Constraints: ${kept} of ${rows.length} levels, as Model Analyzer judged them.`]
      : []),
  ];
}

/** Of the file: what no run has. */
function fileNotes({ names }: Table): readonly string[] {
  const other = names.filter((name) => !known.has(name) && !name.startsWith(backendParameter));
  const absent = Object.values(times).filter((name) => !names.includes(name));
  return [
    'Model Analyzer rounds to 0.1 ms and writes no median.',
    ...(absent.length === 0 ? [] : [`The file has no ${absent.join(', ')}.`]),
    ...(other.length === 0 ? [] : [`Not imported: ${someOf(other)}.`]),
  ];
}

const lineOf = ({ where }: TableRow): string => where.replace(/^.*, (?=line \d+$)/, '');

/** Rows of a configuration as levels, and the rows that are none. */
function levelsOf(rows: readonly TableRow[], gpusOf: (row: TableRow) => LoadPoint['gpus']) {
  const points = new Map<string, LoadPoint>();
  const left: string[] = [];
  for (const row of rows) {
    const point = pointOf(row, gpusOf(row));
    if (point === null) left.push(`${lineOf(row)} has no throughput or no p99`);
    else if (points.has(loadKey(point))) left.push(`${lineOf(row)} repeats an earlier level`);
    else points.set(loadKey(point), point);
    if (points.size > mostLevels) throw row.fail(`There are more than ${mostLevels} levels`);
  }
  return { points: [...points.values()], left };
}

/** Rows by configuration, in the order of the file. */
function byConfiguration(rows: readonly TableRow[]): ReadonlyMap<string, readonly TableRow[]> {
  const found = new Map<string, TableRow[]>();
  for (const row of rows) {
    const name = row.text('Model Config Path') || row.text('Model');
    const before = found.get(name);
    if (before === undefined) found.set(name, [row]);
    else before.push(row);
    if (found.size > mostConfigurations) {
      throw row.fail(`There are more than ${mostConfigurations} configurations`);
    }
  }
  return found;
}

/** Models that were measured together share a row. */
const isOfSeveral = (row: TableRow): boolean => row.text('Model').includes(',');

/**
 * The configurations of `metrics-model-inference.csv`, with the GPUs of the two other files where they are given. Columns
 * and rows that are not taken are in the notes. Throws input-invalid with line and column.
 */
export function readModelAnalyzer(
  inference: Table,
  { gpu, server }: { readonly gpu: Table | null; readonly server: Table | null },
): readonly AnalyzedConfiguration[] {
  const { fileName, names, rows } = inference;
  const lacking = [throughput, p99].filter((name) => !names.includes(name));
  if (lacking.length > 0) {
    throw invalidInput(
      `${fileName}, line 1`,
      `The file has no column ${lacking.map((name) => `"${name}"`).join(', ')}`,
      'Name perf_throughput and perf_latency_p99 in inference_output_fields, and write the report again.',
    );
  }
  const gpus = gpu === null ? null : readGpus(gpu);
  const single = rows.filter((row) => !isOfSeveral(row));
  const several = rows.length - single.length;
  const shared = [
    ...fileNotes(inference),
    ...(several === 0 ? [] : [`Not imported: ${several} rows of models that were measured together.`]),
    ...(gpus?.notes ?? []),
    ...(server === null ? [] : serverNotes(server)),
  ];
  const found = [...byConfiguration(single)].flatMap(([name, ofName]): AnalyzedConfiguration[] => {
    const { points, left } = levelsOf(ofName, (row) => gpus?.of(row));
    if (points.length === 0) return [];
    const notes = [
      ...settingsNotes(name, ofName, names),
      ...(left.length === 0 ? [] : [`Not imported: ${someOf(left)}.`]),
    ];
    return [{ model: ofName[0]?.text('Model') || name, name, points, notes: [...notes, ...shared] }];
  });
  if (found.length > 0) return found;
  throw invalidInput(
    fileName,
    several > 0 ? 'The file only has models that were measured together' : 'The file has no level',
    'Use the file of a profile in which a model was measured by itself.',
  );
}

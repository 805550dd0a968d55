import { invalidInput, type WorkbenchError } from '../../contract/errors';
import { fileLimits } from '../../contract/reader-limits';
import { type Cells, csvRecords, jsonRecords, type TraceRecord } from './trace-records';

/** One recorded request. */
export interface TraceRow {
  /** As recorded: since 1970, or since whatever the trace counts from. */
  readonly atUs: number;
  /** Items of the request. */
  readonly size?: number;
  readonly model?: string;
  /** Of the input data, from 0 on. */
  readonly entry?: number;
  /** Of entries of the input data. */
  readonly inputClass?: string;
}

const { requests: mostRequests } = fileLimits.trace;
const longestName = 256;
const mostItems = 65_536;

const everyForm =
  'A trace is a CSV file or JSON lines with a column "timestamp" (or "timestamp_ms", "timestamp_us", "timestamp_ns"; optionally "size", "model", "entry", "class"), or a trace file of Triton.';

const problem = (where: string, message: string, remedy = everyForm): WorkbenchError =>
  invalidInput(where, message, remedy);

const unitsUs = { ns: 1e-3, us: 1, ms: 1e3, s: 1e6 } as const;
type Unit = keyof typeof unitsUs;

const spelledUnits: Readonly<Record<Unit, readonly string[]>> = {
  s: ['s', 'sec', 'secs', 'second', 'seconds'],
  ms: ['ms', 'millis', 'milliseconds'],
  us: ['us', 'µs', 'micros', 'microseconds'],
  ns: ['ns', 'nanos', 'nanoseconds'],
};
const units = Object.keys(spelledUnits) as Unit[];

const timeName =
  /^(?:timestamp|time|ts|at|arrival|arrival[_ ]time|arrived[_ ]at|start|start[_ ]time)(?:[_ ]*\(?([a-zµ]+)\)?)?$/;
const columnNames = {
  size: ['size', 'batch_size', 'batch size', 'batch', 'batchsize', 'items'],
  model: ['model', 'model_name', 'model name'],
  entry: ['entry'],
  inputClass: ['class'],
} as const;
type Column = 'at' | keyof typeof columnNames;

/** Where each column is, by what the file calls it. */
interface Layout {
  readonly names: Readonly<Partial<Record<Column, string>>>;
  /** null: its values tell. */
  readonly unit: Unit | null;
}

/** null: none of the names is that of a time. */
function layoutOf(names: readonly string[]): Layout | null {
  const found = names.flatMap((name) => {
    const match = timeName.exec(name.trim().toLowerCase());
    const said = match?.[1];
    const unit = said === undefined ? null : units.find((one) => spelledUnits[one].includes(said));
    return match === null || unit === undefined ? [] : [{ name, unit }];
  });
  const [time] = found;
  if (time === undefined) return null;
  const others = Object.entries(columnNames).flatMap(([column, known]) => {
    const name = names.find((one) => known.some((other) => other === one.trim().toLowerCase()));
    return name === undefined ? [] : [[column, name] as const];
  });
  return { names: { at: time.name, ...Object.fromEntries(others) }, unit: time.unit };
}

const numberText = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;
const dateText = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:[.,](\d+))?\s*(Z|UTC|[+-]\d\d(?::?\d\d)?)?$/i;

/** Microseconds since 1970, without a zone in UTC; null: no date. */
function dateUs(text: string): number | null {
  const [whole, day = '', time = '', fraction = '0', zone = 'Z'] = dateText.exec(text) ?? [];
  if (whole === undefined) return null;
  const ms = Date.parse(`${day}T${time}Z`);
  // A 30 February would be a day of March.
  if (Number.isNaN(ms) || !new Date(ms).toISOString().startsWith(day)) return null;
  const [, sign = '+', hours = '0', minutes = '0'] = /^([+-])(\d\d):?(\d\d)?$/.exec(zone) ?? [];
  const offsetMin = (sign === '-' ? -1 : 1) * (60 * Number(hours) + Number(minutes));
  return ms * 1000 + Number(`0.${fraction}`) * 1e6 - offsetMin * 60e6;
}

/** Of numbers that do not say it: since 1970 they differ by three digits each; anything smaller is seconds. */
function likelyUnit(value: number): Unit {
  const size = Math.abs(value);
  if (size >= 1e17) return 'ns';
  if (size >= 1e14) return 'us';
  return size >= 1e11 ? 'ms' : 's';
}

/** Reads the times of a file, all in the form that the first has. */
class TimeReader {
  private form: Unit | 'date' | null;

  constructor(unit: Unit | null) {
    this.form = unit;
  }

  /** null: it is no time of that form. */
  read(text: string): number | null {
    const value = numberText.test(text) ? Number(text) : null;
    this.form ??= value === null ? 'date' : likelyUnit(value);
    if (this.form === 'date' || value === null) return this.form === 'date' ? dateUs(text) : null;
    return Number.isFinite(value) ? value * unitsUs[this.form] : null;
  }
}

const isBlank = (text: string | undefined): boolean => text === undefined || text === '';

function wholeOf(
  where: string,
  cells: Cells,
  name: string,
  [least, most]: readonly [number, number],
): number {
  const text = cells.get(name) ?? '';
  const value = Number(text);
  if (/^\d+(?:\.0+)?$/.test(text) && value >= least && value <= most) return value;
  throw problem(
    where,
    `The column "${name}" has no whole number from ${least} to ${most}`,
    'Correct the value, or leave it empty.',
  );
}

function nameOf(where: string, cells: Cells, name: string): string {
  const text = cells.get(name) ?? '';
  if (text.length <= longestName && !/[\r\n]/.test(text)) return text;
  throw problem(
    where,
    `The column "${name}" holds more than a name`,
    'Give names of at most 256 characters.',
  );
}

function rowOf(where: string, cells: Cells, { names }: Layout, times: TimeReader): TraceRow {
  const atUs = times.read(cells.get(names.at ?? '') ?? '');
  if (atUs === null) {
    throw problem(
      where,
      `The column "${names.at ?? ''}" has no valid time in the form of the first row`,
      'Give numbers, or dates such as 2026-03-01T12:00:00.250Z, in every row.',
    );
  }
  const { size, model, entry, inputClass } = names;
  const row: { -readonly [Key in keyof TraceRow]: TraceRow[Key] } = { atUs };
  if (size !== undefined && !isBlank(cells.get(size))) row.size = wholeOf(where, cells, size, [1, mostItems]);
  if (model !== undefined && !isBlank(cells.get(model))) row.model = nameOf(where, cells, model);
  if (entry !== undefined && !isBlank(cells.get(entry))) row.entry = wholeOf(where, cells, entry, [0, 1e9]);
  if (inputClass !== undefined && !isBlank(cells.get(inputClass)))
    row.inputClass = nameOf(where, cells, inputClass);
  if (row.entry !== undefined && row.inputClass !== undefined)
    throw problem(where, 'A request names an entry and a class', 'Give one of them.');
  return row;
}

/** The names of the first record, or of a single column without one. */
function firstLayout(file: string, names: readonly string[], isNamed: boolean): Layout {
  const layout = layoutOf(names);
  if (layout !== null) return layout;
  throw problem(
    `${file}, line 1`,
    isNamed ? 'No column has the name of a time' : 'The file has several columns and does not name them',
  );
}

const onlyTimes: Layout = { names: { at: 'timestamp' }, unit: null };
const isTime = (text: string): boolean => numberText.test(text) || dateUs(text) !== null;

function csvRows(text: string, file: string): TraceRow[] {
  const rows: TraceRow[] = [];
  const state: { header: readonly string[] | null; layout: Layout; times: TimeReader } = {
    header: null,
    layout: onlyTimes,
    times: new TimeReader(null),
  };
  for (const { cells, line } of csvRecords(text, file)) {
    if (state.header === null) {
      const isList = cells.length === 1 && isTime(cells[0] ?? '');
      state.header = isList ? ['timestamp'] : cells;
      state.layout = isList ? onlyTimes : firstLayout(file, cells, !cells.some(isTime));
      state.times = new TimeReader(state.layout.unit);
      if (!isList) continue;
    }
    const { header } = state;
    const where = `${file}, line ${line}`;
    if (cells.length !== header.length) {
      throw problem(where, `The line has ${cells.length} columns where the first has ${header.length}`);
    }
    const byName = new Map(header.map((name, at) => [name, cells[at] ?? '']));
    rows.push(rowOf(where, byName, state.layout, state.times));
    requireFew(rows.length, file);
  }
  return rows;
}

function requireFew(count: number, file: string): void {
  if (count > mostRequests)
    throw problem(file, `More than ${mostRequests} requests`, 'Cut the trace into shorter files.');
}

interface TritonTrace {
  readonly models: Map<unknown, string>;
  readonly children: Set<unknown>;
  readonly starts: Map<unknown, number>;
}

/** Triton's trace has several objects for each request, which its id holds together. */
function addTriton(
  { models, children, starts }: TritonTrace,
  { id, value }: { id: unknown; value: TraceRecord },
) {
  const { model_name: model, parent_id: parent, timestamps } = value;
  if (typeof model === 'string') models.set(id, model);
  // Of an ensemble: Triton asked that model itself.
  if (parent !== undefined) children.add(id);
  if (!Array.isArray(timestamps)) return;
  for (const stamp of timestamps as readonly unknown[]) {
    const { name, ns } = (stamp ?? {}) as TraceRecord;
    if (name === 'REQUEST_START' && typeof ns === 'number' && !starts.has(id)) starts.set(id, ns / 1000);
  }
}

function tritonRows({ models, children, starts }: TritonTrace, file: string): TraceRow[] {
  const rows = [...starts].flatMap(([id, atUs]) => {
    const model = models.get(id);
    return children.has(id) ? [] : [model === undefined ? { atUs } : { atUs, model }];
  });
  if (rows.length > 0) return rows;
  throw problem(
    file,
    'The trace of Triton has no REQUEST_START',
    'Record it with --trace-config level=TIMESTAMPS, and with rate=1 so that every request is in it.',
  );
}

function cellText(value: unknown): string {
  if (typeof value === 'string') return value.trim();
  return typeof value === 'number' ? String(value) : '';
}

function jsonRows(text: string, file: string): TraceRow[] {
  const rows: TraceRow[] = [];
  const triton: TritonTrace = { models: new Map(), children: new Set(), starts: new Map() };
  const seen = { triton: false };
  let layout: Layout | null = null;
  let times = new TimeReader(null);
  for (const { value, line } of jsonRecords(text, file)) {
    const where = `${file}, line ${line}`;
    const record =
      typeof value === 'object' && value !== null ? (value as TraceRecord) : { timestamp: value };
    const { id, timestamps, model_version: version, activity } = record;
    if (id !== undefined && [timestamps, version, activity].some((one) => one !== undefined)) {
      seen.triton = true;
      addTriton(triton, { id, value: record });
      requireFew(triton.starts.size, file);
      continue;
    }
    if (layout === null) {
      layout = layoutOf(Object.keys(record));
      if (layout === null) throw problem(where, 'No member has the name of a time');
      times = new TimeReader(layout.unit);
    }
    const named = Object.values(layout.names);
    const cells = new Map(named.map((name) => [name, cellText(record[name])]));
    rows.push(rowOf(where, cells, layout, times));
    requireFew(rows.length, file);
  }
  return seen.triton ? tritonRows(triton, file) : rows;
}

/**
 * The requests of a trace, ascending by time: CSV, JSON lines or a list, or Triton's own trace file. Columns with other names
 * are not looked at. Throws input-invalid with the line, and without anything of its content.
 */
export function parseTrace(text: string, file: string): readonly TraceRow[] {
  const [first = ''] = /\S/.exec(text.replace(/^\uFEFF/, '').slice(0, 4096)) ?? [];
  const rows = first === '{' || first === '[' ? jsonRows(text, file) : csvRows(text, file);
  if (rows.length === 0) throw problem(file, 'The trace has no request');
  return rows.sort((a, b) => a.atUs - b.atUs);
}

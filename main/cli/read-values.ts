import { headerProblem, type RequestHeader } from '../contract/address';
import type { RunSummary } from '../contract/api';
import { invalidInput, WorkbenchError } from '../contract/errors';
import { didYouMean } from '../contract/fields/nearest-name';
import { isStageText, stageForms } from '../contract/load/stages';
import { fileLimits } from '../contract/reader-limits';
import { runNameSchema } from '../contract/run/run-content';
import { parseShape, sampleDims } from '../contract/run/shape-text';
import type { Core } from '../core';
import { readBoundedFile } from '../platform/plain-entry';

/** "Authorization: Bearer …", repeatable. Throws input-invalid without the value, which may be a secret. */
export function readHeaders(texts: readonly string[]): readonly RequestHeader[] {
  return texts.map((text) => {
    const colon = text.indexOf(':');
    const header = { name: text.slice(0, Math.max(0, colon)).trim(), value: text.slice(colon + 1).trim() };
    const problem = headerProblem(header);
    if (problem === null) return header;
    throw invalidInput('--header', problem, 'For example -H "Authorization: Bearer TOKEN".');
  });
}

/** Throws input-invalid, naming the option, like all functions here. */
export function readNumber(flag: string, text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value)) throw invalidInput(flag, `"${text}" is not a number`);
  return value;
}

const byteUnits = { '': 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3, t: 1024 ** 4 } as const;

/** "8GiB", "512 MiB", "8g": bytes, units by 1024. A number without a unit is refused: nobody means 8 bytes. */
export function readBytes(flag: string, text: string): number {
  const [, amount = '', unit = ''] = /^\s*([\d.]+)\s*([kmgt])(?:i?b)?\s*$/i.exec(text) ?? [];
  const bytes = Math.round(Number(amount) * byteUnits[unit.toLowerCase() as keyof typeof byteUnits]);
  if (unit !== '' && Number.isFinite(bytes) && bytes > 0) return bytes;
  throw invalidInput(
    flag,
    `"${text}" is not a size`,
    'Give a size with its unit, for example 8GiB or 512MiB.',
  );
}

export function readNumbers(flag: string, text: string): number[] {
  return text
    .split(/[\s,]+/)
    .filter((part) => part !== '')
    .map((part) => readNumber(flag, part));
}

/** Bounds a range whose step was forgotten. */
const mostLevels = 10_000;

/** `1,2,4`, `1:64` or `1:64:8`, as perf_analyzer's ranges: start, end, step. */
export function readRange(flag: string, text: string): number[] {
  if (!text.includes(':')) return readNumbers(flag, text);
  const [start = 0, end = 0, step = 1, ...rest] = text.split(':').map((part) => readNumber(flag, part));
  if (rest.length > 0 || !(step > 0) || end < start || (end - start) / step > mostLevels) {
    throw invalidInput(flag, `"${text}" is not a range`, 'Give START:END:STEP, for example 100:500:100.');
  }
  // Multiplied, not accumulated: 0.1 three times is not 0.3.
  return Array.from(
    { length: Math.floor((end - start) / step + 1e-9) + 1 },
    (_unused, index) => start + index * step,
  );
}

/** `OUTPUT__0=1e-3`, or `1e-3` for every output; repeatable. */
export function readNamed(flag: string, texts: readonly string[]): Record<string, number> {
  return Object.fromEntries(
    texts.map((text) => {
      const [, name, value = ''] = /^(?:([^=]+)=)?(.*)$/.exec(text) ?? [];
      if (value.trim() !== '' && Number.isFinite(Number(value))) return [name ?? '*', Number(value)];
      const example =
        flag === '--threshold' ? 'METRIC=NUMBER, for example top1=0.75' : 'a number, or OUTPUT=NUMBER';
      throw invalidInput(flag, `"${text}" has no number`, `Give ${example}.`);
    }),
  );
}

/** The core reads at most this many lines. */
export const mostLogLines = 20_000;

export function readTail(text: string): number {
  const lines = readNumber('--tail', text);
  if (Number.isInteger(lines) && lines > 0) return Math.min(lines, mostLogLines);
  throw invalidInput(
    '--tail',
    `"${text}" is not a number of lines`,
    'Give a whole number above 0, for example --tail 20.',
  );
}

/** `qos=high`, `nvidia.com/gpu.product=NVIDIA-A30`; repeatable. Throws input-invalid. */
export function readPairs(flag: string, texts: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    texts.map((text) => {
      const [, name, value] = /^([^=]+)=(.+)$/s.exec(text) ?? [];
      if (name !== undefined && value !== undefined) return [name, value];
      throw invalidInput(flag, `"${text}" is not a name with a value`, `Write ${flag} NAME=VALUE.`);
    }),
  );
}

/** Correlation IDs: `1`, or `1:1000`, whose end is left out. */
export function readIds(flag: string, text: string): { readonly firstId: number; readonly endId?: number } {
  const [first = '', end, ...rest] = text.split(':');
  const firstId = readNumber(flag, first);
  if (rest.length === 0 && end === undefined) return { firstId };
  const endId = readNumber(flag, end ?? '');
  if (rest.length === 0 && endId > firstId) return { firstId, endId };
  throw invalidInput(
    flag,
    `"${text}" is not a range of IDs`,
    'Give START:END, for example 1:1000; the end is excluded.',
  );
}

/** Microseconds between requests, one per line, as perf_analyzer's --request-intervals. */
export async function readIntervals(flag: string, file: string): Promise<number[]> {
  const found = await readBoundedFile(file, fileLimits.intervals.bytes, { links: 'follow' });
  if ('problem' in found) {
    throw invalidInput(flag, `${file} cannot be read: ${found.problem}`, 'Give the path of a text file.');
  }
  const intervals = readNumbers(flag, found.text);
  if (intervals.length === 0 || intervals.some((interval) => interval <= 0)) {
    const message = `${file} has no intervals, or one that is not above 0`;
    throw invalidInput(flag, message, 'Write one per line, in microseconds.');
  }
  return intervals;
}

/** The text of a column or member, with the unit that its name has. */
const stageOf = (rate: unknown, seconds: unknown, toRate: unknown): string =>
  `${String(rate)}${isBlank(toRate) ? '' : `-${String(toRate)}`}:${/[a-z]$/.test(String(seconds)) ? String(seconds) : `${String(seconds)}s`}`;

const isBlank = (value: unknown): boolean => value === undefined || value === null || value === '';

/** Lines of `RATE:TIME`, or CSV with the columns rate, duration (seconds, or a time with its unit) and perhaps to_rate. */
function stagesIn(text: string): readonly string[] {
  const lines = text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
  const header = (lines[0] ?? '').split(',').map((name) => name.trim().toLowerCase());
  const [rateAt, timeAt, toAt] = ['rate', 'duration', 'to_rate'].map((name) => header.indexOf(name));
  if (rateAt === undefined || timeAt === undefined || rateAt < 0 || timeAt < 0) return lines;
  return lines.slice(1).map((line) => {
    const cells = line.split(',').map((cell) => cell.trim());
    return stageOf(cells[rateAt], cells[timeAt], toAt === undefined ? '' : cells[toAt]);
  });
}

/** Named or listed stages, or those of a file. */
export async function readStages(flag: string, text: string): Promise<readonly string[]> {
  const listed = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  if (listed.length > 0 && listed.every(isStageText)) return listed;
  const found = await readBoundedFile(text, fileLimits.stages.bytes, { links: 'follow' });
  if ('problem' in found) {
    throw invalidInput(flag, `"${text}" has no stages, and is not a file: ${found.problem}`, stageForms);
  }
  const stages = stagesIn(found.text);
  const wrong = stages.find((stage) => !isStageText(stage));
  if (wrong !== undefined || stages.length === 0) {
    throw invalidInput(flag, `${text} has no stages${wrong === undefined ? '' : `: "${wrong}"`}`, stageForms);
  }
  return stages;
}

export function readOneOf<Value extends string>(
  flag: string,
  values: readonly Value[],
  value: string,
): Value {
  const found = values.find((known) => known === value);
  if (found === undefined) {
    const names = values.join(', ');
    throw invalidInput(
      flag,
      `"${value}" is not one of ${names}${didYouMean(value, values)}`,
      `Give one of ${names}.`,
    );
  }
  return found;
}

const timeUnits = { us: 1, µs: 1, ms: 1e3, s: 1e6, m: 60e6, min: 60e6, h: 3600e6 } as const;
type TimeUnit = keyof typeof timeUnits;
const isTimeUnit = (text: string): text is TimeUnit => Object.hasOwn(timeUnits, text);

/** "500ms", "2s", "1.5m", or a plain number. Throws input-invalid. @param plain unit of a plain number */
export function readDuration(flag: string, text: string, unit: TimeUnit, plain: TimeUnit = unit): number {
  const [, amount = '', named = ''] = /^\s*([\d.]+(?:e[+-]?\d+)?)\s*([a-zµ]*)\s*$/i.exec(text) ?? [];
  const given = named === '' ? plain : named.toLowerCase();
  const value = amount === '' ? Number.NaN : Number(amount);
  if (!Number.isFinite(value) || !isTimeUnit(given)) {
    throw invalidInput(
      flag,
      `"${text}" is not a time`,
      `Give a number in ${plain}, or with a unit: 500ms, 2s, 1m.`,
    );
  }
  // Rounds off floating-point noise: 1.1 s is 1100 ms.
  return Number(((value * timeUnits[given]) / timeUnits[unit]).toPrecision(12));
}

/** A p99 budget in milliseconds: a time above 0. Throws input-invalid. */
export function readBudgetMs(text: string): number {
  const budgetMs = readDuration('--p99-budget-ms', text, 'ms');
  if (budgetMs > 0) return budgetMs;
  throw invalidInput(
    '--p99-budget-ms',
    `"${text}" is not a latency`,
    'Use a time above 0, for example 20 or 500us.',
  );
}

interface GivenShape {
  readonly name: string;
  /** null if not given. */
  readonly datatype: string | null;
  readonly dims: readonly number[];
}

/** `x:1,3,224,224`, `x=1x3x224x224`, `ids:INT64:1,16`. Throws input-invalid. @param batched first is the batch */
export function readShape(text: string, batched = false): GivenShape {
  const shape = parseShape(text);
  if (shape !== null && shape.name !== null && (batched || !shape.dims.includes(null))) {
    const dims = sampleDims(shape);
    if (dims !== null) return { name: shape.name, datatype: shape.datatype, dims };
  }
  const batch = batched ? '1,' : '';
  const open = batched ? ' Only the batch, which is first, may be -1 or a name.' : '';
  throw invalidInput(
    '--shape',
    `"${text}" is not a shape`,
    `For example --shape x=${batch}3,224,224, or --shape ids:INT64=${batch}16.${open}`,
  );
}

/** Dimensions by input name, for inputs whose types the server knows. Throws input-invalid. */
export function readShapes(texts: readonly string[]): Record<string, number[]> {
  return Object.fromEntries(
    texts.map((text) => {
      const { name, datatype, dims } = readShape(text);
      if (datatype !== null) {
        throw invalidInput(
          '--shape',
          `"${text}" names a data type, which the server already defines`,
          `Write ${name}=${dims.join(',')}.`,
        );
      }
      return [name, [...dims]];
    }),
  );
}

export const runArgument = 'run: id or a unique prefix of it, name, latest, or latest~N';

/** Candidates that an error lists. */
const mostCandidates = 10;

/** Throws input-invalid with the candidates. */
function ambiguous(text: string, what: string, runs: readonly RunSummary[]): never {
  const shown = runs
    .slice(0, mostCandidates)
    .map(({ runId, name }) => (name === null ? runId : `${runId} (${name})`));
  const more = runs.length > shown.length ? ` and ${runs.length - shown.length} more` : '';
  throw invalidInput(
    'run',
    `"${text}" is ${what} of ${runs.length} runs`,
    `Use one of: ${shown.join(', ')}${more}.`,
  );
}

const unknownRun = (message: string, count: number): WorkbenchError =>
  new WorkbenchError(
    'run-unknown',
    message,
    count === 0 ? { remedy: 'The list has no runs yet. Start one: run resnet50 --profile quick' } : {},
  );

interface RunsCore {
  readonly handlers: Pick<Core['handlers'], 'runs.all'>;
}

type AllRuns = Awaited<ReturnType<RunsCore['handlers']['runs.all']>>;

/** N of `latest~N`, 0 of `latest`; null for other texts. */
function backOf(text: string): number | null {
  const latest = /^latest(?:~(\d{1,6}))?$/.exec(text);
  return latest === null ? null : Number(latest[1] ?? 0);
}

/** The run of a text that needs no list: an id, `latest` or `latest~N`; null for others. @param ids oldest first */
export function plainRunId(ids: readonly string[], text: string): string | null {
  if (ids.includes(text)) return text;
  const back = backOf(text);
  return back === null ? null : (ids.at(-1 - back) ?? null);
}

/** Unreadable runs count too: otherwise `clean latest` would delete the run before. */
function latestId({ runs, unreadable }: AllRuns, text: string, back: number): string {
  const all = [...runs.map(({ runId }) => ({ runId, reason: null })), ...unreadable];
  all.sort((a, b) => (a.runId < b.runId ? 1 : -1));
  const found = all[back];
  if (found?.reason === null) return found.runId;
  if (found !== undefined)
    throw invalidInput('run', `"${text}" is ${found.runId}, which cannot be read: ${found.reason}`);
  const count = `${all.length} ${all.length === 1 ? 'run' : 'runs'}`;
  throw unknownRun(`Unknown run "${text}": the list has ${count}`, all.length);
}

/** null: none. Throws input-invalid, and run-unknown for one before the first. */
function runIdIn({ runs, unreadable }: AllRuns, text: string): string | null {
  if (runs.some(({ runId }) => runId === text)) return text;
  const back = backOf(text);
  if (back !== null) return latestId({ runs, unreadable }, text, back);
  const named = runs.filter(({ name }) => name === text);
  if (named.length > 1) ambiguous(text, 'the name', named);
  const begun = text === '' ? [] : runs.filter(({ runId }) => runId.startsWith(text));
  const [found] = named.length === 1 ? named : begun;
  // An unreadable run is not listed; its reader reports the cause.
  if (found === undefined) return unreadable.some(({ runId }) => runId === text) ? text : null;
  if (named.length === 0 && begun.length > 1) ambiguous(text, 'the beginning', begun);
  return found.runId;
}

/** Its reader says that it is not there; it may have been created after the list was read. */
const wholeId = /^\d{8}-\d{6}-.+-[\da-f]{6}$/;

/** By id, name, unique id prefix, `latest`, or `latest~N` (N runs earlier). Throws run-unknown, with a similar name, and input-invalid. */
export async function resolveRunId(core: RunsCore, text: string): Promise<string> {
  const all = await core.handlers['runs.all'](undefined);
  const found = runIdIn(all, text) ?? (wholeId.test(text) ? text : null);
  if (found !== null) return found;
  const names = all.runs.flatMap(({ runId, name }) => (name === null ? [runId] : [name, runId]));
  throw unknownRun(`Unknown run "${text}"${didYouMean(text, ['latest', ...names])}`, all.runs.length);
}

/** As {@link resolveRunId}; null: the text names no run. */
export const runIdOf = async (core: RunsCore, text: string): Promise<string | null> =>
  runIdIn(await core.handlers['runs.all'](undefined), text);

/** As {@link runIdOf}; a text that names no run is given back, because it may name something else. */
export const runIdOrText = async (core: RunsCore, text: string): Promise<string> =>
  (await runIdOf(core, text)) ?? text;

/** Warns if the new name is not unique, because it then identifies none of the runs. */
export async function saySharedName(
  core: RunsCore,
  say: (line: string) => void,
  runId: string,
  name: string | null | undefined,
): Promise<void> {
  if (name === null || name === undefined) return;
  const { runs } = await core.handlers['runs.all'](undefined);
  const others = runs.filter((run) => run.name === name && run.runId !== runId);
  const [other] = others;
  if (other === undefined) return;
  const who = others.length === 1 ? 'Another run is' : `${others.length} other runs are`;
  say(`${who} also named "${name}". In commands, use the run ID: ${runId}`);
  if (others.length === 1) say(`To keep the name for this run only: triton-workbench rename ${other.runId}`);
}

export function readRunName(text: string): string {
  const { data, error } = runNameSchema.safeParse(text);
  if (data !== undefined) return data;
  throw invalidInput(
    'name',
    `"${text}" cannot be the name of a run: ${error.issues[0]?.message ?? 'not valid'}`,
    'Use 1 to 80 characters, for example "nightly fp16".',
  );
}

import type { RunSummary } from '../contract/api';
import { WorkbenchError } from '../contract/errors';
import { fileLimits } from '../contract/reader-limits';
import { runNameSchema } from '../contract/run/run-events';
import type { Core } from '../core';
import { readBoundedFile } from '../platform/read-bounded-file';

const invalid = (where: string, message: string, remedy?: string) =>
  new WorkbenchError('input-invalid', message, { where, remedy });

/** Throws input-invalid, as all of these, naming the option. */
export function readNumber(flag: string, text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value)) throw invalid(flag, `"${text}" is not a number`);
  return value;
}

export function readNumbers(flag: string, text: string): number[] {
  return text
    .split(/[\s,]+/)
    .filter((part) => part !== '')
    .map((part) => readNumber(flag, part));
}

/** More levels than anybody measures: a step was forgotten. */
const mostLevels = 10_000;

/** `1,2,4`, `1:64` or `1:64:8`, as perf_analyzer's ranges: start, end, step. */
export function readRange(flag: string, text: string): number[] {
  if (!text.includes(':')) return readNumbers(flag, text);
  const [start = 0, end = 0, step = 1, ...rest] = text.split(':').map((part) => readNumber(flag, part));
  if (rest.length > 0 || !(step > 0) || end < start || (end - start) / step > mostLevels) {
    throw invalid(flag, `"${text}" is not a range`, 'Give START:END:STEP, for example 100:500:100.');
  }
  // Whole steps are counted, not added up: 0.1 three times is not 0.3.
  return Array.from(
    { length: Math.floor((end - start) / step + 1e-9) + 1 },
    (_unused, index) => start + index * step,
  );
}

/** `OUTPUT__0=1e-3`, or `1e-3` for every output; repeated. */
export function readNamed(flag: string, texts: readonly string[]): Record<string, number> {
  return Object.fromEntries(
    texts.map((text) => {
      const [, name, value] = /^(?:([^=]+)=)?(.*)$/.exec(text) ?? [];
      return [name ?? '*', readNumber(flag, value ?? '')];
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
  throw invalid(
    flag,
    `"${text}" is not a range of IDs`,
    'Give START:END, for example 1:1000; the end is left out.',
  );
}

/** Microseconds between requests, one per line, as perf_analyzer's --request-intervals. */
export async function readIntervals(flag: string, file: string): Promise<number[]> {
  const found = await readBoundedFile(file, fileLimits.intervals.bytes, { links: 'follow' });
  if ('problem' in found) throw invalid(flag, `${file} cannot be read: ${found.problem}`);
  const intervals = readNumbers(flag, found.text);
  if (intervals.length === 0 || intervals.some((interval) => interval <= 0)) {
    const message = `${file} has no intervals, or one that is not above 0`;
    throw invalid(flag, message, 'Write one per line, in microseconds.');
  }
  return intervals;
}

/** The one of `values` that an option names. */
export function readOneOf<Value extends string>(
  flag: string,
  values: readonly Value[],
  value: string,
): Value {
  const found = values.find((known) => known === value);
  if (found === undefined) throw invalid(flag, `"${value}" is not one of ${values.join(', ')}`);
  return found;
}

/** A p99 budget in milliseconds: a number above 0. Throws input-invalid. */
export function readBudgetMs(value: string): number {
  const budgetMs = value.trim() === '' ? Number.NaN : Number(value);
  if (Number.isFinite(budgetMs) && budgetMs > 0) return budgetMs;
  throw new WorkbenchError('input-invalid', `"${value}" is not a latency in milliseconds`, {
    where: '--p99-budget-ms',
    remedy: 'Use a number above 0, for example 20 or 0.5.',
  });
}

/** `NAME:3,224,224`, any number of them, as dimensions by name. Throws input-invalid. */
export function readShapes(texts: readonly string[]): Record<string, number[]> {
  return Object.fromEntries(
    texts.map((text) => {
      const [, name, dims] = /^([^:]+):([\d,]+)$/.exec(text) ?? [];
      if (name === undefined || dims === undefined) {
        throw new WorkbenchError('input-invalid', `"${text}" is not of the form NAME:3,224,224`, {
          where: '--shape',
        });
      }
      return [name, readNumbers('--shape', dims)];
    }),
  );
}

/** What an argument says that names a run. */
export const runArgument = 'run: id, the beginning of one, name, latest, or latest~N';

/** Named in an error; the list of runs has the others. */
const mostCandidates = 10;

/** Throws input-invalid with the runs that could be meant. */
function ambiguous(text: string, what: string, runs: readonly RunSummary[]): never {
  const shown = runs
    .slice(0, mostCandidates)
    .map(({ runId, name }) => (name === null ? runId : `${runId} (${name})`));
  const more = runs.length > shown.length ? ` and ${runs.length - shown.length} more` : '';
  throw invalid(
    'run',
    `"${text}" is ${what} of ${runs.length} runs`,
    `Use one of: ${shown.join(', ')}${more}.`,
  );
}

/**
 * The run that a person means: its id, its name, the beginning of an id that no other has, `latest` or `latest~N`, N runs
 * before it. Throws run-unknown, and input-invalid with the candidates where several are meant.
 */
export async function resolveRunId(core: Pick<Core, 'listRuns'>, text: string): Promise<string> {
  const { runs } = await core.listRuns();
  if (runs.some(({ runId }) => runId === text)) return text;
  const latest = /^latest(?:~(\d{1,6}))?$/.exec(text);
  if (latest !== null) {
    const found = runs[Number(latest[1] ?? 0)];
    if (found !== undefined) return found.runId;
    throw new WorkbenchError('run-unknown', `Unknown run "${text}": the list has ${runs.length} runs`);
  }
  const named = runs.filter(({ name }) => name === text);
  if (named.length > 1) ambiguous(text, 'the name', named);
  const begun = text === '' ? [] : runs.filter(({ runId }) => runId.startsWith(text));
  const [found] = named.length === 1 ? named : begun;
  // A run that cannot be read is not in the list; what asks for it says why.
  if (found === undefined) return text;
  if (named.length === 0 && begun.length > 1) ambiguous(text, 'the beginning', begun);
  return found.runId;
}

/** Throws input-invalid. */
export function readRunName(text: string): string {
  const { data, error } = runNameSchema.safeParse(text);
  if (data !== undefined) return data;
  throw invalid(
    'name',
    `"${text}" cannot be the name of a run: ${error.issues[0]?.message ?? 'not valid'}`,
    'Use 1 to 80 characters, for example "nightly fp16".',
  );
}

import { invalidInput } from '../../contract/errors';
import { fileLimits } from '../../contract/reader-limits';
import { readBoundedFile } from '../../platform/plain-entry';
import { parseTrace, type TraceRow } from './parse-trace';
import { keptText } from './read-replay';

/** What was kept of a trace, by its file. Throws input-invalid. */
export async function readKeptTrace(file: string): Promise<readonly TraceRow[]> {
  const found = await readBoundedFile(file, 4 * fileLimits.trace.bytes);
  if ('text' in found) return parseTrace(found.text, file);
  throw invalidInput(file, `The stored part of the trace cannot be read: ${found.problem}`);
}

/**
 * The part with the most requests in so much time, the first of several, whose times count from its first request; the
 * whole trace where it is shorter. At least two times differ, so that it has a rate. Pure.
 * @param rows by time, ascending; not all at one time
 * @param spanUs of the trace as recorded
 */
export function busiestPart(rows: readonly TraceRow[], spanUs: number): readonly TraceRow[] {
  const timeAt = (at: number): number => rows[at]?.atUs ?? Infinity;
  let most = { from: 0, end: 0 };
  for (let from = 0, end = 0; from < rows.length; from += 1) {
    while (timeAt(end) < timeAt(from) + spanUs) end += 1;
    if (end - from > most.end - most.from) most = { from, end };
  }
  let { from, end } = most;
  while (end < rows.length && timeAt(end - 1) === timeAt(from)) end += 1;
  while (from > 0 && timeAt(end - 1) === timeAt(from)) from -= 1;
  const firstUs = timeAt(from);
  return rows.slice(from, end).map((row) => ({ ...row, atUs: row.atUs - firstUs }));
}

/** A trace of one model with these requests. */
export const traceText = (rows: readonly TraceRow[]): string => keptText(rows, []);

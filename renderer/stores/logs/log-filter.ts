import { levelOfLine, type LogLevel, logLevels } from '../../format/log-level';
import type { LineList, LineRing } from './line-ring';

export interface LogWish {
  readonly search: string;
  readonly level: 'all' | 'warning' | 'error';
}

export const everyLine: LogWish = { search: '', level: 'all' };

const traceback = /^Traceback \(most recent call last\)/;

/**
 * Reads the lines of a log one after the other, and says of each the level of its entry, and whether it begins one. A line
 * that says nothing of its level continues the entry before it, and so does a Python trace behind its error, up to and
 * with the line that names the exception.
 */
function createEntryReader() {
  let level: LogLevel = 'info';
  let inTrace = false;
  return (line: string): { readonly level: LogLevel; readonly begins: boolean } => {
    // Source lines of a trace are indented, whatever words are in them.
    const own = inTrace && /^\s/.test(line) ? null : levelOfLine(line);
    if (own === null) return { level, begins: false };
    const continues = inTrace
      ? /^\w*(?:Error|Exception): /.test(line)
      : level === 'error' && traceback.test(line);
    inTrace = traceback.test(line);
    level = own;
    return { level, begins: !continues };
  };
}

/** Flag beside the level of a line: the first kept line of its entry. */
const firstMark = 4;

function createLogEntries(capacity: number) {
  const read = createEntryReader();
  const marks = new Uint8Array(capacity);
  const counts = [0, 0, 0];
  const markOf = (number: number): number => marks[number % capacity] ?? 0;
  const count = (mark: number, by: 1 | -1): void => {
    if (mark < firstMark) return;
    const level = mark % firstMark;
    counts[level] = (counts[level] ?? 0) + by;
  };
  return {
    get counts(): Readonly<Record<LogLevel, number>> {
      const [info = 0, warning = 0, error = 0] = counts;
      return { info, warning, error };
    },
    levelOf: (number: number): LogLevel => logLevels[markOf(number) % firstMark] ?? 'info',
    /** @param isFirst no earlier line is kept */
    add(number: number, line: string, isFirst: boolean): void {
      const { level, begins } = read(line);
      const mark = logLevels.indexOf(level) + (begins || isFirst ? firstMark : 0);
      marks[number % capacity] = mark;
      count(mark, 1);
    },
    /** @param seen number after the last line that was added */
    forget(number: number, seen: number): void {
      const mark = markOf(number);
      const next = markOf(number + 1);
      if (mark >= firstMark && number + 1 < seen && next < firstMark)
        marks[(number + 1) % capacity] = next + firstMark;
      else count(mark, -1);
    },
  };
}

/** A trace belongs to its error: the two are found together and counted once. */
export function createLogFilter(ring: LineRing, capacity: number) {
  let wish = everyLine;
  let entries = createLogEntries(capacity);
  /** Line numbers up to which levels are known and `found` is complete. */
  let seen = 0;
  let oldest = 0;
  let found: number[] = [];
  /** Places at the start of `found` whose lines are gone; trimmed when they are many. */
  let gone = 0;

  const all = (): boolean => wish.search === '' && wish.level === 'all';
  const fits = (number: number, wanted: string): boolean =>
    (wish.level === 'all' || entries.levelOf(number) === wish.level) &&
    (wanted === '' || (ring.numbered(number) ?? '').toLowerCase().includes(wanted));

  const forgetOldest = (): void => {
    // A batch longer than the ring overwrites lines that were never read.
    for (; oldest < ring.first; oldest += 1) {
      if (oldest < seen) entries.forget(oldest, seen);
    }
    while (gone < found.length && (found[gone] ?? 0) < ring.first) gone += 1;
    if (gone > 10_000) {
      found = found.slice(gone);
      gone = 0;
    }
  };

  const lines: LineList = {
    get length() {
      return all() ? ring.length : found.length - gone;
    },
    at: (index) => {
      if (all()) return ring.at(index);
      const number = found[gone + index];
      return number === undefined ? undefined : ring.numbered(number);
    },
  };

  return {
    /** Matching lines; changes in place. */
    lines,
    get wish() {
      return wish;
    },
    get counts() {
      return entries.counts;
    },
    follow(): void {
      forgetOldest();
      const wanted = wish.search.toLowerCase();
      for (let number = Math.max(seen, ring.first); number < ring.end; number += 1) {
        entries.add(number, ring.numbered(number) ?? '', number === ring.first);
        if (!all() && fits(number, wanted)) found.push(number);
      }
      seen = ring.end;
    },
    setWish(next: LogWish): void {
      wish = next;
      found = [];
      gone = 0;
      if (all()) return;
      const wanted = wish.search.toLowerCase();
      for (let number = ring.first; number < seen; number += 1) if (fits(number, wanted)) found.push(number);
    },
    clear(): void {
      entries = createLogEntries(capacity);
      seen = 0;
      oldest = 0;
      found = [];
      gone = 0;
    },
  };
}

import type { LogLevel } from '../../format/log-level';
import type { LineList, LineRing } from './line-ring';
import { createLogEntries } from './log-entries';

/** The lines that a reader wants: with the search (any case), in entries of the level. */
export interface LogWish {
  readonly search: string;
  readonly level: 'all' | 'warning' | 'error';
}

export const everyLine: LogWish = { search: '', level: 'all' };

interface LogFilter {
  /** The lines that fit, as they are now; it changes in place. */
  readonly lines: LineList;
  readonly wish: LogWish;
  /** Entries of each level of which a line is kept. */
  readonly counts: Readonly<Record<LogLevel, number>>;
  /** Looks at the lines that have come since; the others have been looked at. */
  follow(): void;
  setWish(wish: LogWish): void;
  clear(): void;
}

/** Finds lines by the entry that they belong to: a trace stays with its error, and the two are counted once. */
export function createLogFilter(ring: LineRing, capacity: number): LogFilter {
  let wish = everyLine;
  const entries = createLogEntries(capacity);
  /** Line numbers up to which levels are known and `found` is complete. */
  let seen = 0;
  let oldest = 0;
  let found: number[] = [];
  /** Places at the start of `found` whose lines are gone; cut off when they are many. */
  let gone = 0;

  const all = (): boolean => wish.search === '' && wish.level === 'all';
  const fits = (number: number, wanted: string): boolean =>
    (wish.level === 'all' || entries.levelOf(number) === wish.level) &&
    (wanted === '' || (ring.numbered(number) ?? '').toLowerCase().includes(wanted));

  const forgetOldest = (): void => {
    // A batch longer than the ring leaves numbers whose place has been taken before it was looked at.
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
    lines,
    get wish() {
      return wish;
    },
    get counts() {
      return entries.counts;
    },
    follow() {
      forgetOldest();
      const wanted = wish.search.toLowerCase();
      for (let number = Math.max(seen, ring.first); number < ring.end; number += 1) {
        entries.add(number, ring.numbered(number) ?? '', number === ring.first);
        if (!all() && fits(number, wanted)) found.push(number);
      }
      seen = ring.end;
    },
    setWish(next) {
      wish = next;
      found = [];
      gone = 0;
      if (all()) return;
      const wanted = wish.search.toLowerCase();
      for (let number = ring.first; number < seen; number += 1) if (fits(number, wanted)) found.push(number);
    },
    clear() {
      entries.clear();
      seen = 0;
      oldest = 0;
      found = [];
      gone = 0;
    },
  };
}

import type { LogLevel } from '../../format/log-level';
import { levelOfLine, logLevels } from '../../format/log-level';
import type { LineList, LineRing } from './line-ring';

/** The lines that a reader wants: with the search (any case), of the level or more urgent. */
export interface LogWish {
  readonly search: string;
  readonly level: LogLevel;
}

export const everyLine: LogWish = { search: '', level: 'info' };

interface LogFilter {
  /** The lines that fit, as they are now; it changes in place. */
  readonly lines: LineList;
  readonly wish: LogWish;
  /** Lines of each level, of those kept. */
  readonly counts: Readonly<Record<LogLevel, number>>;
  /** Looks at the lines that have come since; the others have been looked at. */
  follow(): void;
  setWish(wish: LogWish): void;
  clear(): void;
}

/** A line that says nothing of its level belongs to the one before it: a trace stays with its error. */
export function createLogFilter(ring: LineRing, capacity: number): LogFilter {
  let wish = everyLine;
  let levels = new Uint8Array(capacity);
  let counts = [0, 0, 0];
  let last = 0;
  /** Line numbers up to which levels are known and `found` is complete. */
  let seen = 0;
  let oldest = 0;
  let found: number[] = [];
  /** Places at the start of `found` whose lines are gone; cut off when they are many. */
  let gone = 0;

  const all = (): boolean => wish.search === '' && wish.level === 'info';
  const fits = (number: number, wanted: string): boolean =>
    (levels[number % capacity] ?? 0) >= logLevels.indexOf(wish.level) &&
    (wanted === '' || (ring.numbered(number) ?? '').toLowerCase().includes(wanted));

  const forgetOldest = (): void => {
    // A batch longer than the ring leaves numbers whose place has been taken before it was looked at.
    for (; oldest < ring.first; oldest += 1) {
      if (oldest < seen) {
        const level = levels[oldest % capacity] ?? 0;
        counts[level] = (counts[level] ?? 0) - 1;
      }
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
      const [info = 0, warning = 0, error = 0] = counts;
      return { info, warning, error };
    },
    follow() {
      forgetOldest();
      const wanted = wish.search.toLowerCase();
      for (let number = Math.max(seen, ring.first); number < ring.end; number += 1) {
        const level = levelOfLine(ring.numbered(number) ?? '');
        if (level !== null) last = logLevels.indexOf(level);
        levels[number % capacity] = last;
        counts[last] = (counts[last] ?? 0) + 1;
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
      levels = new Uint8Array(capacity);
      counts = [0, 0, 0];
      last = 0;
      seen = 0;
      oldest = 0;
      found = [];
      gone = 0;
    },
  };
}

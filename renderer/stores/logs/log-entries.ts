import { levelOfLine, type LogLevel, logLevels } from '../../format/log-level';

interface EntryLine {
  /** That of its entry. */
  readonly level: LogLevel;
  /** false: it continues the entry before it. */
  readonly begins: boolean;
}

interface EntryReader {
  read(line: string): EntryLine;
  clear(): void;
}

const traceback = /^Traceback \(most recent call last\)/;

/**
 * Puts the lines of a log together to entries. A line that says nothing of its level continues the entry before it, and
 * so does a Python trace behind its error, up to and with the line that names the exception.
 */
function createEntryReader(): EntryReader {
  let level: LogLevel = 'info';
  let inTrace = false;
  return {
    read(line) {
      // Source lines of a trace are indented, whatever words are in them.
      if (inTrace && /^\s/.test(line)) return { level, begins: false };
      const own = levelOfLine(line);
      if (own === null) return { level, begins: false };
      const continues = inTrace
        ? /^\w*(?:Error|Exception): /.test(line)
        : level === 'error' && traceback.test(line);
      inTrace = traceback.test(line);
      level = own;
      return { level, begins: !continues };
    },
    clear() {
      level = 'info';
      inTrace = false;
    },
  };
}

/** Beside the level of a line: it is the first one kept of its entry. */
const firstMark = 4;

interface LogEntries {
  /** Of each level, of which a line is kept. */
  readonly counts: Readonly<Record<LogLevel, number>>;
  /** Of the entry of a line that is kept. */
  levelOf(number: number): LogLevel;
  /** The next line. @param isFirst no line before it is kept */
  add(number: number, line: string, isFirst: boolean): void;
  /** The oldest line. @param seen number after the last line that was added */
  forget(number: number, seen: number): void;
  clear(): void;
}

/** The entries of the lines that are kept, by the numbers of these; of one that is too long its end is. */
export function createLogEntries(capacity: number): LogEntries {
  const reader = createEntryReader();
  let marks = new Uint8Array(capacity);
  let counts = [0, 0, 0];
  const markOf = (number: number): number => marks[number % capacity] ?? 0;
  const count = (mark: number, by: 1 | -1): void => {
    if (mark < firstMark) return;
    const level = mark % firstMark;
    counts[level] = (counts[level] ?? 0) + by;
  };
  return {
    get counts() {
      const [info = 0, warning = 0, error = 0] = counts;
      return { info, warning, error };
    },
    levelOf: (number) => logLevels[markOf(number) % firstMark] ?? 'info',
    add(number, line, isFirst) {
      const { level, begins } = reader.read(line);
      const mark = logLevels.indexOf(level) + (begins || isFirst ? firstMark : 0);
      marks[number % capacity] = mark;
      count(mark, 1);
    },
    forget(number, seen) {
      const mark = markOf(number);
      const next = markOf(number + 1);
      if (mark >= firstMark && number + 1 < seen && next < firstMark)
        marks[(number + 1) % capacity] = next + firstMark;
      else count(mark, -1);
    },
    clear() {
      reader.clear();
      marks = new Uint8Array(capacity);
      counts = [0, 0, 0];
    },
  };
}

import { createInterface } from 'node:readline/promises';
import { errorText } from '../contract/error-text';
import { fromWire, type WireError, WorkbenchError } from '../contract/errors';
import { remedyOf } from '../contract/remedy';
import type { Core } from '../core';
import { largestOf } from '../domain/statistics';
import { cleanLine, cleanText } from '../platform/lines';

/** What the verbs share. The core is made when a verb first needs it, so that `--help` is instant. */
export interface CliContext {
  readonly core: () => Promise<Core>;
  readonly output: (options: { readonly json?: boolean }) => Output;
  readonly exit: (code: number) => void;
  /** Only what is wrong with the command line is asked: a clone looks at it before it installs what the verb needs. */
  readonly checkOnly?: boolean;
}

/** Erases the line of the cursor. */
const eraseLine = '\r\u001b[K';
/** Erases the screen and puts the cursor at its beginning. */
const eraseScreen = '\u001b[2J\u001b[H';

/** Exit codes of the CLI, as the guide states them. */
export const exitCodes = {
  ...{ done: 0, failed: 1, usage: 2, gate: 3, paused: 4, cancelled: 130 },
  /** Of `run`, `resume` and `perf`: every level has too many errors, or wrong responses. */
  noAnswer: 3,
  /** Of `compare`: beyond a criterion, and not to be told. */
  outside: 3,
  unclear: 4,
  /** Of `monitor`: an alert of the command line never had a figure to judge. */
  unjudged: 4,
  /** Of `monitor`: an alert fired; and of `data fetch`: there is nothing to download. */
  alert: 3,
  byHand: 3,
  /** Of `setup --check` and `hosts check`. */
  notReady: 3,
} as const;

/** Codes that the user's own input causes: usage, not failure. */
const usageCodes = new Set<WireError['code']>([
  'input-invalid',
  'spec-invalid',
  'preset-unknown',
  'combination-unsupported',
  'engine-unavailable',
  'run-folder-exists',
  'run-unknown',
  'host-unknown',
  'deployment-unknown',
  'study-unknown',
]);

export function exitCodeOf(error: WireError): number {
  if (usageCodes.has(error.code)) return exitCodes.usage;
  if (error.code === 'cancelled') return exitCodes.cancelled;
  if (error.code === 'accuracy-below-threshold') return exitCodes.gate;
  return exitCodes.failed;
}

/** Title, cause, remedy and folded evidence, as the window shows them. */
export function formatError(error: WireError): string {
  const text = errorText[error.code];
  const lines = [`${text.title}: ${error.message}`];
  // A problem of the specification as a whole has no place.
  if (error.where !== undefined && error.where !== '') lines.push(`  where:  ${error.where}`);
  lines.push(`  remedy: ${remedyOf(error, 'command')}`);
  if (error.details !== undefined && error.details !== '') {
    lines.push('  details:', `    ${error.details.replaceAll('\n', '\n    ')}`);
  }
  return lines.join('\n');
}

/**
 * Writes text for people. Names, versions and reasons come from servers, files and tools: what would steer the terminal
 * does not reach it. No verb writes past this.
 */
export function printText(text: string, to: 'stdout' | 'stderr' = 'stdout'): void {
  process[to].write(cleanText(text));
}

/** JSON that steers no terminal: `JSON.stringify` leaves DEL and the control characters behind it as they are. */
export const jsonText = (value: unknown, indent?: number): string =>
  JSON.stringify(value, null, indent).replace(
    /(?!\n)\p{Cc}/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** Where a verb writes. With `--json` stdout carries one document and people's text goes to stderr. */
export interface Output {
  readonly json: boolean;
  /** For people. */
  readonly say: (line: string) => void;
  /** The one JSON document. */
  readonly document: (value: unknown) => void;
  /** Progress is left out; with `json` everything for people is. */
  readonly quiet?: boolean;
  /** A terminal that can rewrite its last line. */
  readonly live: boolean;
  /** Puts the line in place of the one that moves. */
  readonly rewrite: (line: string) => void;
  readonly clearScreen: () => void;
}

/** Only one line can be erased: what is longer than the terminal is wide would leave one behind at each change. */
function withinTerminal(line: string, columns: number | undefined): string {
  // A terminal whose size nobody knows tells 0.
  if (columns === undefined || columns < 2 || line.length < columns) return line;
  return `${line.slice(0, columns - 2)}…`;
}

/**
 * Aborted once nobody reads stdout any more, as behind `| head`. Work goes to its end all the same; what would never
 * end of itself ends then.
 */
export function untilReaderLeaves(): { readonly signal: AbortSignal; readonly dispose: () => void } {
  const left = new AbortController();
  const onError = ({ code }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE') left.abort();
  };
  process.stdout.on('error', onError);
  return { signal: left.signal, dispose: () => process.stdout.off('error', onError) };
}

export function createOutput(json: boolean, quiet = false): Output {
  const to = json ? 'stderr' : 'stdout';
  const stream = process[to];
  return {
    json,
    quiet,
    live: stream.isTTY,
    rewrite: (line) => {
      stream.write(`${eraseLine}${withinTerminal(cleanLine(line), stream.columns)}`);
    },
    clearScreen: () => {
      stream.write(eraseScreen);
    },
    say: (line) => {
      if (!(json && quiet)) printText(`${line}\n`, to);
    },
    document: (value) => {
      process.stdout.write(`${jsonText(value, 2)}\n`);
    },
  };
}

/** Where progress goes: nowhere with `--quiet`. */
export const progressOf = (output: Output): Output =>
  output.quiet === true
    ? { ...output, live: false, say: () => undefined, rewrite: () => undefined, clearScreen: () => undefined }
    : output;

/** Left-aligned text, right-aligned numbers. */
export function formatTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = header.map((name, column) =>
    Math.max(name.length, largestOf(rows.map((row) => row[column]?.length ?? 0))),
  );
  const numeric = header.map((_, column) =>
    rows.every((row) => /^<?[\d.,–-]*(?: %)?$/.test(row[column] ?? '')),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) =>
        numeric[column] === true ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd();
  return [line(header), ...rows.map(line)].join('\n');
}

/** What all work in the background says of itself: downloads, pulls, builds. */
interface Work {
  readonly fraction: number | null;
  readonly text: string;
  readonly error: WireError | null;
}

interface FollowedWork<Kind extends Work> {
  /** Told of every change. Returns the disposer. */
  subscribe(listener: (title: string, work: Work) => void): () => void;
  cancel(): void;
  ended(): Promise<Kind>;
}

/** Waits for the end of the work with its progress told; Ctrl-C cancels. Throws what the work failed with. */
export async function followWork<Kind extends Work>(
  shown: Output,
  followed: FollowedWork<Kind>,
): Promise<Kind> {
  const output = progressOf(shown);
  let seen = '';
  const stop = followed.subscribe((title, { text, fraction }) => {
    if (text === seen) return;
    seen = text;
    const share = fraction === null ? '' : ` (${Math.round(fraction * 100)} %)`;
    const line = `${title}: ${text}${share}`;
    if (output.live) output.rewrite(line);
    else output.say(line);
  });
  const cancel = () => {
    followed.cancel();
  };
  process.once('SIGINT', cancel);
  process.once('SIGTERM', cancel);
  try {
    const work = await followed.ended();
    if (output.live) output.say('');
    if (work.error !== null) throw fromWire(work.error);
    return work;
  } finally {
    stop();
    process.off('SIGINT', cancel);
    process.off('SIGTERM', cancel);
  }
}

/**
 * Asks whether what was shown is to be removed. Throws input-invalid where nobody can be asked, cancelled at Ctrl-C.
 * @param otherwise what to do to see it only
 */
export async function askToRemove(output: Output, verb: string, otherwise: string): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stderr.isTTY || output.json) {
    throw new WorkbenchError(
      'input-invalid',
      `Nothing was removed: ${verb} asks first, and this is not a terminal`,
      { where: verb, remedy: `Add --yes to remove it without asking, or ${otherwise}.` },
    );
  }
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(?:es)?$/i.test((await lines.question('Remove this? [y/N] ')).trim());
  } catch (error) {
    // Ctrl-C, or Ctrl-D.
    if (!(error instanceof Error && error.name === 'AbortError')) throw error;
    printText('\n', 'stderr');
    throw new WorkbenchError('cancelled', 'Nothing was removed', {
      where: verb,
      remedy: `Start it again, or ${otherwise}.`,
      cause: error,
    });
  } finally {
    lines.close();
  }
}

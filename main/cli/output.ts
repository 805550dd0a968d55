import { fromWire, type WireError, WorkbenchError } from '../contract/errors';
import type { Core } from '../core';
import type { ReadingCore } from '../core/reading-core';
import { cleanLine, cleanText } from '../platform/lines';
import type { JsonDocument } from './json/documents';
import { columnsOf, forStream, unpainted } from './print/terminal';

export { formatTable } from './print/table';

/** Shared by the verbs. The core is created on first use, so that `--help` is fast. */
export interface CliContext {
  readonly core: () => Promise<Core>;
  /** Of verbs that only read. */
  readonly reading: () => Promise<ReadingCore>;
  readonly output: (options: { readonly json?: boolean }) => Output;
  readonly exit: (code: number) => void;
  /** Only the command line is checked: a clone does this before it installs anything. */
  readonly checkOnly?: boolean;
}

const eraseLine = '\r\u001b[K';
const eraseScreen = '\u001b[2J\u001b[H';

export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  gate: 3,
  paused: 4,
  cancelled: 130,
  /** `run`, `resume`, `perf`: every level has too many errors, or wrong responses. */
  noAnswer: 3,
  /** `compare`: criterion missed, or not decidable. */
  outside: 3,
  unclear: 4,
  /** `monitor`: an alert rule of the command line never had a figure to judge. */
  unjudged: 4,
  /** `monitor`: an alert fired. `data fetch`: no download exists. */
  alert: 3,
  byHand: 3,
  /** `setup --check`, `hosts check`. */
  notReady: 3,
} as const;

/** Errors caused by the input: exit code 2. */
const usageCodes = new Set<WireError['code']>([
  'input-invalid',
  'spec-invalid',
  'preset-unknown',
  'combination-unsupported',
  'config-invalid',
  'model-file-invalid',
  'model-folder-invalid',
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

/**
 * Writes text for people. Names and messages come from servers, files and tools: control characters are removed, so
 * that they cannot steer the terminal. Every verb writes through this.
 */
export function printText(text: string, to: 'stdout' | 'stderr' = 'stdout'): void {
  process[to].write(forStream(cleanText(text), to));
}

/** `JSON.stringify` leaves DEL and C1 control characters as they are; this escapes them. */
export const jsonText = (value: unknown, indent?: number): string =>
  JSON.stringify(value, null, indent).replace(
    /(?!\n)\p{Cc}/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** With `--json`, stdout has one document, and text goes to stderr. */
export interface Output {
  readonly json: boolean;
  readonly say: (line: string) => void;
  readonly document: (value: JsonDocument) => void;
  /** No progress; with `json`, no text for people at all. */
  readonly quiet?: boolean;
  /** Whether a terminal can rewrite its last line. */
  readonly live: boolean;
  /** Replaces the live line. */
  readonly rewrite: (line: string) => void;
  readonly clearScreen: () => void;
}

/** Only one line can be erased, so the live line must not wrap. */
function withinTerminal(line: string, columns: number | null): string {
  if (columns === null || line.length < columns) return line;
  return `${line.slice(0, columns - 2)}…`;
}

/** Aborted when stdout is closed, as by `| head`. Finite work still runs to its end; endless work stops. */
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
      stream.write(`${eraseLine}${withinTerminal(cleanLine(unpainted(line)), columnsOf(stream))}`);
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

export const progressOf = (output: Output): Output =>
  output.quiet === true
    ? { ...output, live: false, say: () => undefined, rewrite: () => undefined, clearScreen: () => undefined }
    : output;

interface Work {
  readonly fraction: number | null;
  readonly text: string;
  readonly error: WireError | null;
}

interface FollowedWork<Kind extends Work> {
  /** Called on every change. @returns the disposer */
  subscribe(listener: (title: string, work: Work) => void): () => void;
  cancel(): void;
  ended(): Promise<Kind>;
}

/** Prints progress until the work ends; Ctrl-C cancels. Throws the error of the work. */
export async function followWork<Kind extends Work>(
  shown: Output,
  followed: FollowedWork<Kind>,
): Promise<Kind> {
  const output = progressOf(shown);
  let seen = '';
  const stop = followed.subscribe((title, { text, fraction }) => {
    if (text === seen) return;
    seen = text;
    // The share of the whole work: behind the text it would read as that of the bytes in it.
    const share = fraction === null ? '' : `, ${Math.round(fraction * 100)} %`;
    const line = `${title}${share}: ${text}`;
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

/** Throws input-invalid without a terminal, cancelled at Ctrl-C. @param otherwise how to list without removing */
export const askToRemove = (output: Output, verb: string, otherwise: string): Promise<boolean> =>
  ask(output, verb, {
    ...{ question: 'Remove this?', otherwise },
    ...{ nothing: 'Nothing was removed', withYes: 'Add --yes to remove it without asking' },
  });

interface Question {
  readonly question: string;
  /** What was done where the answer is no, or none. */
  readonly nothing: string;
  readonly withYes: string;
  /** What to do in place of it. */
  readonly otherwise: string;
}

/** Throws input-invalid without a terminal, cancelled at Ctrl-C. */
export async function ask(
  output: Output,
  verb: string,
  { question, nothing, withYes, otherwise }: Question,
): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stderr.isTTY || output.json) {
    throw new WorkbenchError('input-invalid', `${nothing}: ${verb} asks first, and this is not a terminal`, {
      where: verb,
      remedy: `${withYes}, or ${otherwise}.`,
    });
  }
  // Loaded here: few commands ask.
  const { createInterface } = await import('node:readline/promises');
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(?:es)?$/i.test((await lines.question(`${question} [y/N] `)).trim());
  } catch (error) {
    // Ctrl-C or Ctrl-D.
    if (!(error instanceof Error && error.name === 'AbortError')) throw error;
    printText('\n', 'stderr');
    throw new WorkbenchError('cancelled', nothing, {
      where: verb,
      remedy: `Start it again, or ${otherwise}.`,
      cause: error,
    });
  } finally {
    lines.close();
  }
}

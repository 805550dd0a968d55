import { performance } from 'node:perf_hooks';
import { z } from 'zod';
import { errorCodes } from '../contract/error-text';
import { WorkbenchError } from '../contract/errors';
import type { ExecResult } from '../platform/exec';
import { jsonOrNull } from '../platform/parse-json';

/** Least interval between log lines that differ only in numbers; the progress bar shows all. */
const intervalMs = 1000;

/**
 * Selects progress texts for the log: new words at once, new numbers ("Epoch 2 of 4, loss 0.61") once per second.
 * @param nowMs monotonic clock, milliseconds
 */
export function createProgressFilter(nowMs: () => number): (text: string) => boolean {
  let words = '';
  let lastText = '';
  let lastMs = Number.NEGATIVE_INFINITY;
  return (text) => {
    const now = nowMs();
    const others = text.replace(/[\d.,]+/g, '#');
    if (text === lastText || (others === words && now - lastMs < intervalMs)) return false;
    [words, lastText, lastMs] = [others, text, now];
    return true;
  };
}

const lineSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('progress'), fraction: z.number().nullable(), text: z.string() }),
  z.object({ type: z.literal('fact'), name: z.string(), value: z.string() }),
  z.object({ type: z.literal('warning'), text: z.string() }),
  z.looseObject({ type: z.literal('result') }),
  z.object({
    type: z.literal('error'),
    code: z.enum(errorCodes),
    message: z.string(),
    where: z.string().nullish(),
    remedy: z.string().nullish(),
    details: z.string().nullish(),
  }),
]);

export interface ToolkitListener {
  readonly signal: AbortSignal;
  readonly log: (lines: readonly string[]) => void;
  readonly progress: (fraction: number | null, text: string) => void;
  readonly fact: (name: string, value: string) => void;
  readonly warning: (text: string) => void;
  readonly command: (argv: readonly string[]) => Promise<void>;
}

export type ToolkitArgument = readonly [flag: string, value?: string | number];

export interface ToolkitCommand {
  readonly verb: string;
  readonly args: readonly ToolkitArgument[];
}

export function toolkitWords({ verb, args }: ToolkitCommand): string[] {
  const flags = args.flatMap(([flag, value]) => (value === undefined ? [flag] : [flag, String(value)]));
  return ['-m', 'toolkit', verb, ...flags];
}

export interface Toolkit {
  /** Parses a verb's result line. Throws its own error, toolkit-failed with the last log lines, or cancelled. */
  call<Schema extends z.ZodType>(
    command: ToolkitCommand,
    result: Schema,
    listener: ToolkitListener,
  ): Promise<z.infer<Schema>>;
}

interface PythonLaunch {
  readonly args: readonly string[];
  /** Task in a word: the toolkit's verb. */
  readonly task: string;
  readonly signal: AbortSignal;
  /** The exact command, before it runs. */
  readonly onCommand: (argv: readonly string[]) => Promise<void>;
  readonly onProgress: (fraction: number | null, text: string) => void;
  readonly onStdoutLine: (line: string) => void;
  readonly onStderrLine: (line: string) => void;
}

export type InstallListener = Pick<PythonLaunch, 'signal' | 'onProgress' | 'onStderrLine'>;

/** Path of a Python, installed first if missing. */
export type EnsurePython = (listener: InstallListener) => Promise<string>;

/** Runs Python with the toolkit on its path, here or in a container, to its end. */
export type LaunchPython = (launch: PythonLaunch) => Promise<ExecResult>;

export function createToolkit(launchPython: LaunchPython): Toolkit {
  return {
    async call(command, schema, listener) {
      const { verb } = command;
      let result: unknown;
      let failure: WorkbenchError | undefined;
      const logged = createProgressFilter(() => performance.now());
      const take = (line: string) => {
        const parsed = lineSchema.safeParse(jsonOrNull(line));
        if (!parsed.success) {
          listener.log([line]);
          return;
        }
        const value = parsed.data;
        switch (value.type) {
          case 'progress':
            listener.progress(value.fraction, value.text);
            if (logged(value.text)) listener.log([value.text]);
            break;
          case 'fact':
            listener.fact(value.name, value.value);
            break;
          case 'warning':
            listener.warning(value.text);
            break;
          case 'result':
            result = value;
            break;
          case 'error':
            failure = new WorkbenchError(value.code, value.message, {
              where: value.where ?? undefined,
              remedy: value.remedy ?? undefined,
              details: value.details ?? undefined,
            });
            break;
        }
      };
      const ended = await launchPython({
        args: toolkitWords(command),
        task: verb,
        signal: listener.signal,
        onCommand: listener.command,
        onProgress: listener.progress,
        onStdoutLine: take,
        onStderrLine: (line) => listener.log([line]),
      });
      if (ended.aborted) throw new WorkbenchError('cancelled', `${verb} was cancelled`);
      if (failure !== undefined) throw failure;
      const parsed = schema.safeParse(result);
      if (ended.exitCode !== 0 || !parsed.success) {
        const how = ended.exitCode === null ? `signal ${ended.signal ?? '?'}` : `exit code ${ended.exitCode}`;
        const why = parsed.success ? '' : ' without a usable result';
        throw new WorkbenchError('toolkit-failed', `The toolkit command "${verb}" ended with ${how}${why}`, {
          details: ended.stderrTail.join('\n'),
        });
      }
      return parsed.data;
    },
  };
}

export function silentListener(signal: AbortSignal): ToolkitListener {
  const silent = () => undefined;
  return {
    signal,
    log: silent,
    progress: silent,
    fact: silent,
    warning: silent,
    command: () => Promise.resolve(),
  };
}

const versions = z.looseObject({ packages: z.record(z.string(), z.string()), python: z.string() });

/** Versions of Python and of the packages that affect results; empty if unknown. Throws cancelled. */
export async function readPackages(
  toolkit: Toolkit,
  signal = new AbortController().signal,
): Promise<Record<string, string>> {
  try {
    const command = { verb: 'versions', args: [] };
    const { packages, python } = await toolkit.call(command, versions, silentListener(signal));
    return { python, ...packages };
  } catch (error) {
    if (signal.aborted) throw error;
    return {};
  }
}

import type { ExecResult } from '../platform/exec';

export interface PythonLaunch {
  /** What follows the interpreter. */
  readonly args: readonly string[];
  /** What it does, in a word: the toolkit's verb. */
  readonly task: string;
  readonly signal: AbortSignal;
  /** The exact command, before it runs. */
  readonly onCommand: (argv: readonly string[]) => Promise<void>;
  readonly onStdoutLine: (line: string) => void;
  readonly onStderrLine: (line: string) => void;
}

/** Runs Python with the toolkit on its path, on this machine or in a container, and waits for its end. */
export type LaunchPython = (launch: PythonLaunch) => Promise<ExecResult>;

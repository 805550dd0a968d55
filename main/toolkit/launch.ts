import type { ExecResult } from '../platform/exec';

interface PythonLaunch {
  /** What follows the interpreter. */
  readonly args: readonly string[];
  /** What it does, in a word: the toolkit's verb. */
  readonly task: string;
  readonly signal: AbortSignal;
  /** The exact command, before it runs. */
  readonly onCommand: (argv: readonly string[]) => Promise<void>;
  /** What is done before it runs, where its environment is installed first. */
  readonly onProgress: (fraction: number | null, text: string) => void;
  readonly onStdoutLine: (line: string) => void;
  readonly onStderrLine: (line: string) => void;
}

/** What an installation reports to. */
export type InstallListener = Pick<PythonLaunch, 'signal' | 'onProgress' | 'onStderrLine'>;

/** Path of a Python, installed first where it is not there. */
export type EnsurePython = (listener: InstallListener) => Promise<string>;

/** Runs Python with the toolkit on its path, on this machine or in a container, and waits for its end. */
export type LaunchPython = (launch: PythonLaunch) => Promise<ExecResult>;

import type { ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import { readGently } from './back-pressure';
import { startChild } from './children';
import { LineSplitter } from './line-splitter';

const usualGraceMs = 3000;
const tailLines = 60;

interface ExecInput {
  /** Program and arguments; never goes through a shell. */
  readonly argv: readonly [string, ...string[]];
  readonly cwd?: string | undefined;
  /** The whole environment of the child. */
  readonly env: NodeJS.ProcessEnv;
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds between SIGINT and SIGKILL after an abort; 3000 when absent, 0: SIGKILL at once. */
  readonly killGraceMs?: number | undefined;
  /** The process runs. */
  readonly onStart?: ((pid: number) => void) | undefined;
  readonly onStdoutLine?: ((line: string) => void) | undefined;
  readonly onStderrLine?: ((line: string) => void) | undefined;
}

export interface ExecResult {
  /** null when a signal ended it. */
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The signal of `input` asked for the end. */
  readonly aborted: boolean;
  /** Last lines of stderr, oldest first. */
  readonly stderrTail: readonly string[];
}

/**
 * Signals a whole process group; quiet when it is gone already. False: the system does not let us, as a program that
 * changed its user is another's.
 */
export function killGroup(pid: number, signal: NodeJS.Signals): boolean {
  try {
    process.kill(-pid, signal);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ESRCH' && code !== 'EPERM') throw error;
    return code === 'ESRCH';
  }
}

async function eachLine(stream: Readable, take: (line: string) => void): Promise<void> {
  const lines = new LineSplitter(take);
  await readGently(stream, (chunk) => {
    lines.add(chunk);
  });
  lines.end();
}

/** A child in a process group of its own, with pipes for what it prints. */
export type GroupChild = ChildProcess & { readonly stdout: Readable; readonly stderr: Readable };

/**
 * Waits for the end of a child that was started as `exec` starts it and has not been listened to yet.
 * Abort sends SIGINT to the group, SIGKILL after the grace. Rejects only when the program could not be started.
 */
export async function follow(
  child: GroupChild,
  input: Omit<ExecInput, 'argv' | 'cwd' | 'env'>,
): Promise<ExecResult> {
  if (child.pid !== undefined) input.onStart?.(child.pid);
  const tail: string[] = [];
  const onStderrLine = (line: string) => {
    tail.push(line);
    if (tail.length > tailLines) tail.shift();
    input.onStderrLine?.(line);
  };
  const out = eachLine(child.stdout, (line) => input.onStdoutLine?.(line));
  const err = eachLine(child.stderr, onStderrLine);
  const abort = { asked: false };
  const giveUp = new AbortController();
  let killTimer: NodeJS.Timeout | undefined;
  const stop = () => {
    const { pid } = child;
    if (pid === undefined) return;
    abort.asked = true;
    const graceMs = input.killGraceMs ?? usualGraceMs;
    killGroup(pid, graceMs === 0 ? 'SIGKILL' : 'SIGINT');
    killTimer = setTimeout(() => {
      if (killGroup(pid, 'SIGKILL')) return;
      onStderrLine(`Process group ${pid} runs as another user and cannot be stopped. Stop it by hand.`);
      giveUp.abort();
    }, graceMs);
  };
  input.signal?.addEventListener('abort', stop, { once: true });
  try {
    const [exitCode, signal] = await new Promise<[number | null, NodeJS.Signals | null]>(
      (resolve, reject) => {
        child.once('error', reject);
        child.once('exit', (code, by) => {
          resolve([code, by]);
        });
        giveUp.signal.addEventListener('abort', () => {
          resolve([null, null]);
        });
      },
    );
    // A grandchild may hold the pipes open: what it says after the end of its parent is not waited for.
    await Promise.race([Promise.all([out, err]), new Promise((resolve) => setTimeout(resolve, 500))]);
    return { exitCode, signal, aborted: abort.asked, stderrTail: tail };
  } finally {
    input.signal?.removeEventListener('abort', stop);
    clearTimeout(killTimer);
    if (abort.asked && child.pid !== undefined) killGroup(child.pid, 'SIGKILL');
  }
}

/**
 * Runs one program in a process group of its own and waits for its end.
 * Abort sends SIGINT to the group, SIGKILL after the grace. Rejects only when the program cannot be started.
 */
export async function exec(input: ExecInput): Promise<ExecResult> {
  const [program, ...args] = input.argv;
  if (input.signal?.aborted === true) {
    return { exitCode: null, signal: null, aborted: true, stderrTail: [] };
  }
  const { cwd, env } = input;
  const child = startChild(program, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  return follow(child, input);
}

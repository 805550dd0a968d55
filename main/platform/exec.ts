import {
  type ChildProcess,
  type ChildProcessByStdio,
  spawn,
  type SpawnOptions,
  type SpawnOptionsWithStdioTuple,
  type StdioNull,
  type StdioPipe,
} from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { childOfText, childOfVariable } from './left-children';
import { LineSplitter, readGently } from './lines';
import { ownIdentity, pidNamespace } from './process';

interface Running {
  readonly child: ChildProcess;
  readonly ownGroup: boolean;
}

const running = new Set<Running>();

/** At every kind of exit except SIGKILL, after which the next process cleans up. */
function endRunning(): void {
  for (const { child, ownGroup } of running) {
    if (child.pid === undefined) continue;
    try {
      process.kill(ownGroup ? -child.pid : child.pid, 'SIGKILL');
    } catch {
      // It ended, or changed its user.
    }
  }
}

const atExit = { registered: false };

type Start<Options> = Options & { readonly env: NodeJS.ProcessEnv };

/** Starts a child that ends with this process: at exit, or by the next one after a crash. Adds the mark to `env`. */
export function startChild(
  program: string,
  args: readonly string[],
  options: Start<SpawnOptionsWithStdioTuple<StdioNull, StdioPipe, StdioPipe>>,
): ChildProcessByStdio<null, Readable, Readable>;
export function startChild(
  program: string,
  args: readonly string[],
  options: Start<SpawnOptionsWithStdioTuple<StdioPipe, StdioPipe, StdioPipe>>,
): ChildProcessByStdio<Writable, Readable, Readable>;
export function startChild(
  program: string,
  args: readonly string[],
  options: Start<SpawnOptions>,
): ChildProcess;
export function startChild(
  program: string,
  args: readonly string[],
  options: Start<SpawnOptions>,
): ChildProcess {
  const mark = childOfText({ ...ownIdentity(), pidNamespace: pidNamespace() });
  const child = spawn(program, args, { ...options, env: { ...options.env, [childOfVariable]: mark } });
  if (!atExit.registered) {
    atExit.registered = true;
    process.once('exit', endRunning);
  }
  const one: Running = { child, ownGroup: options.detached === true };
  const ended = () => running.delete(one);
  running.add(one);
  child.once('exit', ended);
  child.once('error', () => {
    if (child.pid === undefined) ended();
  });
  return child;
}

const usualGraceMs = 3000;
const tailLines = 60;

interface ExecInput {
  /** Without a shell. */
  readonly argv: readonly [string, ...string[]];
  readonly cwd?: string | undefined;
  /** Complete environment. */
  readonly env: NodeJS.ProcessEnv;
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds between SIGINT and SIGKILL after an abort; default 3000, 0: SIGKILL at once. */
  readonly killGraceMs?: number | undefined;
  /** Called once the process runs. */
  readonly onStart?: ((pid: number) => void) | undefined;
  readonly onStdoutLine?: ((line: string) => void) | undefined;
  readonly onStderrLine?: ((line: string) => void) | undefined;
}

export interface ExecResult {
  /** null after a signal. */
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Ended by `signal` of the input. */
  readonly aborted: boolean;
  readonly stderrTail: readonly string[];
}

/** No-op if the group is gone. False without permission, for example after a change of user. */
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
  await readGently(stream, (chunk) => lines.add(chunk));
  lines.end();
}

/** In its own process group, with pipes. */
export type GroupChild = ChildProcess & { readonly stdout: Readable; readonly stderr: Readable };

/** For a child started like `exec`'s. Abort sends SIGINT, then SIGKILL. Rejects only if it could not start. */
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
        child.once('exit', (code, by) => resolve([code, by]));
        giveUp.signal.addEventListener('abort', () => {
          resolve([null, null]);
        });
      },
    );
    // Grandchildren may keep pipes open; their output is not awaited.
    await Promise.race([Promise.all([out, err]), new Promise((resolve) => setTimeout(resolve, 500))]);
    return { exitCode, signal, aborted: abort.asked, stderrTail: tail };
  } finally {
    input.signal?.removeEventListener('abort', stop);
    clearTimeout(killTimer);
    if (abort.asked && child.pid !== undefined) killGroup(child.pid, 'SIGKILL');
  }
}

/** Runs a program in its own process group. Abort sends SIGINT, then SIGKILL. Rejects only if it cannot start. */
export async function exec(input: ExecInput): Promise<ExecResult> {
  const [program, ...args] = input.argv;
  if (input.signal?.aborted === true) {
    return { exitCode: null, signal: null, aborted: true, stderrTail: [] };
  }
  const { cwd, env } = input;
  const child = startChild(program, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  return follow(child, input);
}

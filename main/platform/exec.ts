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
import { LineSplitter, readGently } from './lines';
import {
  endProcesses,
  isAlive,
  ownIdentity,
  pidNamespace,
  processesWhere,
  type ProcessIdentity,
} from './process';

/**
 * In the environment of every child of a workbench, and so of all that it starts in turn: whose child it is, as
 * `<pid>.<start time>.<PID namespace>`. It is there before the child runs, whatever becomes of the workbench.
 */
export const childOfVariable = 'TRITON_WORKBENCH_CHILD_OF';

/** The workbench that a process belongs to, and the PID namespace in which its id means something. */
interface ChildOf extends ProcessIdentity {
  readonly pidNamespace: string;
}

export const childOfText = ({ pid, startTime, pidNamespace: namespace }: ChildOf): string =>
  `${pid}.${startTime}.${namespace}`;

/** null for a text that is not such a value: nothing is known of that process then. */
export function readChildOf(text: string): ChildOf | null {
  const [, pid, startTime, namespace] = /^(\d+)\.(\d+)\.(\d+)$/.exec(text) ?? [];
  if (pid === undefined || startTime === undefined || namespace === undefined) return null;
  return { pid: Number(pid), startTime, pidNamespace: namespace };
}

interface Running {
  readonly child: ChildProcess;
  readonly ownGroup: boolean;
}

const running = new Set<Running>();

/** Whatever way the workbench ends, short of being killed, in which case the next one ends them. */
function endRunning(): void {
  for (const { child, ownGroup } of running) {
    if (child.pid === undefined) continue;
    try {
      process.kill(ownGroup ? -child.pid : child.pid, 'SIGKILL');
    } catch {
      // It has ended, or it is not ours to end any more.
    }
  }
}

const atExit = { registered: false };

type Start<Options> = Options & { readonly env: NodeJS.ProcessEnv };

/**
 * Starts a program as a child that ends with this workbench: when it exits at the latest, or when another one starts
 * after it was killed. `env` is the child's whole environment, which the mark of its workbench is added to.
 */
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

/** What does not end in that time has been told to, and comes back to nothing that it could write. */
const goneDeadlineMs = 3000;

/**
 * Ends the children of workbenches that no longer run, whatever their home was, and all that these started. Of another
 * PID namespace the processes may be seen from here but not whether their workbench lives: they are left to it.
 * Gives the ended.
 */
export async function endLeftChildren(): Promise<readonly number[]> {
  const here = pidNamespace();
  const isLeft = (text: string): boolean => {
    const workbench = readChildOf(text);
    return workbench !== null && workbench.pidNamespace === here && !isAlive(workbench);
  };
  const find = async () =>
    (await processesWhere(childOfVariable, isLeft)).filter((pid) => pid !== process.pid);
  return (await endProcesses(find, goneDeadlineMs)).ended;
}

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
  await readGently(stream, (chunk) => lines.add(chunk));
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
        child.once('exit', (code, by) => resolve([code, by]));
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

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
import { endProcesses, processesWhere } from './process-environment';
import { isAlive, ownIdentity, pidNamespace, type ProcessIdentity } from './process-identity';

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

/** null for a text that is no such value: nothing is known of that process then. */
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

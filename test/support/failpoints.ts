import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';

/** A system call at which a process is killed, the n-th of it in any one thread. */
export interface Failpoint {
  readonly call: string;
  readonly nth: number;
}

/** What a journal, a lease, a record, a step's files and a wait are made of; as this machine's kernel names it. */
const calls =
  process.arch === 'x64'
    ? [
        'openat',
        'write',
        'fdatasync',
        'fsync',
        'rename',
        'link',
        'unlink',
        'mkdir',
        'ftruncate',
        'epoll_pwait',
      ]
    : [
        ...[
          'openat',
          'write',
          'fdatasync',
          'fsync',
          'renameat',
          'linkat',
          'unlinkat',
          'mkdirat',
          'ftruncate',
        ],
        'epoll_pwait',
      ];

export interface TracedEnd {
  /** By the failpoint; false when the program came to its end before. */
  readonly killed: boolean;
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The program's end; not when its pipes are closed, as what a killed program had started may keep them open. */
function endOf(program: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<TracedEnd> {
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      setImmediate(() => {
        resolve({ killed: signal === 'SIGKILL', code, stdout, stderr });
      });
    });
  });
}

/** Runs a Node program and leaves it alone. */
export const runToEnd = (argv: readonly string[], env: NodeJS.ProcessEnv): Promise<TracedEnd> =>
  endOf(process.execPath, argv, env);

/**
 * Runs a Node program under strace, which leaves alone whatever the program starts. File operations are system calls of
 * one thread, so that the same number hits the same operation.
 */
function traced(
  options: readonly string[],
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<TracedEnd> {
  const args = ['-f', '-qq', '-b', 'execve', '-e', `trace=${calls.join(',')}`, ...options];
  return endOf('strace', [...args, process.execPath, ...argv], {
    ...env,
    UV_THREADPOOL_SIZE: '1',
    UV_USE_IO_URING: '0',
  });
}

/** Runs the program until it comes to the failpoint, or to its end. */
export function runToFailpoint(
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
  { call, nth }: Failpoint,
): Promise<TracedEnd> {
  return traced(['-o', '/dev/null', `--inject=${call}:signal=SIGKILL:when=${nth}`], argv, env);
}

/** Every failpoint of an undisturbed run, in the order of the calls; and that run's end. */
export async function failpointsOf(
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
  traceFile: string,
): Promise<{ readonly end: TracedEnd; readonly failpoints: readonly Failpoint[] }> {
  const end = await traced(['-o', traceFile], argv, env);
  const counts = new Map<string, number>();
  const failpoints: Failpoint[] = [];
  for (const line of (await readFile(traceFile, 'utf8')).split('\n')) {
    // A call that another thread interrupts is told a second time when it comes back.
    const [, thread = '', call = ''] = /^(\d+) +(\w+)\(/.exec(line) ?? [];
    if (call === '') continue;
    const nth = (counts.get(`${thread} ${call}`) ?? 0) + 1;
    counts.set(`${thread} ${call}`, nth);
    // Of the threads the first that comes so far is the one that is hit.
    if (!failpoints.some((one) => one.call === call && one.nth === nth)) failpoints.push({ call, nth });
  }
  return { end, failpoints };
}

import type { ChildProcessByStdio } from 'node:child_process';
import { Duplex, type Readable, type Writable } from 'node:stream';
import { WorkbenchError } from '../../contract/errors';
import { linkedAbort, whenAborted } from '../abort';
import { startChild } from '../exec';
import { endsWithConnections, stopSsh, useSsh } from './ssh-connection';
import { sshError, sshStartError, type SshTarget } from './ssh-target';

/** ssh's own exit code when it, and not the command, failed. */
const failedItself = 255;

export interface SshLimits {
  readonly signal?: AbortSignal | undefined;
  /** Login included; 10 s when absent. */
  readonly timeoutMs?: number | undefined;
  /** Of stdout and of stderr each; what is beyond is cut off. 1 MiB when absent. */
  readonly maxBytes?: number | undefined;
}

export interface SshOutput {
  /** null when a signal ended it. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

type Session = ChildProcessByStdio<Writable, Readable, Readable>;

/** ssh on the connection to the machine. Throws host-unreachable. */
async function startSession(target: SshTarget, command: string, env: NodeJS.ProcessEnv): Promise<Session> {
  const { args, release } = await useSsh(target, env);
  // In a group of its own: Ctrl-C in the terminal is for the workbench.
  const child = startChild('ssh', [...args, command], {
    env,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const forget = endsWithConnections(() => stopSsh(child));
  for (const end of ['exit', 'error']) {
    child.once(end, () => {
      forget();
      release();
    });
  }
  return child;
}

function collect(stream: Readable, maxBytes: number): () => string {
  const chunks: Buffer[] = [];
  let bytes = 0;
  stream.on('data', (chunk: Buffer) => {
    const kept = chunk.subarray(0, Math.max(0, maxBytes - bytes));
    bytes += kept.length;
    if (kept.length > 0) chunks.push(kept);
  });
  return () => Buffer.concat(chunks).toString();
}

/**
 * Runs a command of the machine's shell and gives what it printed. A command that fails is an answer too. Throws
 * host-unreachable, also for a command that has not ended in time, and cancelled.
 */
export async function sshRun(
  target: SshTarget,
  command: string,
  options: SshLimits & { readonly env: NodeJS.ProcessEnv },
): Promise<SshOutput> {
  const { env, signal, timeoutMs = 10_000, maxBytes = 2 ** 20 } = options;
  const { controller, dispose } = linkedAbort(...(signal === undefined ? [] : [signal]));
  const timer = setTimeout(() => controller.abort(), timeoutMs);
  const { aborted, done } = whenAborted(controller.signal);
  const run = async (): Promise<SshOutput> => {
    const child = await startSession(target, command, env);
    if (controller.signal.aborted) stopSsh(child);
    controller.signal.addEventListener('abort', () => {
      stopSsh(child);
    });
    child.stdin.on('error', () => undefined);
    child.stdin.end();
    const [stdout, stderr] = [collect(child.stdout, maxBytes), collect(child.stderr, maxBytes)];
    const exitCode = await new Promise<number | null>((resolve, reject) => {
      child.once('error', (error) => reject(sshStartError(error)));
      child.once('close', resolve);
    });
    if (exitCode === failedItself) throw sshError(target, env, stderr());
    return { exitCode, stdout: stdout(), stderr: stderr() };
  };
  try {
    return await Promise.race([run(), aborted]);
  } catch (error) {
    if (signal?.aborted === true) throw new WorkbenchError('cancelled', `Cancelled: ${command}`);
    if (!controller.signal.aborted) throw error;
    throw sshError(target, env, `no answer within ${timeoutMs / 1000} s`);
  } finally {
    clearTimeout(timer);
    done();
    dispose();
  }
}

/**
 * What the command reads and writes there, as a stream, whose end says why where the command failed: its last words come
 * after the end of its output. Throws host-unreachable.
 */
export async function sshStream(target: SshTarget, command: string, env: NodeJS.ProcessEnv): Promise<Duplex> {
  const child = await startSession(target, command, env);
  const complaint = collect(child.stderr, 4000);
  const stream = new Duplex({
    read: () => {
      child.stdout.resume();
    },
    write: (chunk: Buffer, _encoding, done) => {
      if (child.stdin.write(chunk)) done();
      else child.stdin.once('drain', () => done());
    },
    final: (done) => {
      child.stdin.end(() => done());
    },
    destroy: (error, done) => {
      stopSsh(child);
      done(error);
    },
  });
  // A program that has ended takes nothing any more: its end says so.
  child.stdin.on('error', () => undefined);
  child.stdout.on('data', (chunk: Buffer) => {
    if (!stream.push(chunk)) child.stdout.pause();
  });
  child.once('error', (error) => {
    stream.destroy(sshStartError(error));
  });
  child.once('close', (code) => {
    if (code === 0) stream.push(null);
    else stream.destroy(new Error(`ssh: ${complaint().trim() || `exit code ${code ?? 'unknown'}`}`));
  });
  return stream;
}

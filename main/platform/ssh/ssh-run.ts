import type { ChildProcessByStdio } from 'node:child_process';
import { Duplex, type Readable, type Writable } from 'node:stream';
import { WorkbenchError } from '../../contract/errors';
import { linkedAbort, whenAborted } from '../abort';
import { startChild } from '../exec';
import { endsWithConnections, stopSsh, useSsh } from './ssh-connection';
import { sshError, sshStartError, type SshTarget } from './ssh-target';

/** ssh's exit code for its own failures. */
const failedItself = 255;

export interface SshLimits {
  readonly signal?: AbortSignal | undefined;
  /** Including login; default 10 s. */
  readonly timeoutMs?: number | undefined;
  /** Limit of stdout and of stderr; default 1 MiB. */
  readonly maxBytes?: number | undefined;
}

export interface SshOutput {
  /** null after a signal. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

type Session = ChildProcessByStdio<Writable, Readable, Readable>;

/** ssh on the connection to the machine. Throws host-unreachable. */
async function startSession(target: SshTarget, command: string, env: NodeJS.ProcessEnv): Promise<Session> {
  const { args, release } = await useSsh(target, env);
  // Own process group, because Ctrl-C is for the workbench.
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

/** Runs a shell command. Nonzero exits are results. Throws host-unreachable, also on timeout, and cancelled. */
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

/** Duplex stream of a command; ends with an error if the command fails, including its stderr. Throws host-unreachable. */
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
  // EPIPE after the program ended; its exit is reported.
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

import type { ChildProcess } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { access } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { WorkbenchError } from '../../contract/errors';
import { exec, killGroup, startChild } from '../exec';
import { sshArguments, sshError, sshKey, sshStartError, type SshTarget } from './ssh-target';

/**
 * A path of a socket has 108 bytes at most (sockaddr_un), of which ssh takes seventeen for a name of its own before it
 * renames it, and ours has twenty.
 */
const mostFolderBytes = 64;
/** ssh itself gives up after 10 s; what a key asks for on top of that (a touch, a confirmation) may take a while. */
const loginLimitMs = 30_000;
/** A connection that nobody uses ends after so long. */
const idleMs = 60_000;
const pollMs = 15;

const folder: { path: string | null } = { path: null };

const removeFolder = () => {
  if (folder.path !== null) rmSync(folder.path, { recursive: true, force: true });
  folder.path = null;
};

/** For the sockets of this process, and for its user only. */
function socketFolder(env: NodeJS.ProcessEnv): string {
  if (folder.path === null) {
    const places = [env['XDG_RUNTIME_DIR'] ?? '', tmpdir(), '/tmp'];
    for (const place of places) {
      if (!isAbsolute(place) || Buffer.byteLength(place) > mostFolderBytes - 15) continue;
      try {
        folder.path = mkdtempSync(join(place, 'twb-ssh-'));
        process.once('exit', removeFolder);
        break;
      } catch {
        // The next place.
      }
    }
  }
  if (folder.path !== null) return folder.path;
  throw new WorkbenchError('file-unwritable', 'No folder can be made for the sockets of ssh', {
    remedy: 'Make /tmp writable, or set TMPDIR to a writable folder with a short path.',
  });
}

/** ssh may miss a signal until its next sign of life, seconds later (seen with OpenSSH 9.2). */
const graceMs = 500;

/** Ends an ssh of ours with what it started (a jump host's, a proxy's). */
export function stopSsh(child: ChildProcess): void {
  const { pid } = child;
  if (pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  killGroup(pid, 'SIGTERM');
  const timer = setTimeout(() => killGroup(pid, 'SIGKILL'), graceMs);
  child.once('exit', () => clearTimeout(timer));
}

/** A connection to a machine, which further ssh processes use by its socket. */
interface SshConnection {
  readonly socket: string;
  /** When it ends, with the reason. Never rejects. */
  readonly ended: Promise<WorkbenchError>;
  /** Ends it and waits for its end. */
  readonly end: () => Promise<void>;
}

/**
 * Logs in and stays connected, in a process group of its own: Ctrl-C in the terminal is for the workbench, which may have
 * something to put in order over there first. Throws host-unreachable.
 */
async function openSshConnection(target: SshTarget, env: NodeJS.ProcessEnv): Promise<SshConnection> {
  const name = createHash('sha256').update(sshKey(target, env)).digest('hex').slice(0, 8);
  const socket = join(socketFolder(env), `${name}-${randomBytes(4).toString('hex')}`);
  const own = ['-N', '-T', '-o', 'ControlMaster=yes', '-o', 'ControlPersist=no'];
  const args = sshArguments(target, env, [...own, '-o', `ControlPath=${socket.replaceAll('%', '%%')}`]);
  const child = startChild('ssh', args, { env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  let complaint = '';
  child.stdout.resume();
  child.stderr.on('data', (chunk: Buffer) => {
    complaint = `${complaint}${chunk.toString()}`.slice(-4000);
  });
  const state: { reason: WorkbenchError | null } = { reason: null };
  const ended = new Promise<WorkbenchError>((resolve) => {
    const over = (reason: WorkbenchError) => {
      state.reason = reason;
      resolve(reason);
    };
    child.once('error', (error) => over(sshStartError(error)));
    // After what it said.
    child.once('close', () => over(sshError(target, env, complaint)));
  });
  // It does not keep the workbench from ending.
  child.unref();
  for (const stream of [child.stdout, child.stderr])
    if ('unref' in stream) (stream as { unref(): void }).unref();
  const end = async () => {
    if (state.reason === null) stopSsh(child);
    await ended;
  };
  const limit = performance.now() + loginLimitMs;
  while (state.reason === null) {
    const isOpen = await access(socket).then(
      () => true,
      () => false,
    );
    if (isOpen) return { socket, ended, end };
    if (performance.now() > limit) {
      await end();
      throw sshError(target, env, `no login within ${loginLimitMs / 1000} s\n`);
    }
    await sleep(pollMs);
  }
  throw state.reason;
}

interface Shared {
  readonly opened: Promise<SshConnection>;
  users: number;
  idle: NodeJS.Timeout | null;
}

const shared = new Map<string, Shared>();

function share(key: string, target: SshTarget, env: NodeJS.ProcessEnv): Shared {
  const known = shared.get(key);
  if (known !== undefined) return known;
  const one: Shared = { opened: openSshConnection(target, env), users: 0, idle: null };
  shared.set(key, one);
  const forget = () => {
    if (shared.get(key) === one) shared.delete(key);
  };
  one.opened.then(({ ended }) => ended.then(forget), forget);
  return one;
}

/** Arguments of an ssh that uses a connection, and of which it is one user until `release`. */
export interface SshSession {
  readonly args: readonly string[];
  readonly release: () => void;
}

/** A use of the one connection to the machine, which is made where there is none. Throws host-unreachable. */
export async function useSsh(target: SshTarget, env: NodeJS.ProcessEnv): Promise<SshSession> {
  const key = sshKey(target, env);
  const one = share(key, target, env);
  one.users += 1;
  if (one.idle !== null) clearTimeout(one.idle);
  const use = { released: false };
  const release = () => {
    if (use.released) return;
    use.released = true;
    one.users -= 1;
    if (one.users > 0) return;
    one.idle = setTimeout(() => {
      if (shared.get(key) === one) shared.delete(key);
      void one.opened.then(({ end }) => end()).catch(() => undefined);
    }, idleMs);
    one.idle.unref();
  };
  try {
    const { socket } = await one.opened;
    // Where the connection has no room for another session, ssh makes one of its own.
    const own = ['-T', '-o', 'ControlMaster=no', '-o', `ControlPath=${socket.replaceAll('%', '%%')}`];
    return { args: sshArguments(target, env, own), release };
  } catch (error) {
    release();
    throw error;
  }
}

const sessions = new Set<() => void>();

/**
 * A session that ends with the connections: one that found none, or no room on it, has a login of its own.
 * @returns what forgets it
 */
export function endsWithConnections(end: () => void): () => void {
  sessions.add(end);
  return () => sessions.delete(end);
}

/** Ends the shared connections of this process, and what uses them. Further ones are made where they are needed. */
export async function endSshConnections(): Promise<void> {
  for (const end of sessions) end();
  const all = [...shared.values()];
  shared.clear();
  await Promise.all(
    all.map(async ({ opened, idle }) => {
      if (idle !== null) clearTimeout(idle);
      await opened.then(({ end }) => end()).catch(() => undefined);
    }),
  );
}

const attempts = 5;

/** A port of this machine that leads to one over there. */
export interface SshTunnel {
  /** On 127.0.0.1. */
  readonly localPort: number;
  /** When the line is gone, with the reason, also after `close`. Never rejects. */
  readonly ended: Promise<WorkbenchError>;
  close(): Promise<void>;
}

/** A port that nobody has at this moment. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

/** Asks the connection to listen; null when it does, else its complaint. */
async function listen(
  { socket }: SshConnection,
  spec: string,
  env: NodeJS.ProcessEnv,
): Promise<string | null> {
  // What the person's configuration forwards is not for this tunnel; nothing else of it is of use on a socket.
  const place = ['-F', '/dev/null', '-S', socket.replaceAll('%', '%%')];
  const { exitCode, stderrTail } = await exec({
    argv: ['ssh', ...place, '-O', 'forward', '-L', spec, '--', 'tunnel'],
    env,
  });
  return exitCode === 0 ? null : stderrTail.join('\n');
}

/**
 * Opens a tunnel on a free port, over a connection of its own: what is measured through it shares its line with nothing.
 * Throws host-unreachable and cancelled.
 */
export async function sshForward(
  target: SshTarget,
  remoteHost: string,
  remotePort: number,
  options: { readonly env: NodeJS.ProcessEnv; readonly signal?: AbortSignal | undefined },
): Promise<SshTunnel> {
  const { env, signal } = options;
  const connection = await openSshConnection(target, env);
  const stop = () => void connection.end();
  signal?.addEventListener('abort', stop, { once: true });
  void connection.ended.then(() => signal?.removeEventListener('abort', stop));
  const host = remoteHost.includes(':') ? `[${remoteHost}]` : remoteHost;
  let complaint = '';
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    if (signal?.aborted === true) break;
    const localPort = await freePort();
    // Another program may have taken the port since: ssh says so, and the next one is tried.
    const problem = await listen(connection, `127.0.0.1:${localPort}:${host}:${remotePort}`, env);
    if (problem === null) return { localPort, ended: connection.ended, close: () => connection.end() };
    complaint = problem;
  }
  await connection.end();
  if (signal?.aborted === true) throw new WorkbenchError('cancelled', 'Cancelled: open a tunnel');
  throw sshError(target, env, complaint);
}

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

/** Socket paths are limited to 108 bytes (sockaddr_un): ssh adds 17 temporarily, our name takes 20. */
const mostFolderBytes = 64;
/** ssh times out after 10 s; key confirmation may take longer. */
const loginLimitMs = 30_000;
const idleMs = 60_000;
const pollMs = 15;

const folder: { path: string | null } = { path: null };

const removeFolder = () => {
  if (folder.path !== null) rmSync(folder.path, { recursive: true, force: true });
  folder.path = null;
};

/** Private to this process and user. */
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
        // Try the next one.
      }
    }
  }
  if (folder.path !== null) return folder.path;
  throw new WorkbenchError('file-unwritable', 'No folder can be created for the sockets of ssh', {
    remedy: 'Make /tmp writable, or set TMPDIR to a writable folder with a short path.',
  });
}

/** ssh may react to a signal only at its next keep-alive (OpenSSH 9.2). */
const graceMs = 500;

/** Kills ssh with its jump hosts and proxies. */
export function stopSsh(child: ChildProcess): void {
  const { pid } = child;
  if (pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  killGroup(pid, 'SIGTERM');
  const timer = setTimeout(() => killGroup(pid, 'SIGKILL'), graceMs);
  child.once('exit', () => clearTimeout(timer));
}

/** A master connection that other ssh processes share. */
interface SshConnection {
  readonly socket: string;
  /** Resolves with the reason. */
  readonly ended: Promise<WorkbenchError>;
  /** Closes and waits. */
  readonly end: () => Promise<void>;
}

/** In its own process group: Ctrl-C must reach the workbench first, which may clean up there. Throws host-unreachable. */
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
    // 'close' comes after all output.
    child.once('close', () => over(sshError(target, env, complaint)));
  });
  // Does not keep the process alive.
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

/** Arguments for using the connection, until `release`. */
export interface SshSession {
  readonly args: readonly string[];
  readonly release: () => void;
}

/** Shares or opens the connection. Throws host-unreachable. */
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
    // If the connection has no free session, ssh logs in separately.
    const own = ['-T', '-o', 'ControlMaster=no', '-o', `ControlPath=${socket.replaceAll('%', '%%')}`];
    return { args: sshArguments(target, env, own), release };
  } catch (error) {
    release();
    throw error;
  }
}

const sessions = new Set<() => void>();

/** Registers a session to end with the connections, even if it has its own login. @returns the disposer */
export function endsWithConnections(end: () => void): () => void {
  sessions.add(end);
  return () => sessions.delete(end);
}

/** Closes all shared connections and their sessions; later calls reconnect. */
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

export interface SshTunnel {
  /** On 127.0.0.1. */
  readonly localPort: number;
  /** Resolves with the reason, also after `close`. */
  readonly ended: Promise<WorkbenchError>;
  close(): Promise<void>;
}

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

/** Requests forwarding; null on success, else the error message. */
async function listen(
  { socket }: SshConnection,
  spec: string,
  env: NodeJS.ProcessEnv,
): Promise<string | null> {
  // Ignores the user's configuration, which could add forwardings.
  const place = ['-F', '/dev/null', '-S', socket.replaceAll('%', '%%')];
  const { exitCode, stderrTail } = await exec({
    argv: ['ssh', ...place, '-O', 'forward', '-L', spec, '--', 'tunnel'],
    env,
  });
  return exitCode === 0 ? null : stderrTail.join('\n');
}

/** A connection of its own, which measurements do not share. Throws host-unreachable and cancelled. */
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
    // The port may have been taken meanwhile: try another.
    const problem = await listen(connection, `127.0.0.1:${localPort}:${host}:${remotePort}`, env);
    if (problem === null) return { localPort, ended: connection.ended, close: () => connection.end() };
    complaint = problem;
  }
  await connection.end();
  if (signal?.aborted === true) throw new WorkbenchError('cancelled', 'Cancelled: open a tunnel');
  throw sshError(target, env, complaint);
}

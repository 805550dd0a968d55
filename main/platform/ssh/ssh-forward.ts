import { createServer } from 'node:net';
import { WorkbenchError } from '../../contract/errors';
import { exec } from '../exec';
import { openSshConnection, type SshConnection } from './ssh-connection';
import { sshError } from './ssh-error';
import type { SshTarget } from './ssh-target';

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
      server.close(() => {
        resolve(typeof address === 'object' && address !== null ? address.port : 0);
      });
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

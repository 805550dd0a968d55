import { Agent } from 'node:http';
import { Duplex } from 'node:stream';
import { startChild } from '../platform/children';
import type { DockerAddress } from './address';

/** Arguments of ssh that lead to the engine on the other side, as the docker command itself goes there. */
export function sshArguments(address: Extract<DockerAddress, { kind: 'ssh' }>): string[] {
  return [
    '-o',
    'BatchMode=yes',
    '-o',
    'ConnectTimeout=10',
    ...(address.port === null ? [] : ['-p', String(address.port)]),
    '--',
    address.destination,
    'docker',
    'system',
    'dial-stdio',
  ];
}

/**
 * Connections through the user's own ssh program: its configuration, keys and known hosts hold. One process each, which
 * ends with the connection.
 */
export function createSshAgent(
  address: Extract<DockerAddress, { kind: 'ssh' }>,
  env: NodeJS.ProcessEnv,
): Agent {
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  const connect = (): Duplex => {
    const child = startChild('ssh', sshArguments(address), { env, stdio: ['pipe', 'pipe', 'pipe'] });
    let complaint = '';
    child.stderr.on('data', (chunk: Buffer) => {
      complaint = `${complaint}${chunk.toString()}`.slice(-2000);
    });
    const socket = Duplex.from({ readable: child.stdout, writable: child.stdin });
    child.once('error', (error) => socket.destroy(error));
    child.once('exit', (code) => {
      if (code !== 0 && code !== null)
        socket.destroy(new Error(`ssh: ${complaint.trim() || `exit code ${code}`}`));
    });
    socket.once('close', () => child.kill());
    // What http asks of a socket and a pipe has not.
    return Object.assign(socket, {
      setKeepAlive: () => socket,
      setNoDelay: () => socket,
      setTimeout: () => socket,
      ref: () => socket,
      unref: () => socket,
    });
  };
  return Object.assign(agent, { createConnection: connect });
}

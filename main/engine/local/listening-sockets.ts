import { readdir, readFile, readlink } from 'node:fs/promises';
import { createServer } from 'node:net';
import { WorkbenchError } from '../../contract/errors';

interface ListeningSocket {
  /** Dotted IPv4 (also if mapped into IPv6), else the 32 hex digits of `/proc/net/tcp6`. */
  readonly address: string;
  readonly port: number;
  readonly inode: string;
}

const wildcardV6 = '0'.repeat(32);
const mappedV4 = '0000000000000000FFFF0000';

/** The kernel prints 32-bit words in machine byte order: little-endian here. */
function addressText(hex: string): string {
  const v4 = hex.length === 8 ? hex : hex.startsWith(mappedV4) ? hex.slice(24) : null;
  if (v4 === null) return hex === wildcardV6 ? '::' : hex;
  return [6, 4, 2, 0].map((at) => Number.parseInt(v4.slice(at, at + 2), 16)).join('.');
}

/** Parses `/proc/net/tcp` or `/proc/net/tcp6`. */
export function parseListeningSockets(text: string): ListeningSocket[] {
  return text.split('\n').flatMap((line) => {
    const fields = line.trim().split(/\s+/);
    const [address, port] = (fields[1] ?? '').split(':');
    // State 0A is TCP_LISTEN.
    if (fields[3] !== '0A' || address === undefined || port === undefined) return [];
    return [{ address: addressText(address), port: Number.parseInt(port, 16), inode: fields[9] ?? '' }];
  });
}

async function readSockets(folder: string): Promise<ListeningSocket[]> {
  const read = (name: string) => readFile(`${folder}/${name}`, 'utf8').catch(() => '');
  // IPv4 first: only Triton's gRPC may listen on IPv6.
  return parseListeningSockets(`${await read('tcp')}\n${await read('tcp6')}`);
}

/** Inodes of a process's sockets; empty if it ended or belongs to another user. */
async function socketInodes(pid: number): Promise<Set<string>> {
  const folder = `/proc/${pid}/fd`;
  const names = await readdir(folder).catch(() => []);
  const links = await Promise.all(names.map((name) => readlink(`${folder}/${name}`).catch(() => '')));
  return new Set(links.flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? []));
}

/**
 * Sockets that the process itself opened, without ones inherited from the workbench (Chromium's debugging port is not
 * close-on-exec): a foreign server must not pass for ours.
 */
export async function listeningSocketsOf(pid: number): Promise<ListeningSocket[]> {
  const [inodes, inherited] = await Promise.all([socketInodes(pid), socketInodes(process.pid)]);
  const sockets = await readSockets(`/proc/${pid}/net`);
  return sockets.filter(({ inode }) => inodes.has(inode) && (pid === process.pid || !inherited.has(inode)));
}

export interface PortOwner {
  /** null without permission. */
  readonly pid: number | null;
  /** '' if unknown. */
  readonly command: string;
}

/** Who listens on a port that conflicts with 127.0.0.1, or null. */
export async function portOwner(port: number): Promise<PortOwner | null> {
  const taken = (await readSockets('/proc/self/net')).find(
    (socket) => socket.port === port && ['127.0.0.1', '0.0.0.0', '::'].includes(socket.address),
  );
  if (taken === undefined) return null;
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  for (const pid of pids.sort((a, b) => a - b)) {
    if (!(await socketInodes(pid)).has(taken.inode)) continue;
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    return { pid, command: command.split('\0').join(' ').trim() };
  }
  return { pid: null, command: '' };
}

/** The port-taken error, with the owner if known. */
export async function portTaken(port: number): Promise<WorkbenchError> {
  const owner = await portOwner(port);
  const command = owner === null || owner.command === '' ? '' : ` (${owner.command.slice(0, 300)})`;
  const pid = owner?.pid ?? null;
  const who = pid === null ? 'a process that the system does not name' : `process ${pid}${command}`;
  return new WorkbenchError('port-taken', `Port ${port} is in use: ${who} listens on it`, {
    where: `127.0.0.1:${port}`,
  });
}

/** null if the loopback port is free. */
export function tryBind(port: number): Promise<NodeJS.ErrnoException | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error) => resolve(error));
    server.listen({ host: '127.0.0.1', port, exclusive: true }, () => {
      server.close(() => resolve(null));
    });
  });
}

/** Throws port-taken, or input-invalid for a port that needs privileges. */
export async function assertPortsFree(ports: readonly (number | undefined)[]): Promise<void> {
  const fixed = ports.filter((port) => port !== undefined);
  if (new Set(fixed).size < fixed.length) {
    throw new WorkbenchError('input-invalid', `Port ${fixed[0] ?? 0} cannot be used for both HTTP and gRPC`, {
      remedy: 'Choose two ports, or leave one empty to use a free port.',
    });
  }
  for (const port of fixed) {
    const refusal = await tryBind(port);
    if (refusal?.code === 'EADDRINUSE') throw await portTaken(port);
    if (refusal !== null) {
      throw new WorkbenchError('input-invalid', `Port ${port} cannot be used: ${refusal.message}`, {
        remedy: 'Ports below 1024 are reserved for root. Choose a higher port.',
      });
    }
  }
}

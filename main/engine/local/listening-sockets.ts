import { readdir, readFile, readlink } from 'node:fs/promises';

export interface ListeningSocket {
  /** Dotted IPv4 where it is one (also mapped into IPv6), else the 32 hex digits of `/proc/net/tcp6`. */
  readonly address: string;
  readonly port: number;
  readonly inode: string;
}

const wildcardV6 = '0'.repeat(32);
const mappedV4 = '0000000000000000FFFF0000';

/** The kernel prints each 32-bit word in the byte order of the machine: little-endian here. */
function addressText(hex: string): string {
  const v4 = hex.length === 8 ? hex : hex.startsWith(mappedV4) ? hex.slice(24) : null;
  if (v4 === null) return hex === wildcardV6 ? '::' : hex;
  return [6, 4, 2, 0].map((at) => Number.parseInt(v4.slice(at, at + 2), 16)).join('.');
}

/** The listening sockets of `/proc/net/tcp` or `/proc/net/tcp6`. */
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
  // IPv4 first: Triton's gRPC is the one that may stand among the IPv6 sockets.
  return parseListeningSockets(`${await read('tcp')}\n${await read('tcp6')}`);
}

/** Inodes of the sockets that a process holds; empty when it is gone or somebody else's. */
async function socketInodes(pid: number): Promise<Set<string>> {
  const folder = `/proc/${pid}/fd`;
  const names = await readdir(folder).catch(() => []);
  const links = await Promise.all(names.map((name) => readlink(`${folder}/${name}`).catch(() => '')));
  return new Set(links.flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? []));
}

/**
 * What this very process listens on: a foreign server on a wanted port is never taken for ours. Nor is a socket of the
 * workbench that the process inherited: Chromium's debugging port is one that is not closed on exec.
 */
export async function listeningSocketsOf(pid: number): Promise<ListeningSocket[]> {
  const [inodes, inherited] = await Promise.all([socketInodes(pid), socketInodes(process.pid)]);
  const sockets = await readSockets(`/proc/${pid}/net`);
  return sockets.filter(({ inode }) => inodes.has(inode) && (pid === process.pid || !inherited.has(inode)));
}

export interface PortOwner {
  /** null when the process is not ours to look into. */
  readonly pid: number | null;
  /** The command line, or '' where it is not known. */
  readonly command: string;
}

/** Who listens on a port that 127.0.0.1 would share; null when nobody does. */
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

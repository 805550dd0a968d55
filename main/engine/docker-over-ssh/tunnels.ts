import { connect, createServer, type Server, type Socket } from 'node:net';
import { toWire, WorkbenchError } from '../../contract/errors';
import { sshForward, type SshTunnel } from '../../platform/ssh/ssh-connection';
import type { SshTarget } from '../../platform/ssh/ssh-target';

/** Forwards to loopback addresses of another machine. */
export interface Tunnels {
  /** Local address that forwards to `address` until `close`. Throws host-unreachable, cancelled. */
  open(address: string, signal: AbortSignal): Promise<string>;
  /** Why the last connection to that address failed; null if it did not. */
  problem(address: string): string | null;
  close(): void;
}

function listen(onConnection: (socket: Socket) => void): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer(onConnection);
    // Does not keep the process alive.
    server.unref();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => resolve(server));
  });
}

/** Pipes both directions; closes both when either ends. */
function join(one: Socket, other: Socket): void {
  const ends = [one, other] as const;
  for (const [from, to] of [ends, [other, one] as const]) {
    from.on('error', () => to.destroy());
    from.on('close', () => to.destroy());
    from.pipe(to);
  }
}

class Tunnel {
  private line: Promise<SshTunnel> | null = null;
  private server: Promise<Server> | null = null;
  private readonly sockets = new Set<Socket>();
  private idle: NodeJS.Timeout | undefined;
  problem: string | null = null;

  constructor(
    private readonly target: SshTarget,
    private readonly address: string,
    private readonly env: NodeJS.ProcessEnv,
    private readonly idleMs: number | undefined,
  ) {}

  async open(signal: AbortSignal): Promise<string> {
    await this.opened(signal);
    this.problem = null;
    this.waitIdle();
    const place = (await this.listening()).address();
    if (typeof place === 'object' && place !== null) return `127.0.0.1:${place.port}`;
    throw new WorkbenchError('cancelled', `Cancelled: open a tunnel to ${this.address}`);
  }

  close(): void {
    this.server?.then(
      (server) => server.close(),
      () => undefined,
    );
    this.server = null;
    for (const socket of this.sockets) socket.destroy();
    this.hangUp();
  }

  /** Shared by concurrent callers. */
  private listening(): Promise<Server> {
    if (this.server !== null) return this.server;
    const server = listen((socket) => void this.lead(socket));
    this.server = server;
    server.catch(() => {
      if (this.server === server) this.server = null;
    });
    return server;
  }

  /** The next connection opens a new tunnel. */
  private hangUp(): void {
    clearTimeout(this.idle);
    void this.line?.then((line) => line.close()).catch(() => undefined);
    this.line = null;
  }

  /** The current tunnel, or a new one after a disconnect. */
  private opened(signal?: AbortSignal): Promise<SshTunnel> {
    if (this.line !== null) return this.line;
    const colon = this.address.lastIndexOf(':');
    const [host, port] = [this.address.slice(0, colon), Number(this.address.slice(colon + 1))];
    const line = sshForward(this.target, host, port, { env: this.env, signal });
    this.line = line;
    const forget = () => {
      if (this.line === line) this.line = null;
    };
    line.then(({ ended }) => ended.then(forget), forget);
    return line;
  }

  private waitIdle(): void {
    clearTimeout(this.idle);
    if (this.idleMs === undefined || this.sockets.size > 0) return;
    this.idle = setTimeout(() => this.hangUp(), this.idleMs);
    this.idle.unref();
  }

  private async lead(socket: Socket): Promise<void> {
    this.sockets.add(socket);
    clearTimeout(this.idle);
    socket.once('close', () => {
      this.sockets.delete(socket);
      this.waitIdle();
    });
    socket.on('error', () => socket.destroy());
    try {
      const { localPort } = await this.opened();
      this.problem = null;
      // The client left meanwhile; nothing else would close the other end.
      if (socket.destroyed) return;
      join(socket, connect({ host: '127.0.0.1', port: localPort }));
    } catch (error) {
      this.problem = toWire(error).message;
      // The client sees a closed connection.
      socket.destroy();
    }
  }
}

/** Tunnels over ssh, on loopback only. @param idleMs closes an unused tunnel after this time; absent: never */
export function createTunnels(target: SshTarget, env: NodeJS.ProcessEnv, idleMs?: number): Tunnels {
  const tunnels = new Map<string, Tunnel>();
  return {
    open: (address, signal) => {
      const tunnel = tunnels.get(address) ?? new Tunnel(target, address, env, idleMs);
      tunnels.set(address, tunnel);
      return tunnel.open(signal);
    },
    problem: (address) => tunnels.get(address)?.problem ?? null,
    close: () => {
      for (const tunnel of tunnels.values()) tunnel.close();
      tunnels.clear();
    },
  };
}

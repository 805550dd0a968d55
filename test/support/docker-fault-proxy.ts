import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** What becomes of a request that a fault is meant for. */
export type RequestFault =
  /** Answered here; the engine never hears of it. */
  | { readonly kind: 'answer'; readonly status: number; readonly body: string }
  /** Something happens on the engine just before the request gets there. */
  | { readonly kind: 'overtaken'; readonly by: () => Promise<void> }
  /** The engine does what was asked, its whole reply is swallowed and the connection cut. */
  | { readonly kind: 'reply-lost' }
  /** Neither forwarded nor answered. */
  | { readonly kind: 'hang' };

interface Injection {
  readonly method: string;
  readonly path: RegExp;
  readonly fault: RequestFault;
  timesLeft: number;
}

interface EventStream {
  readonly client: Socket;
  readonly engine: Socket;
  frozen: boolean;
}

const headEnd = '\r\n\r\n';
const chunkOf = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;

/**
 * A fault injector: a unix socket in front of a real Docker Engine. It passes bytes on as they are, except that a
 * request is made the last one of its connection, and does to requests and event streams what a test asks for.
 */
export class DockerFaultProxy {
  private readonly injections: Injection[] = [];
  private readonly streams = new Set<EventStream>();
  private readonly sockets = new Set<Socket>();
  private readonly server = createServer((client) => {
    this.serve(client);
  });
  /** Requests that came, as "POST /containers/create". */
  readonly requests: string[] = [];

  private constructor(
    private readonly folder: string,
    private readonly engineSocket: string,
  ) {}

  static async start(engineSocket: string): Promise<DockerFaultProxy> {
    const proxy = new DockerFaultProxy(await mkdtemp(join(tmpdir(), 'docker-fault-')), engineSocket);
    await new Promise<void>((resolve) => proxy.server.listen(proxy.socketPath, resolve));
    return proxy;
  }

  get socketPath(): string {
    return join(this.folder, 'docker.sock');
  }

  get openEventStreams(): number {
    return [...this.streams].filter(({ frozen }) => !frozen).length;
  }

  /** The next requests of this method whose path (without version and query) matches get the fault. */
  inject(method: string, path: RegExp, fault: RequestFault, times = 1): void {
    this.injections.push({ method, path, fault, timesLeft: times });
  }

  /** Faults that no request has met are taken back. */
  clear(): void {
    this.injections.length = 0;
  }

  get pendingFaults(): number {
    return this.injections.length;
  }

  /** Ends every event stream as a server does that shuts down in order. */
  endEventStreams(): void {
    this.eachStream(({ client, engine }) => {
      client.end(`0${headEnd}`);
      engine.destroy();
    });
  }

  /** Cuts every event stream in the middle of a chunk: what a reset looks like, as a unix socket knows no RST. */
  resetEventStreams(): void {
    this.eachStream(({ client, engine }) => {
      client.write('ff\r\n{"status":', () => client.destroy());
      engine.destroy();
    });
  }

  /** The connections stay; nothing comes through any more, in neither direction. */
  freezeEventStreams(): void {
    for (const stream of this.streams) {
      stream.frozen = true;
      stream.engine.unpipe(stream.client);
      stream.engine.pause();
      stream.client.pause();
    }
  }

  /** Puts a line of its own into every event stream. */
  sayInEventStreams(line: string): void {
    for (const { client } of this.streams) client.write(chunkOf(`${line}\n`));
  }

  /** `perSecond` lines into every event stream until the signal; gives the number that was sent. */
  async floodEventStreams(line: string, perSecond: number, signal: AbortSignal): Promise<number> {
    const startedAt = performance.now();
    let sent = 0;
    while (!signal.aborted) {
      const due = Math.floor(((performance.now() - startedAt) / 1000) * perSecond) - sent;
      if (due > 0) {
        const text = chunkOf(`${line}\n`.repeat(due));
        for (const { client } of this.streams) if (!client.writableNeedDrain) client.write(text);
        sent += due;
      }
      await sleep(5);
    }
    return sent;
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
    await rm(this.folder, { recursive: true, force: true });
  }

  private eachStream(work: (stream: EventStream) => void): void {
    for (const stream of [...this.streams]) {
      this.streams.delete(stream);
      work(stream);
    }
  }

  private keep(socket: Socket): void {
    this.sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => this.sockets.delete(socket));
  }

  private serve(client: Socket): void {
    this.keep(client);
    let head = Buffer.alloc(0);
    const onData = (chunk: Buffer) => {
      head = Buffer.concat([head, chunk]);
      const end = head.indexOf(headEnd);
      if (end < 0) return;
      client.off('data', onData);
      client.pause();
      void this.pass(client, head.subarray(0, end).toString('latin1'), head.subarray(end));
    };
    client.on('data', onData);
  }

  private faultFor(method: string, path: string): RequestFault | null {
    const found = this.injections.find((one) => one.method === method && one.path.test(path));
    if (found === undefined) return null;
    found.timesLeft -= 1;
    if (found.timesLeft === 0) this.injections.splice(this.injections.indexOf(found), 1);
    return found.fault;
  }

  private async pass(client: Socket, head: string, rest: Buffer): Promise<void> {
    const [requestLine = '', ...headers] = head.split('\r\n');
    const [method = '', target = ''] = requestLine.split(' ');
    const path = (target.split('?')[0] ?? '').replace(/^\/v[\d.]+/, '');
    this.requests.push(`${method} ${path}`);
    const fault = this.faultFor(method, path);
    if (fault?.kind === 'hang') return;
    if (fault?.kind === 'answer') {
      const { status, body } = fault;
      const fields = `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}`;
      client.end(`HTTP/1.1 ${status} Injected\r\n${fields}\r\nConnection: close${headEnd}${body}`);
      client.resume();
      return;
    }
    if (fault?.kind === 'overtaken') await fault.by();
    const engine = connect(this.engineSocket);
    this.keep(engine);
    // One request a connection: what came next on it could not be told from a body.
    const others = headers.filter((header) => !/^(?:connection|keep-alive):/i.test(header));
    engine.write([requestLine, ...others, 'Connection: close'].join('\r\n'), 'latin1');
    engine.write(rest);
    client.pipe(engine);
    if (fault?.kind === 'reply-lost') {
      engine.resume();
      engine.once('close', () => client.destroy());
      return;
    }
    engine.pipe(client);
    client.once('close', () => engine.destroy());
    engine.once('close', () => client.end());
    if (path === '/events') this.addStream({ client, engine, frozen: false });
  }

  private addStream(stream: EventStream): void {
    this.streams.add(stream);
    const drop = () => this.streams.delete(stream);
    stream.client.once('close', drop);
    stream.engine.once('close', drop);
  }
}

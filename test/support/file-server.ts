import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** How a server may treat its client; without any, it knows ranges and ETags. */
interface Faults {
  /** Answers 200 with the whole file whatever is asked. */
  readonly noRange?: boolean;
  readonly noEtag?: boolean;
  readonly weakEtag?: boolean;
  /** Closes the connection after so many bytes of an answer. */
  readonly cutAfter?: number;
  /** Sends so many bytes of an answer and then nothing more. */
  readonly stallAfter?: number;
  readonly status?: number;
  /** Tells no size. */
  readonly chunked?: boolean;
}

export interface FileServer {
  readonly address: string;
  /** Range headers as they came; '' for none. */
  readonly asked: string[];
  content: Buffer;
  /** Of the next answers, one each; the last for all that follow. */
  faults: Faults[];
  close(): Promise<void>;
}

/** A file over HTTP on loopback, with ranges, validators and the faults of real servers. */
export async function startFileServer(content: Buffer): Promise<FileServer> {
  const asked: string[] = [];
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    const fault = (state.faults.length > 1 ? state.faults.shift() : state.faults[0]) ?? {};
    asked.push(request.headers.range ?? '');
    if (fault.status !== undefined) {
      response.writeHead(fault.status).end('no');
      return;
    }
    const etag = `${fault.weakEtag === true ? 'W/' : ''}"${createHash('sha1').update(state.content).digest('hex')}"`;
    const [, first] = /^bytes=(\d+)-$/.exec(request.headers.range ?? '') ?? [];
    const from = Number(first ?? 0);
    const fits = first !== undefined && fault.noRange !== true && request.headers['if-range'] === etag;
    const headers: Record<string, string | number> = fault.noEtag === true ? {} : { etag };
    if (fits && from >= state.content.length) {
      response.writeHead(416, { 'content-range': `bytes */${state.content.length}` }).end();
      return;
    }
    const body = fits ? state.content.subarray(from) : state.content;
    if (fits) headers['content-range'] = `bytes ${from}-${state.content.length - 1}/${state.content.length}`;
    if (fault.chunked !== true) headers['content-length'] = body.length;
    response.writeHead(fits ? 206 : 200, headers);
    const limit = fault.cutAfter ?? fault.stallAfter;
    if (limit === undefined || limit >= body.length) {
      response.end(body);
      return;
    }
    response.write(body.subarray(0, limit), () => {
      if (fault.cutAfter !== undefined) response.destroy();
    });
  };
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const state: FileServer = {
    address: `http://127.0.0.1:${port}/data.bin`,
    asked,
    content,
    faults: [{}],
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => {
          resolve();
        });
      }),
  };
  return state;
}

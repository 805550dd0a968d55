import { type ClientHttp2Session, connect, type IncomingHttpHeaders } from 'node:http2';

interface Asked {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: Uint8Array | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Buffer;
}

interface Limits {
  readonly maxBytes: number;
  readonly tooLarge: () => Error;
  readonly signal: AbortSignal;
}

/** What is asked with GET is answered at once; a server that is silent for so long waits for a call of gRPC. */
const silenceMs = 2000;

const isGrpc = (headers: IncomingHttpHeaders): boolean =>
  'grpc-status' in headers || headers['content-type']?.startsWith('application/grpc') === true;

/** Without the pseudo-headers of HTTP/2. */
function plainHeaders(all: IncomingHttpHeaders): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(all)) {
    if (value !== undefined && !name.startsWith(':')) headers.set(name, String(value));
  }
  return headers;
}

function exchange(session: ClientHttp2Session, asked: Asked, limits: Limits): Promise<Answered | null> {
  const { maxBytes, tooLarge, signal } = limits;
  return new Promise((resolve, reject) => {
    const { method, path, body = new Uint8Array() } = asked;
    const given: Record<string, string> = {};
    for (const [key, value] of Object.entries(asked.headers ?? {})) given[key.toLowerCase()] = value;
    const stream = session.request({
      ...given,
      ...{ ':method': method, ':path': path },
      ...(method === 'POST' ? { 'content-length': String(body.byteLength) } : {}),
    });
    const found: { status: number; headers: Headers; parts: Buffer[]; bytes: number } = {
      ...{ status: 0, headers: new Headers(), parts: [], bytes: 0 },
    };
    // Nothing is sent any more where the deadline has passed.
    const stop = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', stop, { once: true });
    stream.once('close', () => {
      signal.removeEventListener('abort', stop);
      resolve(null);
    });
    // A gRPC server resets what is not a call.
    stream.once('error', () => resolve(null));
    stream.once('response', (headers) => {
      if (isGrpc(headers)) resolve(null);
      Object.assign(found, { status: headers[':status'] ?? 0, headers: plainHeaders(headers) });
    });
    stream.on('data', (part: Buffer) => {
      found.bytes += part.byteLength;
      if (found.bytes > maxBytes) reject(tooLarge());
      else found.parts.push(part);
    });
    stream.once('end', () => {
      const { status, headers, parts } = found;
      resolve(status === 0 ? null : { status, headers, body: Buffer.concat(parts) });
    });
    // That of GET has ended.
    if (method === 'POST') stream.end(body);
    else stream.setTimeout(silenceMs, () => resolve(null));
  });
}

/**
 * Asks a server that speaks only HTTP/2 without TLS, as some gateways do. Rejects where the signal aborts, and with
 * `tooLarge`. @returns null: it does not answer, or as gRPC
 */
export async function exchangeInClearHttp2(
  address: string,
  asked: Asked,
  limits: Limits,
): Promise<Answered | null> {
  const session = connect(`http://${address}`);
  // Streams end with it.
  session.on('error', () => undefined);
  try {
    return await exchange(session, asked, limits);
  } finally {
    session.destroy();
  }
}

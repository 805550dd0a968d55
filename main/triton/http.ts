import { request as sendOverTls } from 'node:https';
import { WorkbenchError } from '../contract/errors';
import { linkedAbort, whenAborted } from '../platform/abort';
import { jsonOrNull } from '../platform/parse-json';
import { fetchReason } from '../platform/plain-entry';
import { askPort } from '../platform/port-protocol';
import { exchangeInClearHttp2 } from './clear-http2';
import { certificateRemedy, certificateTrouble, isTlsRefused, tlsConnection, type TlsMaterial } from './tls';

export interface HttpRequest {
  readonly method: 'GET' | 'POST';
  /** Starts with `/v2`, or `/v1` of OpenAI's protocol. */
  readonly path: string;
  readonly body?: Uint8Array | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly timeoutMs: number;
  /** Default 8 MB. */
  readonly maxResponseBytes?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** null or absent: no TLS. */
  readonly tls?: TlsMaterial | null | undefined;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Buffer;
}

/** Limits replies, because any server may respond. */
function tooLarge(maxBytes: number): WorkbenchError {
  const largest = `${maxBytes / 2 ** 20} MB`;
  return new WorkbenchError('server-unreachable', `The server sent a reply of more than ${largest}`, {
    remedy: 'Check that the address is that of a Triton Inference Server.',
  });
}

/** Adds remedies to certificate errors. */
function explained(error: Error, host: string): Error {
  const trouble = certificateTrouble(error);
  if (trouble === null) return error;
  return new WorkbenchError('server-unreachable', `Triton at ${host}: ${trouble}`, {
    remedy: certificateRemedy,
    cause: error,
  });
}

/**
 * Its own connection; redirects are results. Throws server-unreachable for untrusted certificates and oversized
 * replies.
 */
function exchangeOverTls(
  url: string,
  request: HttpRequest,
  tls: TlsMaterial,
  maxBytes: number,
  signal: AbortSignal,
): Promise<HttpResponse> {
  const { hostname, port, pathname, search } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  const body = request.body ?? new Uint8Array();
  return new Promise((resolve, reject) => {
    const sent = sendOverTls(
      {
        host,
        port: port === '' ? 443 : Number(port),
        path: `${pathname}${search}`,
        method: request.method,
        agent: false,
        signal,
        ...tlsConnection(tls, host),
        headers: {
          ...request.headers,
          Connection: 'close',
          ...(request.method === 'POST' ? { 'Content-Length': String(body.byteLength) } : {}),
        },
      },
      (response) => {
        const parts: Buffer[] = [];
        let bytes = 0;
        response.on('data', (part: Buffer) => {
          bytes += part.byteLength;
          if (bytes > maxBytes) {
            reject(tooLarge(maxBytes));
            sent.destroy();
          } else parts.push(part);
        });
        response.once('error', reject);
        response.once('end', () => {
          const headers = new Headers();
          for (const [name, value] of Object.entries(response.headers)) {
            if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value);
          }
          resolve({ status: response.statusCode ?? 0, headers, body: Buffer.concat(parts) });
        });
      },
    );
    sent.once('error', (error) => reject(explained(error, host)));
    sent.end(body);
  });
}

/** `error` of Triton's JSON, or the text itself. */
export function errorWords(text: string): string {
  const parsed = jsonOrNull(text);
  return parsed !== null && typeof parsed === 'object' && 'error' in parsed ? String(parsed.error) : text;
}

const plainResponseBytes = 8 * 1024 * 1024;

/** fetch holds its signal weakly: garbage collection may lose it while a server stays silent. */
async function orAborted(answer: Promise<Response>, signal: AbortSignal): Promise<Response> {
  const { aborted, done: forget } = whenAborted(signal);
  try {
    return await Promise.race([answer, aborted]);
  } catch (error) {
    answer.then(
      (late) => late.body?.cancel(),
      () => undefined,
    );
    throw error;
  } finally {
    forget();
  }
}

/** Refuses oversized replies early. Follows the signal itself, because fetch holds it weakly. */
async function readCapped(response: Response, maxBytes: number, signal: AbortSignal): Promise<Buffer> {
  const parts: Buffer[] = [];
  let bytes = 0;
  if (response.body === null) return Buffer.alloc(0);
  const reader = response.body.getReader();
  const { aborted, done: forget } = whenAborted(signal);
  try {
    for (;;) {
      const { done, value } = await Promise.race([reader.read(), aborted]);
      if (done) return Buffer.concat(parts);
      bytes += value.byteLength;
      if (bytes > maxBytes) {
        throw tooLarge(maxBytes);
      }
      // Without a copy, which would double memory.
      parts.push(Buffer.from(value.buffer, value.byteOffset, value.byteLength));
    }
  } catch (error) {
    reader.cancel().catch(() => undefined);
    throw error;
  } finally {
    forget();
  }
}

const isOtherProtocol = (reason: string): boolean => /Expected HTTP|HTTP\/1\.1 protocol/.test(reason);

/** In HTTP/1.1, or in HTTP/2 where the server has only that. Throws what fetch throws, and server-unreachable. */
async function exchangeInClear(
  address: string,
  request: HttpRequest,
  maxBytes: number,
  signal: AbortSignal,
): Promise<HttpResponse> {
  try {
    const answer = fetch(`http://${address}${request.path}`, {
      ...{ method: request.method, redirect: 'error', signal },
      // Triton waits for idle connections when it stops.
      headers: { Connection: 'close', ...request.headers },
      ...(request.body === undefined ? {} : { body: request.body as Uint8Array<ArrayBuffer> }),
    });
    const response = await orAborted(answer, signal);
    const body = await readCapped(response, maxBytes, signal);
    return { status: response.status, headers: response.headers, body };
  } catch (error) {
    if (error instanceof WorkbenchError || !isOtherProtocol(fetchReason(error))) throw error;
    const limits = { maxBytes, tooLarge: () => tooLarge(maxBytes), signal };
    const answered = await exchangeInClearHttp2(address, request, limits);
    if (answered === null) throw error;
    return answered;
  }
}

/** Redirects are refused; the deadline is total; HTTP errors are results. Throws server-unreachable, or cancelled. */
export async function requestTriton(address: string, request: HttpRequest): Promise<HttpResponse> {
  const { tls = null } = request;
  const where = `${tls === null ? 'http' : 'https'}://${address}${request.path}`;
  const { controller, dispose } = linkedAbort(...(request.signal === undefined ? [] : [request.signal]));
  const timer = setTimeout(() => controller.abort(), request.timeoutMs);
  const maxBytes = request.maxResponseBytes ?? plainResponseBytes;
  try {
    if (tls !== null) return await exchangeOverTls(where, request, tls, maxBytes, controller.signal);
    return await exchangeInClear(address, request, maxBytes, controller.signal);
  } catch (error) {
    if (error instanceof WorkbenchError) throw error;
    if (request.signal?.aborted === true) {
      throw new WorkbenchError('cancelled', 'Cancelled while waiting for Triton', { where, cause: error });
    }
    const reason = controller.signal.aborted
      ? `no answer within ${request.timeoutMs / 1000} s`
      : fetchReason(error);
    throw await unreachable(address, { where, reason, overTls: tls !== null, cause: error });
  } finally {
    clearTimeout(timer);
    dispose();
  }
}

/** Explains a failed request by probing the port, with the correct address if known. */
async function unreachable(
  address: string,
  asked: {
    readonly where: string;
    readonly reason: string;
    readonly overTls: boolean;
    readonly cause: unknown;
  },
): Promise<WorkbenchError> {
  const { where, reason, overTls, cause } = asked;
  // fetch blocks some ports.
  if (reason === 'bad port') return reservedPort(address, where, cause);
  if (isOtherProtocol(reason)) return notHttp(address, where, cause);
  const clear = overTls && isTlsRefused(reason) ? await askPort(address) : null;
  if (clear !== null) return withoutTls(address, where, clear, cause);
  return new WorkbenchError('server-unreachable', `Triton at ${address}: ${reason}`, { where, cause });
}

/** The port speaks another protocol. */
async function notHttp(address: string, where: string, cause: unknown): Promise<WorkbenchError> {
  const [, host = '', port = ''] = /^(.*):(\d+)$/.exec(address) ?? [];
  const isGrpc = (await askPort(address)) === 'grpc';
  return new WorkbenchError(
    'server-unreachable',
    isGrpc ? `${address} is a gRPC port, not an HTTP port` : `${address} does not speak HTTP`,
    {
      where,
      remedy: `Give the HTTP address of Triton${isGrpc ? `, by default the port before: ${host}:${Number(port) - 1}` : ', port 8000 by default'}.`,
      cause,
    },
  );
}

/** The port does not speak TLS. */
const withoutTls = (
  address: string,
  where: string,
  protocol: 'http' | 'grpc',
  cause: unknown,
): WorkbenchError =>
  new WorkbenchError(
    'server-unreachable',
    `${address} does not speak TLS: it answers ${protocol === 'http' ? 'HTTP' : 'gRPC'} in the clear`,
    { where, remedy: `Give the address without TLS: ${protocol}://${address}`, cause },
  );

function reservedPort(address: string, where: string, cause: unknown): WorkbenchError {
  const port = address.slice(address.lastIndexOf(':') + 1);
  return new WorkbenchError(
    'server-unreachable',
    `No Triton at ${address}: port ${port} is reserved for another protocol, and HTTP clients do not connect to it`,
    {
      where,
      remedy: 'Check the port. The HTTP port of Triton is 8000 unless it was started with another.',
      cause,
    },
  );
}

/** Triton's message, or the beginning of the reply. */
export function errorTextOf(response: HttpResponse): string {
  const text = response.body.toString('utf8').slice(0, 20_000);
  return text === '' ? `HTTP status ${response.status}` : errorWords(text);
}

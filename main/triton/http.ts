import { WorkbenchError } from '../contract/errors';
import { linkedAbort, whenAborted } from '../platform/abort';
import { fetchReason } from '../platform/file-error';
import { errorWords } from './error-words';
import { exchangeOverTls, type HttpRequest, type HttpResponse, tooLarge } from './https';

const plainResponseBytes = 8 * 1024 * 1024;

/**
 * The headers, or the end: garbage collection may take what fetch follows the signal by, and then a server that sends
 * nothing is waited for without an end. Headers that come later are not read on.
 */
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

/**
 * The reply is refused as soon as it is larger: a foreign server may send anything. The signal is followed
 * here as well: once headers are there, fetch holds its own follower weakly, and garbage collection may take it.
 */
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
      // No copy: what is refused in the end was held twice otherwise.
      parts.push(Buffer.from(value.buffer, value.byteOffset, value.byteLength));
    }
  } catch (error) {
    reader.cancel().catch(() => undefined);
    throw error;
  } finally {
    forget();
  }
}

/**
 * One HTTP exchange with a Triton at `host:port`; redirects are refused, the deadline covers the whole exchange.
 * Throws server-unreachable, or cancelled when `signal` asked for the end. Any HTTP status is a result.
 */
export async function requestTriton(address: string, request: HttpRequest): Promise<HttpResponse> {
  const { tls = null } = request;
  const where = `${tls === null ? 'http' : 'https'}://${address}${request.path}`;
  const { controller, dispose } = linkedAbort(...(request.signal === undefined ? [] : [request.signal]));
  const timer = setTimeout(() => {
    controller.abort();
  }, request.timeoutMs);
  const maxBytes = request.maxResponseBytes ?? plainResponseBytes;
  try {
    if (tls !== null) return await exchangeOverTls(where, request, tls, maxBytes, controller.signal);
    const answer = fetch(where, {
      method: request.method,
      redirect: 'error',
      signal: controller.signal,
      // Triton waits for idle connections when it stops.
      headers: { Connection: 'close', ...request.headers },
      ...(request.body === undefined ? {} : { body: request.body as Uint8Array<ArrayBuffer> }),
    });
    const response = await orAborted(answer, controller.signal);
    const body = await readCapped(response, maxBytes, controller.signal);
    return { status: response.status, headers: response.headers, body };
  } catch (error) {
    if (error instanceof WorkbenchError) throw error;
    if (request.signal?.aborted === true) {
      throw new WorkbenchError('cancelled', 'Cancelled while waiting for Triton', { where, cause: error });
    }
    const reason = controller.signal.aborted
      ? `no answer within ${request.timeoutMs / 1000} s`
      : fetchReason(error);
    // fetch itself refuses some ports, without a try to connect.
    if (reason === 'bad port') throw reservedPort(address, where, error);
    throw new WorkbenchError('server-unreachable', `Triton at ${address}: ${reason}`, {
      where,
      cause: error,
    });
  } finally {
    clearTimeout(timer);
    dispose();
  }
}

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

/** Triton's own words in an error reply, or the beginning of whatever was sent. */
export function errorTextOf(response: HttpResponse): string {
  const text = response.body.toString('utf8').slice(0, 20_000);
  return text === '' ? `HTTP status ${response.status}` : errorWords(text);
}

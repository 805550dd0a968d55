import { request as sendOverTls } from 'node:https';
import { WorkbenchError } from '../contract/errors';
import { certificateRemedy, certificateTrouble, tlsConnection, type TlsMaterial } from './tls';

export interface HttpRequest {
  readonly method: 'GET' | 'POST';
  /** Begins with `/v2`. */
  readonly path: string;
  readonly body?: Uint8Array | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly timeoutMs: number;
  /** A larger reply is refused; 8 MB when absent. */
  readonly maxResponseBytes?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** null or absent: in the clear. */
  readonly tls?: TlsMaterial | null | undefined;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Buffer;
}

/** The refusal of a reply that is too large: a foreign server may send anything. */
export function tooLarge(maxBytes: number): WorkbenchError {
  const largest = `${maxBytes / 2 ** 20} MB`;
  return new WorkbenchError('server-unreachable', `The server sent a reply of more than ${largest}`, {
    remedy: 'Check that the address is that of a Triton Inference Server.',
  });
}

/** Trouble with certificates with what can be done; other errors as they are. */
function explained(error: Error, host: string): Error {
  const trouble = certificateTrouble(error);
  if (trouble === null) return error;
  return new WorkbenchError('server-unreachable', `Triton at ${host}: ${trouble}`, {
    remedy: certificateRemedy,
    cause: error,
  });
}

/**
 * One exchange over TLS on a connection of its own; redirects are results. Throws what the connection fails with,
 * and server-unreachable for an untrusted certificate and a reply of more than `maxBytes`.
 */
export function exchangeOverTls(
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
        ...{ host, port: port === '' ? 443 : Number(port), path: `${pathname}${search}` },
        ...{ method: request.method, agent: false, signal, ...tlsConnection(tls, host) },
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
    sent.once('error', (error) => {
      reject(explained(error, host));
    });
    sent.end(body);
  });
}

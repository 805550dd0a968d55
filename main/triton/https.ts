import { request as sendOverTls } from 'node:https';
import { WorkbenchError } from '../contract/errors';
import type { HttpRequest, HttpResponse } from './http-exchange';
import { tooLarge } from './http-exchange';
import type { TlsMaterial } from './tls';
import { certificateRemedy, certificateTrouble, tlsConnection } from './tls';

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

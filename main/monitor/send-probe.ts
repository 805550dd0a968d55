import { request } from 'node:http';
import { request as requestOverTls } from 'node:https';
import type { EncodedInferRequest } from '../triton/infer-message';
import type { TlsMaterial } from '../triton/tls';
import { tlsConnection } from '../triton/tls';

/** `refused`: the server takes the request for wrong (HTTP 4xx), which says nothing of the model's health. */
export type ProbeOutcome =
  { readonly kind: 'ok' } | { readonly kind: 'failed' | 'refused' | 'unreachable'; readonly reason: string };

/** Of an error reply; what comes of an answer is read and dropped. */
const mostErrorBytes = 4096;

function errorOf(text: string, status: number): string {
  try {
    const parsed: unknown = JSON.parse(text);
    if (parsed !== null && typeof parsed === 'object' && 'error' in parsed) return String(parsed.error);
  } catch {
    // Not JSON: the text itself is the best there is.
  }
  return text === '' ? `HTTP status ${status}` : text;
}

/**
 * Sends one inference over a connection of its own: Triton waits for idle connections when it stops, and a monitor must
 * not hold it up. Never rejects.
 */
export function sendProbe(
  address: string,
  path: string,
  message: EncodedInferRequest,
  options: { readonly timeoutMs: number; readonly signal: AbortSignal; readonly tls: TlsMaterial | null },
): Promise<ProbeOutcome> {
  const { tls } = options;
  const { hostname, port } = new URL(`http://${address}`);
  const host = hostname.replace(/^\[|\]$/g, '');
  return new Promise((resolve) => {
    const sent = (tls === null ? request : requestOverTls)(
      {
        ...(tls === null ? {} : tlsConnection(tls, host)),
        host,
        port: port === '' ? 80 : Number(port),
        method: 'POST',
        path,
        agent: false,
        headers: { ...message.headers, 'Content-Length': String(message.body.length), Connection: 'close' },
        signal: options.signal,
        timeout: options.timeoutMs,
      },
      (response) => {
        const status = response.statusCode ?? 0;
        let text = '';
        response.on('data', (chunk: Buffer) => {
          if (status !== 200 && text.length < mostErrorBytes) text += chunk.toString('utf8');
        });
        response.on('end', () => {
          if (status === 200) resolve({ kind: 'ok' });
          else resolve({ kind: status >= 500 ? 'failed' : 'refused', reason: errorOf(text, status) });
        });
        response.on('error', (error) => {
          resolve({ kind: 'unreachable', reason: error.message });
        });
      },
    );
    const timer = setTimeout(() => {
      resolve({ kind: 'failed', reason: `No answer within ${options.timeoutMs / 1000} s` });
      sent.destroy();
    }, options.timeoutMs);
    sent.on('close', () => {
      clearTimeout(timer);
    });
    sent.on('error', (error) => {
      resolve({ kind: 'unreachable', reason: error.message });
    });
    sent.end(message.body);
  });
}

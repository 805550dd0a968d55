import { WorkbenchError } from '../contract/errors';
import type { TlsMaterial } from './tls';

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

import { z } from 'zod';

/** "localhost:8000" as "http://localhost:8000"; an address that names its scheme stays as it is. */
export function withScheme(address: string): string {
  const text = address.trim();
  return text === '' || /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`;
}

/** An address as messages show it: what stands before an @, which may be a password, is left out. Pure. */
export const shownAddress = (address: string): string =>
  address.replace(/^(\s*[a-z][a-z0-9+.-]*:\/\/)?.*@/is, '$1***@');

/** Whether an address, `host` or `host:port` as a URL has them, is one that only this machine answers to. */
export function isLoopback(address: string): boolean {
  return /^(localhost|127(\.\d+){3}|\[::1\])(:\d+)?$/i.test(address);
}

/** A header that goes with every request, for a proxy or gateway that asks for one. Its value may be a secret: it is never kept. */
export interface RequestHeader {
  readonly name: string;
  readonly value: string;
}

/** Headers of the request itself: another value would break it. */
const ownHeaders: ReadonlySet<string> = new Set([
  ...['host', 'connection', 'content-length', 'content-type', 'content-encoding', 'transfer-encoding'],
  ...['te', 'trailer', 'upgrade', 'expect', 'keep-alive', 'inference-header-content-length'],
]);

/** What is wrong with a header, in words that never hold its value; null: nothing. */
export function headerProblem({ name, value }: RequestHeader): string | null {
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name))
    return 'A header is NAME: VALUE, with a name of letters, digits and "-"';
  if (ownHeaders.has(name.toLowerCase())) return `The header ${name} belongs to the request itself`;
  // Visible ASCII, as HTTP/1.1 and HTTP/2 both carry.
  return /^[\x20-\x7e]+$/.test(value)
    ? null
    : `The value of ${name} is empty or has characters that no header may have`;
}

/** How to speak TLS with a server. Files are PEM, on the machine that connects. */
export const tlsFilesSchema = z.strictObject({
  /** Authorities that the server's certificate must come from; absent: those that the system trusts. */
  caFile: z.string().min(1).optional(),
  /** The client's own certificate with its chain, and its key, where the server asks for them. */
  certFile: z.string().min(1).optional(),
  keyFile: z.string().min(1).optional(),
  /** Name that the server's certificate must bear, in place of the address's host. */
  serverName: z.string().min(1).optional(),
  /** The server's certificate is not checked; every result says so. */
  insecure: z.boolean().optional(),
});
export type TlsFiles = z.infer<typeof tlsFilesSchema>;

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

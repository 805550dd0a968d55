import { z } from 'zod';

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

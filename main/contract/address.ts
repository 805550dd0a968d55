import { z } from 'zod';
import { WorkbenchError } from './errors';

interface RemoteAddress {
  readonly http: string;
  readonly grpc: string;
  /** Both interfaces speak TLS. */
  readonly secure: boolean;
}

const httpsPort = 443;

const invalid = (message: string, remedy?: string) =>
  new WorkbenchError('input-invalid', message, { where: 'engine.url', remedy });

/** Throws input-invalid for what is more than scheme, host, port and query. */
function readUrl(url: string): URL {
  const parsed = urlOrNull(url);
  if (parsed === null) {
    throw invalid(
      `"${shownAddress(url)}" is not an http address`,
      'Give host and port, for example localhost:8000.',
    );
  }
  if (parsed.protocol !== 'https:' && parsed.protocol !== 'http:') {
    throw invalid(`${shownAddress(url)}: only http:// and https:// addresses can be used`);
  }
  const { username, password, pathname } = parsed;
  if (username !== '' || password !== '' || (pathname !== '/' && pathname !== '')) {
    throw invalid(`${shownAddress(url)}: give only host and port, as http://host:8000`);
  }
  return parsed;
}

/**
 * `host:port` or `http://host:port`, where port is that of Triton's HTTP service (8000 when absent). gRPC is taken to be the next
 * port, as Triton's defaults have it; `?grpcPort=N` says otherwise. `https://host` is port 443 for both: what ends TLS
 * there tells them apart.
 */
export function parseRemoteUrl(given: string): RemoteAddress {
  const url = withScheme(given);
  const parsed = readUrl(url);
  const secure = parsed.protocol === 'https:';
  // URL leaves out the default port of http.
  const named = /^http:\/\/[^/?#]*:80(?:[/?#]|$)/i.test(url) ? 80 : 8000;
  const port = parsed.port === '' ? (secure ? httpsPort : named) : Number(parsed.port);
  const next = secure && port === httpsPort ? httpsPort : port + 1;
  const grpcPort = Number(parsed.searchParams.get('grpcPort') ?? next);
  if (!Number.isInteger(grpcPort) || grpcPort < 1 || grpcPort > 65_535) {
    throw invalid(`${shownAddress(url)}: grpcPort is not a port`);
  }
  return { http: `${parsed.hostname}:${port}`, grpc: `${parsed.hostname}:${grpcPort}`, secure };
}

/** null for what is none. The Node of some Electron has no URL.canParse. */
export function urlOrNull(text: string, base?: URL): URL | null {
  try {
    return new URL(text, base);
  } catch {
    return null;
  }
}

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

/** Why a run takes no server whose certificate is not verified. */
export const unverifiedRefusal = {
  message: "The accuracy check always verifies the server's certificate",
  remedy: 'Set engine.tls.caFile to the CA of the certificate, or measure with perf only.',
} as const;

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

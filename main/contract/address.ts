import { z } from 'zod';
import { WorkbenchError } from './errors';

interface RemoteAddress {
  readonly http: string;
  readonly grpc: string;
  readonly secure: boolean;
}

const httpsPort = 443;

const invalid = (message: string, remedy?: string) =>
  new WorkbenchError('input-invalid', message, { where: 'engine.url', remedy });

/** Throws input-invalid for what is more than scheme, host, port and query. */
function readUrl(url: string): URL {
  const [, port] = /^https?:\/\/(\d+)\/?$/i.exec(url) ?? [];
  // A URL takes a number as an IPv4 address: 8020 would be 0.0.31.84.
  if (port !== undefined)
    throw invalid(`"${port}" has no host`, `Give host and port, for example localhost:${port}.`);
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

/** null where the text is not a URL. The Node of some Electron versions has no URL.canParse. */
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

/** An address as messages show it: credentials before an @ are left out. */
export const shownAddress = (address: string): string =>
  address.replace(/^(\s*[a-z][a-z0-9+.-]*:\/\/)?.*@/is, '$1***@');

export function isLoopback(address: string): boolean {
  return /^(localhost|127(\.\d+){3}|\[::1\])(:\d+)?$/i.test(address);
}

/** A header sent with every request, for a proxy or gateway. Its value may be a secret and is never stored. */
export interface RequestHeader {
  readonly name: string;
  readonly value: string;
}

const ownHeaders: ReadonlySet<string> = new Set([
  ...['host', 'connection', 'content-length', 'content-type', 'content-encoding', 'transfer-encoding'],
  ...['te', 'trailer', 'upgrade', 'expect', 'keep-alive', 'inference-header-content-length'],
]);

/** The problem of a header, in words that never hold its value; null: it is valid. */
export function headerProblem({ name, value }: RequestHeader): string | null {
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name))
    return 'A header is NAME: VALUE, with a name of letters, digits and "-"';
  if (ownHeaders.has(name.toLowerCase())) return `The header ${name} belongs to the request itself`;
  // Visible ASCII, as HTTP/1.1 and HTTP/2 both carry.
  return /^[\x20-\x7e]+$/.test(value)
    ? null
    : `The value of ${name} is empty or has characters that no header may have`;
}

/** Certificates of a run's server are always verified. */
export const unverifiedRefusal = {
  message: "The accuracy check always verifies the server's certificate",
  remedy: 'Set engine.tls.caFile to the CA of the certificate, or measure with perf only.',
} as const;

/** How to speak TLS with a server. Files are PEM, on the machine that connects. */
export const tlsFilesSchema = z.strictObject({
  /** Trusted authorities; absent: those of the system. */
  caFile: z.string().min(1).optional(),
  /** Client certificate with its chain, and its key, where the server asks for them. */
  certFile: z.string().min(1).optional(),
  keyFile: z.string().min(1).optional(),
  /** Expected name in the server's certificate; absent: the host of the address. */
  serverName: z.string().min(1).optional(),
  /** The server's certificate is not checked; every result says so. */
  insecure: z.boolean().optional(),
});
export type TlsFiles = z.infer<typeof tlsFilesSchema>;

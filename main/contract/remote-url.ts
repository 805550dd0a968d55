import { shownAddress, withScheme } from './address';
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
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch {
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

import { parseRemoteUrl, type RequestHeader, shownAddress, urlOrNull, withScheme } from '../contract/address';
import { invalidInput } from '../contract/errors';
import type { MonitorTarget } from '../contract/monitor/monitor';
import { type HostReach, seenMessage } from '../engine/docker-over-ssh/host-reach';
import { readTls, type TlsMaterial } from '../triton/tls';

/** Triton's default. */
const metricsPort = 8002;
const httpsPort = 443;

export interface MonitorAddress {
  /** `host:port`. */
  readonly http: string;
  readonly metrics: string;
  readonly metricsPath: string;
  /** null: no TLS. */
  readonly tls: TlsMaterial | null;
  readonly metricsTls: TlsMaterial | null;
  /** Sent with every request, also for metrics. */
  readonly headers: readonly RequestHeader[];
  /** Why the host was unreachable just now, or null. */
  readonly hostProblem: () => string | null;
  /** Replaces forwarded addresses by the user's. */
  readonly toPublicText: (message: string) => string;
}

/** Addresses without I/O. */
type ParsedTarget = Omit<
  MonitorAddress,
  'tls' | 'metricsTls' | 'headers' | 'hostProblem' | 'toPublicText'
> & {
  readonly secure: boolean;
  readonly metricsSecure: boolean;
};

/** Metrics default to port 8002, or HTTP port + 2 if HTTP is not at its default. Throws input-invalid. */
export function parseMonitorTarget(target: MonitorTarget): ParsedTarget {
  if (urlOrNull(withScheme(target.url)) === null) {
    throw invalidInput(
      'url',
      `"${shownAddress(target.url)}" is not an http address`,
      'For example http://localhost:8000',
    );
  }
  const { http, secure } = parseRemoteUrl(target.url);
  const colon = http.lastIndexOf(':');
  if (target.metricsUrl === '') {
    const port = Number(http.slice(colon + 1));
    // Triton's metrics have no TLS: behind 443 a proxy serves their path.
    const guessed = port === 8000 ? metricsPort : port === httpsPort ? httpsPort : port + 2;
    const metrics = `${http.slice(0, colon)}:${guessed}`;
    return { http, metrics, metricsPath: '/metrics', secure, metricsSecure: secure };
  }
  const url = urlOrNull(withScheme(target.metricsUrl));
  const metricsSecure = url?.protocol === 'https:';
  if ((url?.protocol !== 'http:' && !metricsSecure) || url.username !== '' || url.password !== '') {
    throw invalidInput(
      'metricsUrl',
      `"${shownAddress(target.metricsUrl)}" is not an http address`,
      'For example http://localhost:8002/metrics',
    );
  }
  return {
    http,
    metrics: `${url.hostname}:${url.port === '' ? (metricsSecure ? httpsPort : metricsPort) : url.port}`,
    metricsPath: url.pathname === '/' ? '/metrics' : url.pathname,
    secure,
    metricsSecure,
  };
}

const unreached = (host: string, problem: string | null): string | null =>
  problem === null ? null : `The host ${host} is not reachable: ${problem}`;

/** With TLS files read, and host addresses forwarded. Throws input-invalid, and as {@link HostReach.open}. */
export async function readMonitorTarget(
  target: MonitorTarget,
  headers: readonly RequestHeader[],
  reach: HostReach,
): Promise<MonitorAddress> {
  const { http, metrics, metricsPath, secure, metricsSecure } = parseMonitorTarget(target);
  const { host } = target;
  if (host !== undefined) {
    if (secure || metricsSecure) {
      throw invalidInput(
        'url',
        'Only http addresses of a host can be watched',
        'Use the address of Triton on that machine, for example http://127.0.0.1:8000. ssh encrypts the way there.',
      );
    }
    const here = { http: await reach.open(host, http), metrics: await reach.open(host, metrics) };
    return {
      metricsPath,
      headers,
      tls: null,
      metricsTls: null,
      ...here,
      toPublicText: (message) =>
        [
          { host, there: http, here: here.http },
          { host, there: metrics, here: here.metrics },
        ].reduce((text, seen) => (text.includes(seen.here) ? seenMessage(text, seen) : text), message),
      hostProblem: () => unreached(host, reach.problem(host, http)),
    };
  }
  const material = secure || metricsSecure ? await readTls(target.tls ?? {}) : null;
  return {
    http,
    metrics,
    metricsPath,
    tls: secure ? material : null,
    metricsTls: metricsSecure ? material : null,
    headers,
    hostProblem: () => null,
    toPublicText: (message) => message,
  };
}

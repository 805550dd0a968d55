import { parseRemoteUrl, type RequestHeader, shownAddress, urlOrNull, withScheme } from '../contract/address';
import { invalidInput } from '../contract/errors';
import type { MonitorTarget } from '../contract/monitor/monitor';
import { type HostReach, seenMessage } from '../engine/docker-over-ssh/host-reach';
import { readTls, type TlsMaterial } from '../triton/tls';

/** Triton's own default, which most servers keep. */
const metricsPort = 8002;
const httpsPort = 443;

export interface MonitorAddress {
  /** `host:port`. */
  readonly http: string;
  readonly metrics: string;
  readonly metricsPath: string;
  /** null: in the clear. */
  readonly tls: TlsMaterial | null;
  readonly metricsTls: TlsMaterial | null;
  /** Go with every request, that for the metrics too. */
  readonly headers: readonly RequestHeader[];
  /** Why its host was not reached just now; null: it was, and for a server that needs no host. */
  readonly hostProblem: () => string | null;
  /** What is said of the address, as people know it. */
  readonly toPublicText: (message: string) => string;
}

/** What the addresses say by themselves. */
type ParsedTarget = Omit<
  MonitorAddress,
  'tls' | 'metricsTls' | 'headers' | 'hostProblem' | 'toPublicText'
> & {
  readonly secure: boolean;
  readonly metricsSecure: boolean;
};

/**
 * Addresses of a target. Metrics are looked for at port 8002 of the same host, or two ports further where HTTP has not its
 * default port; a metrics URL says otherwise. Throws input-invalid.
 */
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
    // Triton's metrics have no TLS: behind 443 a proxy has them under their path.
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

/**
 * The addresses of a target, with the files of its TLS read; those that a host sees as they are reached from here. Throws
 * input-invalid, and as {@link HostReach.open}.
 */
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
      ...{ metricsPath, headers, tls: null, metricsTls: null, ...here },
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

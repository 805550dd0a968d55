import type { MonitorTarget } from '../contract/monitor';
import { WorkbenchError } from '../contract/errors';
import { parseRemoteUrl } from '../engine/remote/remote-url';

/** Triton's own default, which most servers keep. */
const metricsPort = 8002;

export interface MonitorAddress {
  /** `host:port`. */
  readonly http: string;
  readonly metrics: string;
  readonly metricsPath: string;
}

/** Node 18 has no URL.canParse. */
function readUrl(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}

/**
 * Addresses of a target. Metrics are looked for at port 8002 of the same host, or two ports further where HTTP has not its
 * default port; a metrics URL says otherwise. Throws input-invalid.
 */
export function parseMonitorTarget(target: MonitorTarget): MonitorAddress {
  if (readUrl(target.url) === null) {
    throw new WorkbenchError('input-invalid', `"${target.url}" is not an http address`, {
      where: 'url',
      remedy: 'For example http://localhost:8000',
    });
  }
  const { http } = parseRemoteUrl(target.url);
  const colon = http.lastIndexOf(':');
  if (target.metricsUrl === '') {
    const port = Number(http.slice(colon + 1));
    const guessed = port === 8000 ? metricsPort : port + 2;
    return { http, metrics: `${http.slice(0, colon)}:${guessed}`, metricsPath: '/metrics' };
  }
  const url = readUrl(target.metricsUrl);
  if (url?.protocol !== 'http:' || url.username !== '' || url.password !== '') {
    throw new WorkbenchError('input-invalid', `"${target.metricsUrl}" is not an http address`, {
      where: 'metricsUrl',
      remedy: 'For example http://localhost:8002/metrics',
    });
  }
  return {
    http,
    metrics: `${url.hostname}:${url.port === '' ? metricsPort : url.port}`,
    metricsPath: url.pathname === '/' ? '/metrics' : url.pathname,
  };
}

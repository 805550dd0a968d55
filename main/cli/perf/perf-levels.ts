import { isLoopback, shownAddress, withScheme } from '../../contract/address';
import { WorkbenchError } from '../../contract/errors';
import type { ServerLoad } from '../../contract/run/server-load';
import { readTlsOptions } from '../tls-options';
import type { PerfOptions } from './perf-options';

const invalid = (where: string, message: string, remedy?: string) =>
  new WorkbenchError('input-invalid', message, { where, remedy });

/** `NAME` or `NAME:weight`, any number of them, each once. Throws input-invalid. */
export function readModelNames(texts: readonly string[]): ServerLoad['models'][number][] {
  const models = texts.map((text) => {
    const [, name = '', weight = '1'] = /^(.+?)(?::([\d.]+))?$/.exec(text) ?? [];
    return { name, weight: Number(weight) };
  });
  for (const [index, { name, weight }] of models.entries()) {
    if (name === '' || !(weight > 0) || !Number.isFinite(weight)) {
      throw invalid(
        '--model',
        `"${texts[index] ?? ''}" is not of the form NAME or NAME:weight`,
        'For example --model resnet50 --model bert:2.',
      );
    }
    if (models.findIndex((other) => other.name === name) !== index) {
      throw invalid('--model', `Model ${name} is given twice`, `Give it a weight: --model ${name}:2.`);
    }
  }
  return models;
}

function httpUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw invalid(
    '--url',
    `"${shownAddress(text)}" is not an HTTP address`,
    'For example --url http://localhost:8000',
  );
}

/** gRPC speaks TLS when its address begins with grpcs://, or HTTP does. Throws input-invalid. */
export function readAddresses(options: PerfOptions): ServerLoad['addresses'] {
  const url = httpUrl(options.url);
  const secure = url.protocol === 'https:';
  const port = url.port === '' ? (secure ? '443' : '80') : url.port;
  const [, scheme, grpc = `${url.hostname}:8001`] =
    /^(?:(grpcs?|https?):\/\/)?(.+?)\/?$/.exec(options.grpcUrl ?? '') ?? [];
  if (options.allowRemoteLoad !== true) {
    refuseOtherMachine(url.hostname, '--url');
    refuseOtherMachine(grpc, '--grpc-url');
  }
  const grpcSecure = scheme === undefined ? secure : scheme.endsWith('s');
  const tls = readTlsOptions(options, secure || grpcSecure);
  return {
    http: `${url.hostname}:${port}`,
    grpc,
    httpTls: secure ? tls : null,
    grpcTls: grpcSecure ? tls : null,
    metrics: readMetricsAddress(options.metricsUrl, url),
  };
}

const metricsPort = 8002;

/** Two ports above HTTP, as Triton's defaults 8000 and 8002 are. Throws input-invalid. */
function readMetricsAddress(given: string | undefined, http: URL): ServerLoad['addresses']['metrics'] {
  const path = '/metrics';
  if (given === undefined) {
    const isGuessed = isLoopback(http.hostname) && http.protocol === 'http:' && http.port !== '';
    return isGuessed ? { address: `${http.hostname}:${Number(http.port) + 2}`, path } : null;
  }
  const text = withScheme(given);
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol !== 'http:') {
    throw invalid(
      '--metrics-url',
      `"${shownAddress(given)}" is not an HTTP address`,
      'For example --metrics-url http://localhost:8002/metrics',
    );
  }
  const port = url.port === '' ? metricsPort : url.port;
  return { address: `${url.hostname}:${port}`, path: url.pathname === '/' ? path : url.pathname };
}

function refuseOtherMachine(address: string, where: string): void {
  if (isLoopback(address)) return;
  const message = `${shownAddress(address)} is another machine and would receive the load`;
  throw invalid(where, message, 'To allow it, add --allow-remote-load.');
}

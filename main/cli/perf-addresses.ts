import { WorkbenchError } from '../contract/errors';
import type { TlsFiles } from '../contract/tls';
import type { PerfOptions } from './perf-options';
import { readTlsOptions } from './tls-options';

const loopback = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** Where the server is reached; `host:port` of both interfaces. */
export interface PerfAddresses {
  readonly http: string;
  readonly grpc: string;
  /** null: in the clear. */
  readonly httpTls: TlsFiles | null;
  readonly grpcTls: TlsFiles | null;
}

/** gRPC speaks TLS when its address begins with grpcs://, or HTTP does. Throws input-invalid. */
export function readAddresses(options: PerfOptions): PerfAddresses {
  const url = URL.canParse(options.url) ? new URL(options.url) : null;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw new WorkbenchError('input-invalid', `"${options.url}" is not an http address`, {
      where: '--url',
      remedy: 'For example --url http://localhost:8000',
    });
  }
  if (!loopback.test(url.hostname) && options.allowRemoteLoad !== true) {
    throw new WorkbenchError(
      'input-invalid',
      `${url.hostname} is another machine: the load would fall on it`,
      {
        where: '--url',
        remedy: 'If that is wanted, say --allow-remote-load.',
      },
    );
  }
  const secure = url.protocol === 'https:';
  const [, scheme, grpc = `${url.hostname}:8001`] =
    /^(?:(grpcs?|https?):\/\/)?(.+?)\/?$/.exec(options.grpcUrl ?? '') ?? [];
  const grpcSecure = scheme === undefined ? secure : scheme.endsWith('s');
  const tls = readTlsOptions(options, secure || grpcSecure);
  return {
    http: `${url.hostname}:${url.port === '' ? (secure ? '443' : '80') : url.port}`,
    grpc,
    httpTls: secure ? tls : null,
    grpcTls: grpcSecure ? tls : null,
  };
}

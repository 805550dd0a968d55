import { shownAddress } from '../contract/address';
import { WorkbenchError } from '../contract/errors';
import { isLoopback } from '../contract/loopback';
import type { ServerLoad } from '../core';
import type { PerfOptions } from './perf-options';
import { readTlsOptions } from './tls-options';

/** gRPC speaks TLS when its address begins with grpcs://, or HTTP does. Throws input-invalid. */
export function readAddresses(options: PerfOptions): ServerLoad['addresses'] {
  const url = URL.canParse(options.url) ? new URL(options.url) : null;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw new WorkbenchError('input-invalid', `"${shownAddress(options.url)}" is not an HTTP address`, {
      where: '--url',
      remedy: 'For example --url http://localhost:8000',
    });
  }
  const secure = url.protocol === 'https:';
  const [, scheme, grpc = `${url.hostname}:8001`] =
    /^(?:(grpcs?|https?):\/\/)?(.+?)\/?$/.exec(options.grpcUrl ?? '') ?? [];
  if (options.allowRemoteLoad !== true) {
    refuseOtherMachine(url.hostname, '--url');
    refuseOtherMachine(grpc, '--grpc-url');
  }
  const grpcSecure = scheme === undefined ? secure : scheme.endsWith('s');
  const tls = readTlsOptions(options, secure || grpcSecure);
  return {
    http: `${url.hostname}:${url.port === '' ? (secure ? '443' : '80') : url.port}`,
    grpc,
    httpTls: secure ? tls : null,
    grpcTls: grpcSecure ? tls : null,
  };
}

function refuseOtherMachine(address: string, where: string): void {
  if (isLoopback(address)) return;
  throw new WorkbenchError(
    'input-invalid',
    `${shownAddress(address)} is another machine and would receive the load`,
    {
      where,
      remedy: 'To allow it, add --allow-remote-load.',
    },
  );
}

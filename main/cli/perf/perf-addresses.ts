import { isLoopback, parseRemoteUrl, shownAddress, urlOrNull, withScheme } from '../../contract/address';
import { invalidInput, WorkbenchError } from '../../contract/errors';
import { type Protocol, protocols } from '../../contract/run/run-spec';
import type { ServerLoad } from '../../contract/run/server-load';
import { gatewayOf, namedProtocol } from '../../domain/run/gateway';
import { metricsBeside } from '../../domain/run/server-plan';
import { askPort } from '../../platform/port-protocol';
import { readTlsOptions, type TlsOptions } from '../field-options';

export interface AddressOptions extends TlsOptions {
  readonly url?: string;
  readonly grpcUrl?: string;
  readonly metricsUrl?: string;
  /** A gateway in front of the server. */
  readonly via?: string;
  /** Addresses are as seen from this host, so they cannot be probed from here. */
  readonly host?: string;
  readonly allowRemoteLoad?: boolean;
}

const defaultUrl = 'localhost:8000';
const grpcPort = 8001;
const metricsPort = 8002;

/** A server address, and which of HTTP and gRPC was derived from the other. */
interface GivenAddress {
  readonly url: string;
  /** Typed scheme; null without one. */
  readonly scheme: 'http' | 'grpc' | null;
}

/** `8000` and `:8000` mean localhost. */
function readUrl(text: string = defaultUrl): GivenAddress {
  const [, local] = /^:?(\d{1,5})$/.exec(text.trim()) ?? [];
  const address = local === undefined ? text.trim() : `localhost:${local}`;
  return { url: address, scheme: namedProtocol(address) };
}

/** The HTTP address beside gRPC: the previous port, or 443 where both share it. Only Triton's gRPC port has TLS. */
function besideGrpc(url: string): Pick<AddressOptions, 'url' | 'grpcUrl'> {
  const secure = /^grpcs:/i.test(url);
  const whole = withScheme(url.replace(/^grpcs?:/i, secure ? 'https:' : 'http:'));
  const { hostname, port, origin } = urlOrNull(whole) ?? {};
  if (hostname === undefined || origin === undefined) return { url: whole };
  if (secure && (port === '' || port === '443')) return { url: origin };
  const own = port === undefined || port === '' ? grpcPort : Number(port);
  return {
    url: `http://${hostname}:${own - 1}`,
    grpcUrl: `${secure ? 'grpcs' : 'grpc'}://${hostname}:${own}`,
  };
}

/** `url` is the HTTP address. gRPC uses TLS with grpcs://, or if HTTP does. Throws input-invalid. */
export function readAddresses(options: AddressOptions): ServerLoad['addresses'] {
  const server = parseRemoteUrl(options.url ?? defaultUrl);
  const { http, secure } = server;
  const [, scheme, grpc = server.grpc] =
    /^(?:(grpcs?|https?):\/\/)?(.+?)\/?$/.exec(options.grpcUrl ?? '') ?? [];
  if (options.allowRemoteLoad !== true) {
    refuseOtherMachine(http, '--url');
    refuseOtherMachine(grpc, '--grpc-url');
  }
  const grpcSecure = scheme === undefined ? secure : scheme.endsWith('s');
  const isViaSecure = /^(?:https|grpcs):/i.test(options.via ?? '');
  const tls = readTlsOptions(options, secure || grpcSecure || isViaSecure);
  return {
    http,
    grpc,
    httpTls: secure ? tls : null,
    grpcTls: grpcSecure ? tls : null,
    metrics: readMetricsAddress(options.metricsUrl, server),
  };
}

function readMetricsAddress(
  given: string | undefined,
  server: ReturnType<typeof parseRemoteUrl>,
): ServerLoad['addresses']['metrics'] {
  if (given === undefined) return metricsBeside(server);
  const text = withScheme(given);
  const url = urlOrNull(text);
  if (url?.protocol !== 'http:') {
    throw invalidInput(
      '--metrics-url',
      `"${shownAddress(given)}" is not an HTTP address`,
      'For example --metrics-url http://localhost:8002/metrics',
    );
  }
  const port = url.port === '' ? metricsPort : url.port;
  return { address: `${url.hostname}:${port}`, path: url.pathname === '/' ? '/metrics' : url.pathname };
}

function refuseOtherMachine(address: string, where: string): void {
  if (isLoopback(address)) return;
  const message = `${shownAddress(address)} is another machine and would receive the load`;
  throw invalidInput(where, message, 'To allow it, add --allow-remote-load.');
}

/** The protocol that the address of the gateway names, else HTTP; undefined without a gateway. */
export const protocolOfVia = ({ via }: AddressOptions): Protocol | undefined =>
  via === undefined ? undefined : (readUrl(via).scheme ?? 'http');

/** Throws input-invalid. @param measured the protocol of the load */
export function readVia(options: AddressOptions, measured: Protocol = 'http'): ServerLoad['via'] {
  if (options.via === undefined) return undefined;
  const { url } = readUrl(options.via);
  const isSecure = /^(?:https|grpcs):/i.test(url);
  const via = gatewayOf(url, measured, isSecure ? readTlsOptions(options, true) : {});
  if (options.allowRemoteLoad !== true) refuseOtherMachine(via.address, '--via');
  return via;
}

interface Resolved {
  readonly addresses: ServerLoad['addresses'];
  readonly protocol: Protocol | undefined;
}

const unreachable = (message: string, where: string, remedy: string) =>
  new WorkbenchError('server-unreachable', message, { where, remedy });

/** `url` is the gRPC address; HTTP is on the previous port. */
async function fromGrpc(options: AddressOptions, url: string, ask: typeof askPort): Promise<Resolved> {
  const addresses = readAddresses({ ...options, ...besideGrpc(url) });
  const { http, grpc, httpTls } = addresses;
  if (httpTls === null && options.host === undefined && (await ask(http)) !== 'http') {
    throw unreachable(
      `No HTTP at ${http}, the port before the gRPC address ${grpc}: the model’s metadata and statistics are read there`,
      '--url',
      `Give both addresses: --url HTTP_ADDRESS --grpc-url ${grpc}`,
    );
  }
  return { addresses, protocol: 'grpc' };
}

const notHttp = (url: string): WorkbenchError =>
  invalidInput(
    '--url',
    `${shownAddress(url)} is a gRPC address, but the measurement uses HTTP`,
    'Give the HTTP address (port 8000 by default), or measure with -i grpc.',
  );

/** The error if the derived gRPC port does not answer. */
function derivedMissing({ http, grpc }: ServerLoad['addresses']): WorkbenchError {
  return unreachable(
    `No gRPC at ${grpc}, the port after the HTTP address ${http}`,
    '--grpc-url',
    'Give the gRPC address with --grpc-url HOST:PORT, or measure over HTTP with -i http.',
  );
}

/** Whether HTTP answers and gRPC does not. Throws if HTTP does not answer either. */
const isMissing = async ({ http, grpc }: ServerLoad['addresses'], ask: typeof askPort): Promise<boolean> =>
  (await ask(grpc)) !== 'grpc' && (await ask(http)) === 'http';

const namesGrpc = ({ grpcUrl }: AddressOptions, url: string): boolean =>
  grpcUrl !== undefined || /[?&]grpcPort=/.test(url);

/**
 * Resolves address and protocol. A scheme decides; without one, the port is probed, because perf_analyzer's -u is the
 * gRPC address with -i grpc. Throws input-invalid and server-unreachable.
 * @param typed the requested protocol
 */
export async function resolveAddresses(
  options: AddressOptions,
  typed: unknown,
  say: (line: string) => void,
  ask: typeof askPort = askPort,
): Promise<Resolved> {
  const wanted = protocols.find((name) => name === typed);
  const { url, scheme } = readUrl(options.url);
  const isGrpcGiven = namesGrpc(options, url);
  const mayAsk = options.host === undefined && !isGrpcGiven;
  const spoken = scheme ?? (mayAsk ? await ask(readAddresses({ ...options, url }).http) : null);
  if (spoken === 'grpc') {
    if (wanted === 'http') throw notHttp(url);
    return fromGrpc(options, url, ask);
  }
  const addresses = readAddresses({ ...options, url });
  if (scheme === 'http' && wanted === undefined && !isGrpcGiven) return { addresses, protocol: 'http' };
  const isDerived = mayAsk && wanted !== 'http' && addresses.grpcTls === null;
  if (!isDerived || !(await isMissing(addresses, ask))) return { addresses, protocol: wanted };
  if (wanted === 'grpc') throw derivedMissing(addresses);
  say(`No gRPC at ${addresses.grpc}, the port after that of HTTP: measured over HTTP`);
  return { addresses, protocol: 'http' };
}

import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { TlsFiles } from '../contract/address';
import { WorkbenchError } from '../contract/errors';
import { addAliases } from './field-options';

/** How to speak TLS, where an address asks for it. */
export interface TlsOptions {
  readonly tlsCa?: string;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly tlsServerName?: string;
  readonly tlsInsecure?: boolean;
}

/** perf_analyzer has a name for HTTP and one for gRPC. */
const perfAnalyzerNames: Readonly<Record<string, readonly string[]>> = {
  '--tls-ca': ['--ssl-https-ca-certificates-file', '--ssl-grpc-root-certifications-file'],
  '--tls-cert': ['--ssl-https-client-certificate-file', '--ssl-grpc-certificate-chain-file'],
  '--tls-key': ['--ssl-https-private-key-file', '--ssl-grpc-private-key-file'],
};

export function addTlsOptions(command: Command): Command {
  command
    .optionsGroup('TLS:')
    .option('--tls-ca <file>', 'PEM file of the authorities of an https server. Default: the system’s.')
    .option('--tls-cert <file>', 'PEM file of the client certificate, with its chain.')
    .option('--tls-key <file>', 'PEM file of its key.')
    .option('--tls-server-name <name>', 'Name in the server’s certificate. Default: the host of the address.')
    .option('--tls-insecure', 'Accept any certificate; every result says so.');
  for (const [name, aliases] of Object.entries(perfAnalyzerNames)) {
    const option = command.options.find(({ long }) => long === name);
    if (option !== undefined) addAliases(command, option, aliases);
  }
  return command;
}

/** @param secure some address asks for TLS. Throws input-invalid where the options would have no effect. */
export function readTlsOptions(options: TlsOptions, secure: boolean): TlsFiles {
  const { tlsCa, tlsCert, tlsKey, tlsServerName, tlsInsecure = false } = options;
  const files: TlsFiles = {
    ...(tlsCa === undefined ? {} : { caFile: resolve(tlsCa) }),
    ...(tlsCert === undefined ? {} : { certFile: resolve(tlsCert) }),
    ...(tlsKey === undefined ? {} : { keyFile: resolve(tlsKey) }),
    ...(tlsServerName === undefined ? {} : { serverName: tlsServerName }),
    ...(tlsInsecure ? { insecure: true } : {}),
  };
  if (!secure && Object.keys(files).length > 0) {
    throw new WorkbenchError('input-invalid', 'TLS options are given, and no address asks for TLS', {
      where: '--url',
      remedy: 'Begin the address with https://.',
    });
  }
  return files;
}

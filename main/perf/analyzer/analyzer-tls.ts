import { WorkbenchError } from '../../contract/errors';
import type { TlsFiles } from '../../contract/tls';
import type { MeasureInput } from '../load-tool';

type TlsInput = Pick<MeasureInput, 'protocol' | 'httpTls' | 'grpcTls'>;

/** Of the interface that the level is sent to; null in the clear. */
export const analyzerTls = ({ protocol, httpTls, grpcTls }: TlsInput): TlsFiles | null =>
  (protocol === 'grpc' ? grpcTls : httpTls) ?? null;

const refused = (flag: string, message: string) =>
  new WorkbenchError('combination-unsupported', message, {
    where: flag,
    remedy: 'Measure with --load-tool native.',
  });

const given = (flag: string, value: string | undefined): string[] =>
  value === undefined ? [] : [flag, value];

/** perf_analyzer's flags. Throws combination-unsupported for what it has none for. */
export function tlsArguments(input: TlsInput): string[] {
  const tls = analyzerTls(input);
  if (tls === null) return [];
  const { caFile, certFile, keyFile, insecure = false } = tls;
  if (tls.serverName !== undefined && !insecure) {
    throw refused(
      '--tls-server-name',
      'perf_analyzer checks the certificate only against the host of the address',
    );
  }
  if (input.protocol === 'grpc') {
    if (insecure)
      throw refused('--tls-insecure', 'perf_analyzer always checks the certificate of a gRPC server');
    return [
      '--ssl-grpc-use-ssl',
      ...given('--ssl-grpc-root-certifications-file', caFile),
      ...given('--ssl-grpc-certificate-chain-file', certFile),
      ...given('--ssl-grpc-private-key-file', keyFile),
    ];
  }
  return [
    ...(insecure ? ['--ssl-https-verify-peer', '0', '--ssl-https-verify-host', '0'] : []),
    ...given('--ssl-https-ca-certificates-file', caFile),
    ...given('--ssl-https-client-certificate-file', certFile),
    ...given('--ssl-https-private-key-file', keyFile),
  ];
}

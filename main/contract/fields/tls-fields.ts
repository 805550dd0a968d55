import type { FieldRow, ValueAt } from './field';

const withTls = {
  text: 'an address that begins with https',
  holds: (valueAt: ValueAt) =>
    valueAt('engine.kind') === 'remote' && String(valueAt('engine.url')).startsWith('https:'),
};

const tls = (name: string, label: string, term: string, help: string, absent: string): FieldRow => ({
  path: `engine.tls.${name}`,
  label,
  term,
  help,
  absent,
  ...(name.endsWith('File') ? { pathKind: 'file' as const } : {}),
  decides: 'step',
  onlyWith: withTls,
});

/** Of a running Triton. */
export const tlsFields: readonly FieldRow[] = [
  tls(
    'caFile',
    'Server CA certificates',
    'ssl-https-ca-certificates-file',
    'PEM file of the certificate authorities that are trusted for the server’s certificate.',
    'the system’s',
  ),
  tls(
    'certFile',
    'Client certificate',
    'ssl-https-client-certificate-file',
    'PEM file with the certificate chain, if the server requests one.',
    'none',
  ),
  tls(
    'keyFile',
    'Client key',
    'ssl-https-private-key-file',
    'PEM file with the key of the client certificate.',
    'none',
  ),
  tls(
    'serverName',
    'Server name',
    'tls-server-name',
    'Name in the server’s certificate, if it differs from the host of the address.',
    'the host of the address',
  ),
  tls(
    'insecure',
    'Unverified certificate',
    'tls-insecure',
    'Accepts any certificate. Not available in a run, because its accuracy check verifies the certificate; perf and monitor have --tls-insecure.',
    'off',
  ),
];

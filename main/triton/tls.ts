import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import type { TlsFiles } from '../contract/address';
import { invalidInput, WorkbenchError } from '../contract/errors';
import { present } from '../contract/trees';

/** Contents of {@link TlsFiles}; structured-cloneable. */
export interface TlsMaterial {
  /** PEM; absent: system authorities. */
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  /** Expected certificate name; default: host. */
  readonly serverName?: string | undefined;
  /** Skip certificate verification. */
  readonly insecure: boolean;
}

const remedy = 'Give the path of a PEM file, which has lines such as "-----BEGIN CERTIFICATE-----".';

async function readPem(file: string | undefined, where: string): Promise<string | undefined> {
  if (file === undefined) return undefined;
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new WorkbenchError('input-invalid', `${file} cannot be read`, { where, remedy, cause });
  });
  if (text.includes('-----BEGIN ')) return text;
  throw new WorkbenchError('input-invalid', `${file} is not a PEM file`, { where, remedy });
}

/** null: no TLS. Throws input-invalid. */
export async function readTls(files: TlsFiles | null | undefined): Promise<TlsMaterial | null> {
  if (files === null || files === undefined) return null;
  if ((files.certFile === undefined) !== (files.keyFile === undefined)) {
    throw invalidInput(
      files.certFile === undefined ? 'certFile' : 'keyFile',
      'A client certificate needs its key, and a key needs its certificate',
      'Set both, or neither.',
    );
  }
  return {
    ca: await readPem(files.caFile, 'caFile'),
    cert: await readPem(files.certFile, 'certFile'),
    key: await readPem(files.keyFile, 'keyFile'),
    serverName: files.serverName,
    insecure: files.insecure ?? false,
  };
}

/** Remedy for {@link certificateTrouble}. */
export const certificateRemedy =
  'Give the authority of its certificate (--tls-ca), the name in it (--tls-server-name), or the client certificate that it asks for (--tls-cert, --tls-key).';

/** The handshake was answered without TLS, or not at all. */
export const isTlsRefused = (reason: string): boolean =>
  /wrong version number|packet length too long|before secure TLS connection/i.test(reason);

/** Certificate problem in words; null for other errors. */
export function certificateTrouble(error: Error): string | null {
  // OpenSSL's `reason` lacks file and line.
  const { code = '', reason = error.message } = error as NodeJS.ErrnoException & { reason?: unknown };
  // Verification codes of OpenSSL and Node, and the alert for a missing client certificate.
  return /CERT|ISSUER|UNABLE_TO_VERIFY/.test(code) ? `certificate not accepted: ${String(reason)}` : null;
}

/** For node:tls and node:https. */
export function tlsConnection(tls: TlsMaterial, host: string) {
  const { ca, cert, key } = tls;
  const name = tls.serverName ?? host;
  return {
    ...present({ ca, cert, key }),
    // RFC 6066 forbids addresses in SNI; the certificate is still checked.
    ...(isIP(name) === 0
      ? { servername: name }
      : {
          checkServerIdentity: (_host: string, certificate: PeerCertificate) =>
            checkServerIdentity(name, certificate),
        }),
    rejectUnauthorized: !tls.insecure,
  };
}

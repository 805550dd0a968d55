import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import type { TlsFiles } from '../contract/address';
import { invalidInput, WorkbenchError } from '../contract/errors';
import { present } from '../contract/trees';

/** What {@link TlsFiles} name, read; a plain value that crosses threads. */
export interface TlsMaterial {
  /** PEM; absent: the authorities that the system trusts. */
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  /** Name that the certificate must bear, in place of the host's. */
  readonly serverName?: string | undefined;
  /** The server's certificate is not looked at. */
  readonly insecure: boolean;
}

const remedy = 'Give the path of a PEM file, which has lines such as "-----BEGIN CERTIFICATE-----".';

async function readPem(file: string | undefined, where: string): Promise<string | undefined> {
  if (file === undefined) return undefined;
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new WorkbenchError('input-invalid', `${file} cannot be read`, { where, remedy, cause });
  });
  if (text.includes('-----BEGIN ')) return text;
  throw new WorkbenchError('input-invalid', `${file} holds nothing in PEM form`, { where, remedy });
}

/** null stays null: in the clear. Throws input-invalid. */
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

/** How to mend what {@link certificateTrouble} tells. */
export const certificateRemedy =
  'Give the authority of its certificate (--tls-ca), the name that it bears (--tls-server-name), or the client certificate that it asks for (--tls-cert, --tls-key).';

/** Of a handshake that was answered in the clear, or not at all. */
export const isTlsRefused = (reason: string): boolean =>
  /wrong version number|packet length too long|before secure TLS connection/i.test(reason);

/** What an error of a connection says of certificates, in words; null: it has to do with something else. */
export function certificateTrouble(error: Error): string | null {
  // OpenSSL's own errors have the words without file and line as `reason`.
  const { code = '', reason = error.message } = error as NodeJS.ErrnoException & { reason?: unknown };
  // Codes of OpenSSL's verification and of Node's own check, and the alert of a server that asks for a certificate.
  return /CERT|ISSUER|UNABLE_TO_VERIFY/.test(code) ? `certificate not accepted: ${String(reason)}` : null;
}

/** Options of node:tls and node:https. @param host that is connected to. */
export function tlsConnection(tls: TlsMaterial, host: string) {
  const { ca, cert, key } = tls;
  const name = tls.serverName ?? host;
  return {
    ...present({ ca, cert, key }),
    // RFC 6066: no address in the server name indication; it is checked all the same.
    ...(isIP(name) === 0
      ? { servername: name }
      : {
          checkServerIdentity: (_host: string, certificate: PeerCertificate) =>
            checkServerIdentity(name, certificate),
        }),
    rejectUnauthorized: !tls.insecure,
  };
}

import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const openssl = (...args: string[]) => promisify(execFile)('openssl', args);

export interface TestCertificates {
  /** PEM files. `ca` signed `server` and `client`; `otherCa` signed nothing. */
  readonly ca: string;
  readonly otherCa: string;
  readonly server: { readonly cert: string; readonly key: string };
  readonly client: { readonly cert: string; readonly key: string };
}

/** Name on the server's certificate. */
export const certifiedName = 'triton.test';

/** Makes an authority and what it signs, with the openssl program, valid for a day. @param names of the server. */
export async function createCertificates(
  dir: string,
  names = `DNS:${certifiedName}`,
): Promise<TestCertificates> {
  const at = (name: string) => join(dir, name);
  const authority = async (name: string) => {
    await openssl(
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
      ...['-keyout', at(`${name}.key`), '-out', at(`${name}.pem`), '-days', '1', '-subj', `/CN=${name}`],
    );
    return at(`${name}.pem`);
  };
  const signed = async (name: string, extensions: string) => {
    await openssl(
      ...['req', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
      ...['-keyout', at(`${name}.key`), '-out', at(`${name}.csr`), '-subj', `/CN=${name}`],
    );
    await writeFile(at(`${name}.ext`), extensions);
    await openssl(
      ...['x509', '-req', '-in', at(`${name}.csr`), '-CA', at('ca.pem'), '-CAkey', at('ca.key')],
      ...['-CAcreateserial', '-out', at(`${name}.pem`), '-days', '1', '-extfile', at(`${name}.ext`)],
    );
    return { cert: at(`${name}.pem`), key: at(`${name}.key`) };
  };
  const ca = await authority('ca');
  return {
    ca,
    otherCa: await authority('other'),
    server: await signed('server', `subjectAltName=${names}\n`),
    client: await signed('client', 'extendedKeyUsage=clientAuth\n'),
  };
}

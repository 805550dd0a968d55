import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { agreedHttpVersion } from '../../../../../main/perf/native/socket/alpn';
import { readTls, type TlsMaterial } from '../../../../../main/triton/tls';
import { certifiedName, createCertificates, type TestCertificates } from '../../../../support/certificates';
import { startTlsProxy } from '../../../../support/tls-proxy';

let dir: string;
let certificates: TestCertificates;
let tls: TlsMaterial;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'workbench-alpn-'));
  certificates = await createCertificates(dir);
  tls = (await readTls({ caFile: certificates.ca, serverName: certifiedName })) as TlsMaterial;
});
afterAll(async () => {
  await rm(dir, { recursive: true, force: true });
});

it.each([
  ['both', ['h2', 'http/1.1'], '2'],
  ['HTTP/1.1', ['http/1.1'], '1.1'],
  ['nothing', [], '1.1'],
])('a server that offers %s is spoken to in the version it chooses', async (_what, protocols, version) => {
  const proxy = await startTlsProxy('127.0.0.1:9', certificates, { protocols });
  try {
    const port = Number(proxy.address.split(':')[1]);
    const { signal } = new AbortController();
    expect(await agreedHttpVersion({ host: '127.0.0.1', port, tls }, signal)).toBe(version);
  } finally {
    await proxy.close();
  }
});

it('a server that does not answer is left to the load, which says why', async () => {
  const { signal } = new AbortController();
  expect(await agreedHttpVersion({ host: '127.0.0.1', port: 9, tls }, signal)).toBe('1.1');
});

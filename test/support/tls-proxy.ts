import { readFile } from 'node:fs/promises';
import { type AddressInfo, connect } from 'node:net';
import { createServer, type TLSSocket } from 'node:tls';
import type { TestCertificates } from './certificates';

export interface TlsProxy {
  /** `127.0.0.1:port`. */
  readonly address: string;
  /** Protocols agreed on by ALPN, one a connection; '' for none. */
  readonly agreed: readonly string[];
  close(): Promise<void>;
}

/** Ends TLS in front of `host:port` and passes the bytes on, as a load balancer does. */
export async function startTlsProxy(
  target: string,
  certificates: TestCertificates,
  options: { readonly protocols?: readonly string[]; readonly clientCertificates?: boolean } = {},
): Promise<TlsProxy> {
  const { protocols = ['h2', 'http/1.1'], clientCertificates = false } = options;
  const [host = '', port = ''] = target.split(':');
  const agreed: string[] = [];
  const open = new Set<TLSSocket>();
  const server = createServer(
    {
      cert: await readFile(certificates.server.cert),
      key: await readFile(certificates.server.key),
      ca: await readFile(certificates.ca),
      requestCert: clientCertificates,
      rejectUnauthorized: clientCertificates,
      ...(protocols.length === 0 ? {} : { ALPNProtocols: [...protocols] }),
    },
    (socket) => {
      agreed.push(socket.alpnProtocol === false || socket.alpnProtocol === null ? '' : socket.alpnProtocol);
      open.add(socket);
      const behind = connect(Number(port), host);
      const end = () => {
        open.delete(socket);
        socket.destroy();
        behind.destroy();
      };
      for (const side of [socket, behind]) {
        side.on('error', end);
        side.on('close', end);
      }
      socket.pipe(behind);
      behind.pipe(socket);
    },
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    agreed,
    close: async () => {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

import { connect } from 'node:tls';
import { tlsConnection, type TlsMaterial } from '../../../triton/tls';

/** Longer than a stall of the machine. */
const timeoutMs = 10_000;

/** What a server with TLS chooses of both versions. Where it does not answer, the load itself says why. */
export function agreedHttpVersion(
  { host, port, tls }: { readonly host: string; readonly port: number; readonly tls: TlsMaterial },
  signal: AbortSignal,
): Promise<'1.1' | '2'> {
  return new Promise((resolve) => {
    const socket = connect({
      ...{ host, port, signal, timeout: timeoutMs },
      ...tlsConnection(tls, host),
      ALPNProtocols: ['h2', 'http/1.1'],
    });
    const end = (version: '1.1' | '2') => {
      socket.destroy();
      resolve(version);
    };
    socket.once('secureConnect', () => end(socket.alpnProtocol === 'h2' ? '2' : '1.1'));
    socket.once('timeout', () => end('1.1'));
    socket.on('error', () => end('1.1'));
  });
}

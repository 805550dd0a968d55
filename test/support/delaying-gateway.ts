import { createServer, request as forward } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface DelayingGateway {
  /** `127.0.0.1:port`. */
  readonly address: string;
  close(): Promise<void>;
}

/** A fault on the way: passes requests on to `host:port` after a delay, and answers in chunks without a length. */
export async function startDelayingGateway(target: string, delayMs: number): Promise<DelayingGateway> {
  const [host = '', port = ''] = target.split(':');
  const server = createServer((request, response) => {
    const { method, url, headers } = request;
    const passed = forward({ host, port: Number(port), method, path: url, headers }, (answer) => {
      const own = { ...answer.headers };
      delete own['content-length'];
      response.writeHead(answer.statusCode ?? 502, own);
      answer.pipe(response);
    });
    passed.on('error', () => response.destroy());
    setTimeout(() => request.pipe(passed), delayMs);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

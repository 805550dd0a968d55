import { createServer as createHttpServer, request } from 'node:http';
import * as http2 from 'node:http2';
import type { AddressInfo, Server } from 'node:net';

export interface GuardedProxy {
  readonly httpAddress: string;
  readonly grpcAddress: string;
  /** Requests that had not the header. */
  refused(): number;
  stop(): Promise<void>;
}

const listen = async (server: Server): Promise<string> => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
};
const closed = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => {
      resolve();
    });
  });

/** A gateway before a Triton, as clouds have them: it passes on only what has this `authorization`, over both interfaces. */
export async function startGuardedProxy(
  triton: { readonly httpAddress: string; readonly grpcAddress: string },
  authorization: string,
): Promise<GuardedProxy> {
  let refused = 0;
  const plain = createHttpServer((incoming, answer) => {
    if (incoming.headers.authorization !== authorization) {
      refused += 1;
      incoming.resume();
      answer.writeHead(401, { 'content-length': 12 }).end('unauthorized');
      return;
    }
    const { method, url: path, headers } = incoming;
    const [host, port] = triton.httpAddress.split(':');
    const onward = request({ host, port, method, path, headers }, (reply) => {
      answer.writeHead(reply.statusCode ?? 502, reply.headers);
      reply.pipe(answer);
    });
    onward.on('error', () => answer.destroy());
    incoming.pipe(onward);
  });
  const upstream = http2.connect(`http://${triton.grpcAddress}`);
  upstream.on('error', () => undefined);
  const grpc = http2.createServer();
  const sessions = new Set<http2.ServerHttp2Session>();
  grpc.on('session', (session) => {
    sessions.add(session);
  });
  grpc.on('stream', (stream, headers) => {
    if (headers.authorization !== authorization) {
      refused += 1;
      stream.respond(
        {
          ':status': 200,
          'content-type': 'application/grpc',
          'grpc-status': '16',
          'grpc-message': 'unauthorized',
        },
        { endStream: true },
      );
      return;
    }
    const onward = upstream.request({ ...headers, ':authority': triton.grpcAddress });
    onward.on('response', (reply) => {
      stream.respond(reply, { waitForTrailers: true });
      onward.pipe(stream);
    });
    let trailers: http2.IncomingHttpHeaders = {};
    onward.on('trailers', (last: http2.IncomingHttpHeaders) => {
      trailers = last;
    });
    stream.on('wantTrailers', () => {
      stream.sendTrailers(trailers);
    });
    stream.on('error', () => {
      onward.close();
    });
    onward.on('error', () => {
      stream.close();
    });
    stream.pipe(onward);
  });
  const [httpAddress, grpcAddress] = [await listen(plain), await listen(grpc)];
  return {
    httpAddress,
    grpcAddress,
    refused: () => refused,
    stop: async () => {
      upstream.destroy();
      for (const session of sessions) session.destroy();
      plain.closeAllConnections();
      await Promise.all([closed(plain), closed(grpc)]);
    },
  };
}

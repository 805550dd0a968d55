import { constants, createServer, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { HostileSchedule, type Pace } from './hostile-schedule';
import { steeringText } from './hostile-texts';

const block = Buffer.alloc(2 ** 16);

/** Writes as fast as the other side reads. */
function pour(stream: ServerHttp2Stream): void {
  const on = (): void => {
    while (!stream.destroyed && stream.write(block));
  };
  stream.on('drain', on);
  on();
}

/** Head of a gRPC message of so many bytes. */
function head(bytes: number): Buffer {
  const made = Buffer.alloc(5);
  made.writeUInt32BE(bytes, 1);
  return made;
}

const fields = { ':status': 200, 'content-type': 'application/grpc' };

const ways: Readonly<Record<string, (stream: ServerHttp2Stream) => void>> = {
  'a message of 4 GiB': (stream) => {
    stream.respond(fields);
    stream.write(head(2 ** 32 - 1));
    pour(stream);
  },
  'a message of 4 GiB, then silence': (stream) => {
    stream.respond(fields);
    stream.write(head(2 ** 32 - 1));
  },
  'a message of 60 MiB, again and again': (stream) => {
    stream.respond(fields);
    stream.write(head(60 * 2 ** 20));
    pour(stream);
  },
  'messages without end': (stream) => {
    stream.respond(fields);
    pour(stream);
  },
  'a message that is no answer': (stream) => {
    stream.respond(fields, { waitForTrailers: true });
    stream.once('wantTrailers', () => {
      stream.sendTrailers({ 'grpc-status': '0' });
    });
    stream.end(Buffer.concat([head(1000), Buffer.alloc(1000, 0xff)]));
  },
  'a reason that steers': (stream) => {
    const message = encodeURIComponent(Array.from({ length: 20 }, (_u, at) => steeringText(at)).join(' '));
    stream.respond({ ...fields, 'grpc-status': '13', 'grpc-message': message }, { endStream: true });
  },
  'fields without end': (stream) => {
    const many = Array.from({ length: 300 }, (_unused, at): [string, string] => [`x-${at}`, 'y'.repeat(100)]);
    stream.respond({ ...fields, ...Object.fromEntries(many) }, { endStream: true });
  },
  silence: () => undefined,
  reset: (stream) => {
    stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  },
  'gone away': (stream) => {
    stream.session?.goaway(constants.NGHTTP2_ENHANCE_YOUR_CALM, 0, Buffer.from(steeringText(0)));
  },
  'closed at once': (stream) => {
    stream.session?.destroy();
  },
  'pings without end': (stream) => {
    const { session } = stream;
    const timer = setInterval(() => {
      for (let count = 0; count < 8 && session?.destroyed === false; count += 1)
        session.ping(() => undefined);
    }, 5);
    session?.once('close', () => {
      clearInterval(timer);
    });
  },
};

const noHttp2 = 'bytes that are no HTTP/2';

/** The gRPC port of the hostile server: no request is answered as it should be. */
export async function startHostileGrpc(options: {
  readonly random: () => number;
  readonly pace: Pace;
  readonly onAnswer: (what: string) => void;
}): Promise<{ readonly port: number }> {
  const { random, pace } = options;
  const names = [...Object.keys(ways), noHttp2];
  const schedule = new HostileSchedule(names, { choice: 'silence', share: 0 }, pace, random);
  const server = createServer();
  server.prependListener('connection', (socket: { end(data: Buffer): void }) => {
    if (schedule.now(performance.now()) !== noHttp2) return;
    options.onAnswer(`gRPC: ${noHttp2}`);
    socket.end(Buffer.concat([Buffer.from(steeringText(0)), block]));
  });
  server.on('sessionError', () => undefined);
  server.on('session', (session) => {
    session.on('error', () => undefined);
  });
  server.on('stream', (stream) => {
    stream.on('error', () => undefined);
    stream.resume();
    const name = schedule.now(performance.now());
    options.onAnswer(`gRPC: ${name}`);
    ways[name]?.(stream);
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return { port: (server.address() as AddressInfo).port };
}

import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { steeringText } from './hostile-texts';

/** Bytes that an answer without an end has at most. */
const tenGigabytes = 10e9;
const block = Buffer.alloc(2 ** 18, '[{"name":"a"},');

/** Writes as fast as the other side reads, until it has had enough. */
function pour(response: ServerResponse): void {
  let left = tenGigabytes;
  const on = (): void => {
    while (left > 0 && !response.destroyed) {
      left -= block.length;
      if (!response.write(block)) return;
    }
    response.end();
  };
  response.on('drain', on);
  on();
}

/** One piece after the other, `everyMs` apart, for as long as somebody listens. */
function drip(response: ServerResponse, pieces: () => string | Buffer, everyMs: number): void {
  const { socket } = response;
  if (socket === null) return;
  const timer = setInterval(() => {
    // Who does not read what it is sent gets no more.
    if (socket.writableLength < 2 ** 20) socket.write(pieces());
  }, everyMs);
  socket.once('close', () => {
    clearInterval(timer);
  });
}

let compressed: Buffer | null = null;
/** Ten gigabytes of blanks in as many megabytes. */
const bomb = (): Buffer => {
  const part = () => gzipSync(Buffer.alloc(2 ** 26, ' '));
  compressed ??= Buffer.concat(Array<Buffer>(150).fill(part()));
  return compressed;
};

/** Ways to send no whole answer, of any question. */
export const hostileWays: Readonly<Record<string, (response: ServerResponse) => void>> = {
  '10 GB without an end': (response) => {
    response.writeHead(200);
    pour(response);
  },
  '10 GB, announced': (response) => {
    response.writeHead(200, { 'Content-Length': tenGigabytes });
    pour(response);
  },
  '10 GB announced, then silence': (response) => {
    response.writeHead(200, { 'Content-Length': tenGigabytes });
    response.write('[');
  },
  '10 GB in 10 MB': (response) => {
    const body = bomb();
    response.writeHead(200, { 'Content-Encoding': 'gzip', 'Content-Length': body.length });
    response.end(body);
  },
  silence: () => undefined,
  'a head byte by byte': (response) => {
    response.socket?.write('HTTP/1.1 200 OK\r\nX-Slow: ');
    drip(response, () => 'x', 50);
  },
  'a body byte by byte': (response) => {
    response.writeHead(200);
    response.flushHeaders();
    drip(response, () => '1\r\n \r\n', 50);
  },
  'a head without an end': (response) => {
    response.socket?.write('HTTP/1.1 200 OK\r\n');
    drip(response, () => `X-Long: ${'x'.repeat(8000)}\r\n`, 5);
  },
  'hints without an end': (response) => {
    drip(response, () => 'HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n'.repeat(100), 5);
  },
  'closed at once': (response) => {
    response.socket?.end();
  },
  reset: (response) => {
    response.socket?.resetAndDestroy();
  },
  'cut off in the head': (response) => {
    response.socket?.end('HTTP/1.1 200 O');
  },
  'cut off in the body': (response) => {
    response.socket?.end('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n[');
  },
  'no HTTP': (response) => {
    response.socket?.end(Buffer.concat([Buffer.from(steeringText(0)), block]));
  },
  'a status that steers': (response) => {
    response.socket?.end(
      `HTTP/1.1 500 ${steeringText(0)}\r\nX: ${steeringText(1)}\r\nContent-Length: 0\r\n\r\n`,
    );
  },
  'a redirect to itself': (response) => {
    response.writeHead(307, { Location: response.req.url ?? '/' });
    response.end();
  },
};

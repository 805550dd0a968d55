import { createServer as createHttp2Server, type Http2Server } from 'node:http2';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { GrpcMessageSplitter } from '../../../../../main/perf/native/grpc/message-reader';
import {
  encodeBytesField,
  encodeStringField,
  encodeVarint,
} from '../../../../../main/perf/native/grpc/protobuf';
import { GrpcTransport } from '../../../../../main/perf/native/grpc/transport';
import { HttpTransport } from '../../../../../main/perf/native/http1/transport';
import {
  largestReplyBytes,
  type LoadJob,
  replyLimitBytes,
} from '../../../../../main/perf/native/seam/load-job';
import type { Transport, TransportEvents } from '../../../../../main/perf/native/seam/transport';
import { ReceiveBuffer } from '../../../../../main/perf/native/socket/socket';

const mebibyte = 2 ** 20;
let server: Server | Http2Server | null = null;
let transport: Transport | null = null;

afterEach(async () => {
  transport?.close();
  const open = server;
  server = null;
  transport = null;
  if (open !== null) await new Promise((resolve) => open.close(resolve));
});

const declares = (shape: readonly number[], datatype = 'FP32'): NonNullable<LoadJob['outputChecks']> => ({
  outputs: [{ name: 'OUTPUT', datatype, shape }],
  finite: false,
  expected: [],
});

const jobOf = (more: Partial<LoadJob> & Pick<LoadJob, 'port' | 'protocol'>): LoadJob => ({
  host: '127.0.0.1',
  modelName: 'm',
  modelVersion: '1',
  tensors: [{ name: 'X', datatype: 'UINT8', shape: [4], samples: [Buffer.alloc(4)] }],
  batchSize: 1,
  batched: false,
  schedule: null,
  shared: null,
  outputChecks: declares([2]),
  sequences: null,
  streaming: false,
  tls: null,
  concurrency: 1,
  warmupMs: 0,
  mode: 'time_windows',
  intervalMs: 1000,
  requestCount: 1,
  ...more,
});

async function listen(opened: Server | Http2Server): Promise<number> {
  server = opened;
  await new Promise<void>((resolve) => opened.listen(0, '127.0.0.1', resolve));
  return (opened.address() as AddressInfo).port;
}

/** What becomes of each of so many requests, one after the other. */
function outcomes(make: (events: TransportEvents) => Transport, requests: number): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const seen: string[] = [];
    const next = (outcome: string) => {
      seen.push(outcome);
      if (seen.length === requests) resolve(seen);
      else transport?.start(0);
    };
    transport = make({
      success: () => {
        next('success');
      },
      failure: (_slot, kind, message) => {
        next(`${kind}: ${message}`);
      },
      fatal: reject,
    });
    transport.start(0);
  });
}

const tooLarge = (announced: string) =>
  `reply too large: the server announces a reply of ${announced} bytes; at most 67,108,864 bytes are read for ` +
  'what the model declares as its outputs';

/** A ModelInferResponse with one output of two elements. */
const tensor = Buffer.concat([
  encodeStringField(1, 'OUTPUT'),
  encodeStringField(2, 'FP32'),
  encodeBytesField(3, encodeVarint(2)),
]);
const response = Buffer.concat([encodeBytesField(5, tensor), encodeBytesField(6, Buffer.alloc(8))]);
const framed = (body: Buffer, announcedBytes = body.length): Buffer => {
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(announcedBytes, 1);
  return Buffer.concat([prefix, body]);
};

describe('a reply that is announced as too long is the failure of its request alone', () => {
  it('over HTTP', async () => {
    const json = JSON.stringify({
      model_name: 'm',
      model_version: '1',
      outputs: [{ name: 'OUTPUT', datatype: 'FP32', shape: [2], parameters: { binary_data_size: 8 } }],
    });
    let asked = 0;
    const port = await listen(
      createServer((socket) => {
        socket.on('error', () => undefined);
        socket.on('data', () => {
          asked += 1;
          const bytes = asked === 2 ? 10_000_000_000 : json.length + 8;
          const head = `HTTP/1.1 200 OK\r\nInference-Header-Content-Length: ${json.length}\r\nContent-Length: ${bytes}\r\n\r\n`;
          socket.write(Buffer.concat([Buffer.from(head + json), Buffer.alloc(8)]));
        });
      }),
    );
    const seen = await outcomes((events) => new HttpTransport(jobOf({ port, protocol: 'http' }), events), 4);
    expect(seen).toEqual(['success', tooLarge('10,000,000,000'), 'success', 'success']);
  });

  it.each([
    ['a call', false, response],
    [
      'a stream',
      true,
      encodeBytesField(
        2,
        Buffer.concat([
          encodeBytesField(
            4,
            Buffer.concat([
              encodeStringField(1, 'triton_final_response'),
              encodeBytesField(2, Buffer.from([8, 1])),
            ]),
          ),
          response,
        ]),
      ),
    ],
  ])('over gRPC: %s', async (_what, streaming, body) => {
    let asked = 0;
    let connections = 0;
    const opened = createHttp2Server();
    opened.on('session', () => (connections += 1));
    opened.on('stream', (stream) => {
      stream.on('error', () => undefined);
      const answer = () => {
        asked += 1;
        if (asked === 2) stream.write(framed(body, 3_000_000_000));
        else if (streaming) stream.write(framed(body));
        else stream.end(framed(body));
      };
      stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
      stream.on('wantTrailers', () => {
        stream.sendTrailers({ 'grpc-status': '0' });
      });
      if (streaming) stream.on('data', answer);
      else stream.on('end', answer).resume();
    });
    const port = await listen(opened);
    const seen = await outcomes(
      (events) => new GrpcTransport(jobOf({ port, protocol: 'grpc', streaming }), events),
      4,
    );
    expect(seen).toEqual(['success', tooLarge('3,000,000,000'), 'success', 'success']);
    expect(connections).toBe(1);
  });
});

describe('the limit of a reply', () => {
  const limit = (checks: LoadJob['outputChecks'], batchSize = 1, batched = false) =>
    replyLimitBytes({ outputChecks: checks, batchSize, batched });

  it('is twice what the model declares, with room for every error reply', () => {
    expect(limit(declares([1000]))).toBe(64 * mebibyte);
    expect(limit(declares([100, 2 ** 20]))).toBe(800 * mebibyte);
    expect(limit(declares([-1, 2 ** 20]), 100, true)).toBe(800 * mebibyte);
  });

  it('is 1 GiB where that has no size', () => {
    expect(limit(null)).toBe(largestReplyBytes);
    expect(limit(declares([-1]))).toBe(largestReplyBytes);
    expect(limit(declares([2], 'BYTES'))).toBe(largestReplyBytes);
    expect(limit({ ...declares([-1, 4]), anyBatch: true }, 1, true)).toBe(largestReplyBytes);
  });
});

describe('memory for what is announced', () => {
  const heldBytes = () => process.memoryUsage().arrayBuffers;

  it('is not reserved before it comes', () => {
    const before = heldBytes();
    const gathered = new ReceiveBuffer();
    gathered.add(Buffer.alloc(100), 0, 100, 1_000_000_000);
    expect(gathered.room(1_000_000_000)?.length).toBeLessThanOrEqual(64 * mebibyte);
    const splitter = new GrpcMessageSplitter();
    const first = framed(Buffer.alloc(100), 1_000_000_000);
    splitter.push(first, 0, first.length, () => undefined);
    expect(heldBytes() - before).toBeLessThan(200 * mebibyte);
  });

  it('grows with it, and nothing of it is lost', () => {
    const whole = Buffer.alloc(100 * mebibyte);
    for (let at = 0; at < whole.length; at += 4096) whole.writeUInt32LE(at, at);
    const gathered = new ReceiveBuffer();
    gathered.add(whole, 0, 1000, whole.length);
    while (gathered.length < whole.length) {
      const room = gathered.room(whole.length - gathered.length);
      const length = Math.min(mebibyte, room?.length ?? mebibyte, whole.length - gathered.length);
      const from = gathered.length;
      if (room === null) gathered.add(whole, from, from + length, whole.length);
      else {
        whole.copy(room, 0, from, from + length);
        gathered.add(room, 0, length, whole.length);
      }
    }
    expect(gathered.bytes.equals(whole)).toBe(true);

    const seen: boolean[] = [];
    const splitter = new GrpcMessageSplitter();
    const wire = framed(whole);
    for (let at = 0; at < wire.length; at += mebibyte) {
      splitter.push(wire, at, Math.min(wire.length, at + mebibyte), (buffer, start, end) => {
        seen.push(buffer.subarray(start, end).equals(whole));
      });
    }
    expect(seen).toEqual([true]);
  });
});

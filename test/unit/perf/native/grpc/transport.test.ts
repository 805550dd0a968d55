import { constants, createServer, type Http2Server, type ServerHttp2Stream, type Settings } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { WorkbenchError } from '../../../../../main/contract/errors';
import {
  encodeBytesField,
  encodeStringField,
  encodeVarint,
} from '../../../../../main/perf/native/grpc/protobuf';
import { GrpcTransport } from '../../../../../main/perf/native/grpc/transport';
import type { LoadJob } from '../../../../../main/perf/native/seam/load-job';

/** The other side is Node's own HTTP/2 (nghttp2): an implementation that shares nothing with ours. */
let server: Http2Server | null = null;
let transport: GrpcTransport | null = null;

afterEach(async () => {
  transport?.close();
  const open = server;
  server = null;
  transport = null;
  if (open !== null) await new Promise((resolve) => open.close(resolve));
});

/** @param sent elements in the contents, which the shape may belie. */
const messageOf = (elements: number, sent = elements): Buffer => {
  const tensor = Buffer.concat([
    encodeStringField(1, 'OUTPUT'),
    encodeStringField(2, 'FP32'),
    encodeBytesField(3, encodeVarint(elements)),
  ]);
  const body = Buffer.concat([encodeBytesField(5, tensor), encodeBytesField(6, Buffer.alloc(4 * sent))]);
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(body.length, 1);
  return Buffer.concat([prefix, body]);
};
const message = messageOf(2000);

type Answer = (stream: ServerHttp2Stream, received: Buffer, count: number) => void;

const succeed = (
  stream: ServerHttp2Stream,
  trailers: Readonly<Record<string, string>> = {},
  reply: Buffer = message,
) => {
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
  stream.on('wantTrailers', () => {
    stream.sendTrailers({ 'grpc-status': '0', ...trailers });
  });
  stream.end(reply);
};

async function serve(answer: Answer, settings: Settings = {}): Promise<number> {
  let count = 0;
  server = createServer({ settings });
  server.on('stream', (stream, headers) => {
    const parts: Buffer[] = [];
    stream.on('error', () => undefined);
    stream.on('data', (part: Buffer) => parts.push(part));
    stream.on('end', () => {
      expect(headers[':path']).toBe('/inference.GRPCInferenceService/ModelInfer');
      expect(headers['te']).toBe('trailers');
      expect(headers['content-type']).toBe('application/grpc');
      answer(stream, Buffer.concat(parts), (count += 1));
    });
  });
  const listening = server;
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  return (listening.address() as AddressInfo).port;
}

interface Outcome {
  readonly successes: number;
  readonly failures: readonly { readonly kind: string; readonly message: string }[];
  readonly fatal: WorkbenchError | null;
}

/** Sends until `requests` have ended, over `concurrency` slots. */
function drive(
  port: number,
  requests: number,
  options: { concurrency?: number; bytes?: number; outputChecks?: LoadJob['outputChecks'] } = {},
) {
  const { concurrency = 1, bytes = 64, outputChecks = null } = options;
  const job: LoadJob = {
    host: '127.0.0.1',
    port,
    protocol: 'grpc',
    modelName: 'm',
    modelVersion: '1',
    tensors: [{ name: 'X', datatype: 'UINT8', shape: [bytes], samples: [Buffer.alloc(bytes, 3)] }],
    batchSize: 1,
    batched: false,
    schedule: null,
    shared: null,
    outputChecks,
    sequences: null,
    streaming: false,
    tls: null,
    concurrency,
    warmupMs: 0,
    mode: 'time_windows',
    intervalMs: 1000,
    requestCount: 1,
  };
  return new Promise<Outcome>((resolve) => {
    let successes = 0;
    const failures: { kind: string; message: string }[] = [];
    let started = 0;
    const next = (slot: number) => {
      if (started < requests) {
        started += 1;
        transport?.start(slot);
      } else if (successes + failures.length === requests) {
        resolve({ successes, failures, fatal: null });
      }
    };
    transport = new GrpcTransport(job, {
      success: (slot, startUs, endUs, sendUs, recvUs) => {
        expect(endUs - startUs).toBeGreaterThanOrEqual(sendUs + recvUs);
        successes += 1;
        next(slot);
      },
      failure: (slot, kind, text) => {
        failures.push({ kind, message: text });
        next(slot);
      },
      fatal: (fatal) => {
        resolve({ successes, failures, fatal });
      },
    });
    for (let slot = 0; slot < concurrency; slot += 1) next(slot);
  });
}

describe('gRPC over our own HTTP/2', () => {
  it('is understood by another implementation, on several connections', async () => {
    const port = await serve((stream) => {
      succeed(stream);
    });
    expect(await drive(port, 200, { concurrency: 14 })).toEqual({
      successes: 200,
      failures: [],
      fatal: null,
    });
  });

  it.each([
    { bytes: 64, connections: 3 },
    { bytes: 256 * 1024 - 1, connections: 3 },
    { bytes: 256 * 1024, connections: 14 },
  ])(
    'sends 14 requests of $bytes bytes at once over $connections connections',
    async ({ bytes, connections }) => {
      const sessions = new Set<unknown>();
      const port = await serve((stream) => {
        sessions.add(stream.session);
        succeed(stream);
      });
      expect(await drive(port, 56, { concurrency: 14, bytes })).toEqual({
        successes: 56,
        failures: [],
        fatal: null,
      });
      expect(sessions.size).toBe(connections);
    },
  );

  it('keeps the header table in step, whatever the trailers hold', async () => {
    const port = await serve((stream, _received, count) => {
      succeed(stream, { 'x-note': `${'n'.repeat((count * 97) % 900)} ${count % 7}`, 'x-sign': '~{}|' });
    });
    expect(await drive(port, 300, { concurrency: 3 })).toMatchObject({ successes: 300, failures: [] });
  });

  it('waits for small windows and sends every byte', async () => {
    const sizes = new Set<number>();
    const port = await serve(
      (stream, received) => {
        sizes.add(received.length);
        expect(received.subarray(-1000).every((byte) => byte === 3)).toBe(true);
        succeed(stream);
      },
      { initialWindowSize: 1000, maxFrameSize: 16_384 },
    );
    const outcome = await drive(port, 12, { concurrency: 4, bytes: 200_000 });
    expect(outcome).toEqual({ successes: 12, failures: [], fatal: null });
    expect(sizes.size).toBe(1);
    expect([...sizes][0]).toBeGreaterThan(200_000);
  });

  it('lets the server begin with 64 KiB of an answer, and then send all of it', async () => {
    const windows = new Set<number | undefined>();
    const port = await serve((stream) => {
      windows.add(stream.session?.remoteSettings.initialWindowSize);
      succeed(stream, {}, messageOf(100_000));
    });
    expect(await drive(port, 12, { concurrency: 8 })).toEqual({ successes: 12, failures: [], fatal: null });
    expect([...windows]).toEqual([65_535]);
  });

  it('looks at the values of large answers, and at the form of all', async () => {
    const port = await serve((stream, _received, count) => {
      succeed(stream, {}, messageOf(100_000, count === 15 ? 99_999 : 100_000));
    });
    const outputs = [{ name: 'OUTPUT', datatype: 'FP32', shape: [100_000] }];
    const zeros = {
      name: 'OUTPUT',
      datatype: 'FP32' as const,
      shape: [100_000],
      samples: [Buffer.alloc(400_000)],
    };
    const checked = { outputs, finite: true, anyBatch: false, expected: [zeros] };
    const outcome = await drive(port, 30, { concurrency: 2, outputChecks: checked });
    expect(outcome.successes).toBe(29);
    expect(outcome.failures).toEqual([
      { kind: 'bad response', message: 'output 0 has 399996 bytes where its shape and type make 400000' },
    ]);
    const counts = transport?.outputs;
    expect(counts?.wrong).toBe(0);
    expect(counts?.compared).toBe(counts?.checked);
    expect(counts?.checked).toBeGreaterThan(0);
  });

  it('a large answer that is given up while the rest is read in few pieces is not waited for in vain', async () => {
    const port = await serve((stream) => {
      stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
      stream.write(messageOf(2 ** 20).subarray(0, 2.3 * 2 ** 20), () => {
        setTimeout(() => {
          stream.close(constants.NGHTTP2_CANCEL);
        }, 30);
      });
    });
    const message = 'the server reset the stream with HTTP/2 error 8';
    const failures = Array.from({ length: 3 }, () => ({ kind: 'stream reset', message }));
    expect(await drive(port, 3)).toEqual({ successes: 0, failures, fatal: null });
  });

  it('answers what is asked in the midst of a large answer', async () => {
    const port = await serve((stream) => {
      const large = messageOf(2 ** 20);
      stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
      stream.on('wantTrailers', () => {
        stream.sendTrailers({ 'grpc-status': '0' });
      });
      stream.write(large.subarray(0, 2.3 * 2 ** 20), () => {
        stream.session?.ping(() => {
          stream.end(large.subarray(2.3 * 2 ** 20));
        });
      });
    });
    expect(await drive(port, 3)).toEqual({ successes: 3, failures: [], fatal: null });
  });

  it('does without the header table where the server has none', async () => {
    const port = await serve(
      (stream) => {
        succeed(stream);
      },
      { headerTableSize: 0 },
    );
    expect(await drive(port, 20)).toMatchObject({ successes: 20, failures: [] });
  });

  it("counts statuses by name, with the server's words", async () => {
    const port = await serve((stream) => {
      stream.respond(
        {
          ':status': 200,
          'content-type': 'application/grpc',
          'grpc-status': '8',
          'grpc-message': 'queue%20full',
        },
        { endStream: true },
      );
    });
    const { failures } = await drive(port, 3);
    expect(failures).toEqual(Array(3).fill({ kind: 'RESOURCE_EXHAUSTED', message: 'queue full' }));
  });

  it('does not take an empty answer for a success', async () => {
    const port = await serve((stream) => {
      stream.respond({ ':status': 200 }, { waitForTrailers: true });
      stream.on('wantTrailers', () => {
        stream.sendTrailers({ 'grpc-status': '0' });
      });
      stream.end();
    });
    expect((await drive(port, 1)).failures[0]?.kind).toBe('bad response');
  });

  it('goes on after a reset stream', async () => {
    const port = await serve((stream, _received, count) => {
      if (count === 2) stream.close(11);
      else succeed(stream);
    });
    const { successes, failures } = await drive(port, 5);
    expect(successes).toBe(4);
    expect(failures).toMatchObject([{ kind: 'stream reset' }]);
  });

  it('answers pings', async () => {
    let pings = 0;
    const port = await serve((stream) => {
      stream.session?.ping(Buffer.from('01234567'), (error) => {
        if (error === null) pings += 1;
        succeed(stream);
      });
    });
    expect((await drive(port, 3)).successes).toBe(3);
    expect(pings).toBe(3);
  });

  it('changes to a new connection when the server says goodbye', async () => {
    const port = await serve((stream, _received, count) => {
      if (count === 3) stream.session?.close();
      succeed(stream);
    });
    expect(await drive(port, 10)).toEqual({ successes: 10, failures: [], fatal: null });
  });

  it('counts what a broken connection had under way, and connects again', async () => {
    const port = await serve((stream, _received, count) => {
      if (count === 3) stream.session?.destroy();
      else succeed(stream);
    });
    const { successes, failures, fatal } = await drive(port, 10);
    expect(fatal).toBeNull();
    expect(successes + failures.length).toBe(10);
    expect(failures).toHaveLength(1);
  });

  it('ends when nobody takes a new connection', async () => {
    const port = await serve((stream, _received, count) => {
      if (count < 3) {
        succeed(stream);
        return;
      }
      server?.close();
      stream.session?.destroy();
    });
    expect((await drive(port, 10)).fatal?.code).toBe('server-gone');
  });

  it('ends when a server breaks every connection', async () => {
    const port = await serve((stream) => {
      stream.session?.destroy();
    });
    expect((await drive(port, 1000)).fatal?.code).toBe('server-unreachable');
  });
});

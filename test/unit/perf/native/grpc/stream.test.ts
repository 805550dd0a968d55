import { createServer, type Http2Server, type ServerHttp2Stream, type Settings } from 'node:http2';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import type { WorkbenchError } from '../../../../../main/contract/errors';
import { GrpcMessageSplitter } from '../../../../../main/perf/native/grpc/message-reader';
import {
  encodeBytesField,
  encodeStringField,
  encodeVarint,
} from '../../../../../main/perf/native/grpc/protobuf';
import { GrpcTransport } from '../../../../../main/perf/native/grpc/transport';
import type { LoadJob } from '../../../../../main/perf/native/seam/load-job';

/** A message behind its gRPC prefix. */
function framed(body: Buffer): Buffer {
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(body.length, 1);
  return Buffer.concat([prefix, body]);
}

const finalParameter = (final: boolean) =>
  encodeBytesField(
    4,
    Buffer.concat([
      encodeStringField(1, 'triton_final_response'),
      encodeBytesField(2, Buffer.from([8, Number(final)])),
    ]),
  );

/** A ModelStreamInferResponse; `elements` null: without outputs. */
function answer(elements: number | null, final: boolean | null, error = ''): Buffer {
  const tensor = Buffer.concat([
    encodeStringField(1, 'OUTPUT'),
    encodeStringField(2, 'FP32'),
    encodeBytesField(3, encodeVarint(elements ?? 0)),
  ]);
  const response = Buffer.concat([
    ...(final === null ? [] : [finalParameter(final)]),
    ...(elements === null
      ? []
      : [encodeBytesField(5, tensor), encodeBytesField(6, Buffer.alloc(4 * elements))]),
  ]);
  return framed(
    Buffer.concat([...(error === '' ? [] : [encodeStringField(1, error)]), encodeBytesField(2, response)]),
  );
}

describe('the messages of a stream', () => {
  it('are cut out wherever the pieces end', () => {
    fc.assert(
      fc.property(
        fc.array(fc.uint8Array({ maxLength: 60 }), { maxLength: 12 }),
        fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1 }),
        (bodies, sizes) => {
          const bytes = Buffer.concat(bodies.map((body) => framed(Buffer.from(body))));
          const splitter = new GrpcMessageSplitter();
          const seen: Buffer[] = [];
          for (let at = 0, piece = 0; at < bytes.length; piece += 1) {
            const end = Math.min(bytes.length, at + (sizes[piece % sizes.length] ?? 1));
            splitter.push(bytes, at, end, (buffer, start, stop) => {
              seen.push(Buffer.from(buffer.subarray(start, stop)));
            });
            at = end;
          }
          expect(seen).toEqual(bodies.map((body) => Buffer.from(body)));
        },
      ),
    );
  });

  it('are refused when compressed', () => {
    expect(() => {
      new GrpcMessageSplitter().push(Buffer.from([1, 0, 0, 0, 0]), 0, 5, () => undefined);
    }).toThrow(/compressed/);
  });
});

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

/** `count` of all requests on all streams, from 1. */
type Answer = (stream: ServerHttp2Stream, request: Buffer, count: number) => void;

async function serve(
  reply: Answer,
  settings: Settings = {},
): Promise<{ port: number; streams: () => number }> {
  let count = 0;
  let streams = 0;
  server = createServer({ settings });
  server.on('stream', (stream, headers) => {
    expect(headers[':path']).toBe('/inference.GRPCInferenceService/ModelStreamInfer');
    streams += 1;
    const splitter = new GrpcMessageSplitter();
    stream.on('error', () => undefined);
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
    stream.on('wantTrailers', () => {
      stream.sendTrailers({ 'grpc-status': '14', 'grpc-message': 'going' });
    });
    stream.on('data', (part: Buffer) => {
      splitter.push(part, 0, part.length, (buffer, start, end) => {
        reply(stream, Buffer.from(buffer.subarray(start, end)), (count += 1));
      });
    });
  });
  const listening = server;
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  return { port: (listening.address() as AddressInfo).port, streams: () => streams };
}

interface Outcome {
  readonly answers: readonly number[];
  readonly failures: readonly { readonly kind: string; readonly message: string }[];
  readonly fatal: WorkbenchError | null;
}

/** Sends until `requests` have ended; `answers` has the count of answers with content of each success. */
function drive(
  port: number,
  requests: number,
  options: { concurrency?: number; bytes?: number; outputChecks?: LoadJob['outputChecks'] } = {},
) {
  const { concurrency = 1, bytes = 64, outputChecks = null } = options;
  const job: LoadJob = {
    ...{ host: '127.0.0.1', port, protocol: 'grpc', modelName: 'm', modelVersion: '1' },
    tensors: [{ name: 'X', datatype: 'UINT8', shape: [bytes], samples: [Buffer.alloc(bytes, 3)] }],
    ...{
      batchSize: 1,
      batched: false,
      schedule: null,
      shared: null,
      outputChecks,
      sequences: null,
      tls: null,
    },
    ...{ streaming: true, concurrency, warmupMs: 0, mode: 'time_windows', intervalMs: 1000, requestCount: 1 },
  };
  return new Promise<Outcome>((resolve) => {
    const answers: number[] = [];
    const failures: { kind: string; message: string }[] = [];
    let started = 0;
    const next = (slot: number) => {
      if (started < requests) {
        started += 1;
        transport?.start(slot);
      } else if (answers.length + failures.length === requests) {
        resolve({ answers, failures, fatal: null });
      }
    };
    transport = new GrpcTransport(job, {
      success: (slot, startUs, endUs, sendUs, recvUs, times) => {
        if (times === undefined) throw new Error('no times of the answers');
        const { contentUs, finalUs } = times;
        expect([...contentUs].sort((a, b) => a - b)).toEqual(contentUs);
        // The last answer with content, or the final one where there is none.
        expect(endUs).toBe(contentUs[contentUs.length - 1] ?? finalUs);
        expect(finalUs).toBeGreaterThanOrEqual(endUs);
        expect(endUs - startUs).toBeGreaterThanOrEqual(sendUs);
        expect(recvUs).toBeGreaterThan(0);
        answers.push(contentUs.length);
        next(slot);
      },
      failure: (slot, kind, message) => {
        failures.push({ kind, message });
        next(slot);
      },
      fatal: (fatal) => {
        resolve({ answers, failures, fatal });
      },
    });
    for (let slot = 0; slot < concurrency; slot += 1) next(slot);
  });
}

describe('requests over a stream', () => {
  it('have any number of answers, up to the one that says it is the last', async () => {
    const { port, streams } = await serve((stream, _request, count) => {
      const content = count % 4;
      for (let index = 0; index < content; index += 1) stream.write(answer(index, false));
      stream.write(count % 2 === 0 ? answer(null, true) : answer(5, true));
    });
    const { answers, failures } = await drive(port, 8);
    expect(failures).toEqual([]);
    expect(answers).toEqual([2, 2, 4, 0, 2, 2, 4, 0]);
    expect(streams()).toBe(1);
  });

  it('have a stream a slot that is used again and again', async () => {
    const { port, streams } = await serve((stream) => {
      stream.write(answer(1, true));
    });
    expect((await drive(port, 200, { concurrency: 14 })).answers).toEqual(Array(200).fill(1));
    expect(streams()).toBe(14);
  });

  it('keep to small windows over many messages, and send every byte', async () => {
    const { port } = await serve(
      (stream, request) => {
        expect(request.length).toBeGreaterThan(100_000);
        expect(request.subarray(-1000).every((byte) => byte === 3)).toBe(true);
        stream.write(answer(1, true));
      },
      { initialWindowSize: 1000, maxFrameSize: 16_384 },
    );
    const outcome = await drive(port, 12, { concurrency: 4, bytes: 100_000 });
    expect(outcome).toEqual({ answers: Array(12).fill(1), failures: [], fatal: null });
  });

  it('ask for the empty final answer', async () => {
    const { port } = await serve((stream, request) => {
      expect(request.includes('triton_enable_empty_final_response')).toBe(true);
      stream.write(answer(1, true));
    });
    expect((await drive(port, 2)).answers).toEqual([1, 1]);
  });

  it('fail with the words of an answer, and only when the last has come', async () => {
    const { port } = await serve((stream, _request, count) => {
      if (count === 1) stream.write(answer(null, true, 'raised'));
      else if (count === 2) stream.write(Buffer.concat([answer(null, false, 'midway'), answer(null, true)]));
      // A refusal says nothing of final.
      else if (count === 3) stream.write(answer(null, null, 'refused'));
      else stream.write(answer(2, true));
    });
    const { answers, failures } = await drive(port, 5);
    expect(answers).toEqual([1, 1]);
    expect(failures).toEqual(
      ['raised', 'midway', 'refused'].map((message) => ({ kind: 'error answer', message })),
    );
  });

  it('are not judged by the answers to one that failed', async () => {
    const { port } = await serve((stream, _request, count) => {
      // Zeros where ones are expected, and then a refusal.
      if (count === 1) stream.write(Buffer.concat([answer(2, false), answer(null, true, 'raised')]));
      else stream.write(answer(null, true));
    });
    const ones = Buffer.from(new Float32Array([1, 1]).buffer);
    const outcome = await drive(port, 2, {
      outputChecks: {
        outputs: [{ name: 'OUTPUT', datatype: 'FP32', shape: [2] }],
        finite: false,
        expected: [{ name: 'OUTPUT', datatype: 'FP32', shape: [2], samples: [ones] }],
      },
    });
    expect(outcome).toMatchObject({ answers: [0], failures: [{ message: 'raised' }] });
    expect(transport?.outputs).toMatchObject({ checked: 1, wrong: 0, compared: 0 });
  });

  it.each([
    [
      'an answer that is not the last and has no outputs',
      () => Buffer.concat([answer(null, false), answer(1, true)]),
    ],
    [
      'contents that do not fit their shape',
      () =>
        framed(
          encodeBytesField(
            2,
            Buffer.concat([
              finalParameter(true),
              encodeBytesField(
                5,
                Buffer.concat([encodeStringField(2, 'FP32'), encodeBytesField(3, encodeVarint(4))]),
              ),
              encodeBytesField(6, Buffer.alloc(4)),
            ]),
          ),
        ),
    ],
  ])('do not take %s for a success', async (_what, bytes) => {
    const { port } = await serve((stream, _request, count) => {
      stream.write(count === 1 ? bytes() : answer(1, true));
    });
    const { answers, failures } = await drive(port, 2);
    expect(answers).toEqual([1]);
    expect(failures).toMatchObject([{ kind: 'bad response' }]);
  });

  it('get a new stream when theirs ends or is reset', async () => {
    const { port, streams } = await serve((stream, _request, count) => {
      if (count === 2) stream.end();
      else if (count === 4) stream.close(11);
      else stream.write(answer(1, true));
    });
    const { answers, failures } = await drive(port, 6);
    expect(answers).toHaveLength(4);
    expect(failures).toEqual([
      { kind: 'UNAVAILABLE', message: 'going' },
      { kind: 'stream reset', message: 'the server reset the stream with HTTP/2 error 11' },
    ]);
    expect(streams()).toBe(3);
  });

  it('count what a broken connection had under way, and connect again', async () => {
    const { port } = await serve((stream, _request, count) => {
      if (count === 3) stream.session?.destroy();
      else stream.write(answer(1, true));
    });
    const { answers, failures, fatal } = await drive(port, 10);
    expect(fatal).toBeNull();
    expect(answers).toHaveLength(9);
    expect(failures).toMatchObject([{ kind: 'connection lost' }]);
  });
});

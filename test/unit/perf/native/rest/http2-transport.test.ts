import { constants, createServer, type Http2Server, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { Http2Transport } from '../../../../../main/perf/native/rest/http2-transport';
import type { LoadJob } from '../../../../../main/perf/native/seam/load-job';
import { loadJobOf, sendThrough } from '../../../../support/transports';

/** Node's HTTP/2 server, which is nghttp2. */
let server: Http2Server | null = null;
afterEach(async () => {
  const open = server;
  server = null;
  if (open !== null) await new Promise((resolve) => open.close(resolve));
});

interface Asked {
  readonly path: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Buffer;
}

type Answer = (stream: ServerHttp2Stream, asked: Asked, number: number) => void;

async function listen(answer: Answer): Promise<{ readonly port: number; readonly asked: Asked[] }> {
  const asked: Asked[] = [];
  const opened = createServer();
  server = opened;
  opened.on('stream', (stream, headers) => {
    const parts: Buffer[] = [];
    stream.on('error', () => undefined);
    stream.on('data', (part: Buffer) => parts.push(part));
    stream.on('end', () => {
      const body = Buffer.concat(parts);
      asked.push({ path: String(headers[':path']), headers, body });
      answer(stream, { path: String(headers[':path']), headers, body }, asked.length);
    });
  });
  await new Promise<void>((resolve) => opened.listen(0, '127.0.0.1', resolve));
  return { port: (opened.address() as AddressInfo).port, asked };
}

const floats = (values: readonly number[]) => Buffer.from(new Float32Array(values).buffer);

/** A reply with one output in raw form. */
function rawReply(elements: number): { readonly json: number; readonly body: Buffer } {
  const json = JSON.stringify({
    ...{ model_name: 'double', model_version: '1' },
    outputs: [
      { name: 'Y', datatype: 'FP32', shape: [1, elements], parameters: { binary_data_size: 4 * elements } },
    ],
  });
  const data = floats(Array.from({ length: elements }, (_unused, index) => index));
  return { json: json.length, body: Buffer.concat([Buffer.from(json), data]) };
}

const answerRaw =
  (elements: number): Answer =>
  (stream) => {
    const { json, body } = rawReply(elements);
    stream.respond({ ':status': 200, 'inference-header-content-length': String(json) });
    stream.end(body);
  };

const send = (port: number, more: Partial<LoadJob> = {}, requests = 3, slots = 2) =>
  sendThrough((events) => new Http2Transport(loadJobOf({ port, protocol: 'http', ...more }), events), {
    ...{ requests, slots },
  });

const successes = (count: number) => Array.from({ length: count }, () => 'success');

describe('inference over HTTP/2', () => {
  it('sends what HTTP/1.1 sends, and reads raw tensors', async () => {
    const { port, asked } = await listen(answerRaw(2));
    const { outcomes, transport } = await send(port, {
      modelVersion: '3',
      headers: [{ name: 'Authorization', value: 'Bearer secret' }],
      outputChecks: {
        outputs: [{ name: 'Y', datatype: 'FP32', shape: [-1, 2] }],
        ...{ finite: true, expected: [] },
      },
    });
    expect(outcomes).toEqual(successes(6));
    expect(transport.outputs).toMatchObject({ checked: 6, wrong: 0 });
    for (const { path, headers, body } of asked) {
      expect(path).toBe('/v2/models/double/versions/3/infer');
      expect(headers).toMatchObject({ ':method': 'POST', authorization: 'Bearer secret' });
      const json = Number(headers['inference-header-content-length']);
      expect(JSON.parse(body.toString('utf8', 0, json))).toMatchObject({ inputs: [{ name: 'X' }] });
      expect(Number(headers['content-length'])).toBe(body.length);
    }
    const sent = asked.map(({ body }) => body.subarray(-8).toString('hex'));
    expect(new Set(sent)).toEqual(new Set([floats([1, 2]).toString('hex'), floats([3, 4]).toString('hex')]));
  });

  it('shares a connection between slots', async () => {
    const { port } = await listen(answerRaw(2));
    const { transport } = await send(port, { concurrency: 6 }, 4, 6);
    expect(transport.opened.count).toBe(1);
  });

  it('reads replies beyond the window of a stream', async () => {
    const { port } = await listen(answerRaw(200_000));
    expect((await send(port)).outcomes).toEqual(successes(6));
  });

  it('sends requests beyond the window of a stream', async () => {
    const { port, asked } = await listen(answerRaw(2));
    const samples = [floats(Array.from({ length: 100_000 }, () => 1))];
    const tensors = [{ name: 'X', datatype: 'FP32' as const, shape: [100_000], samples }];
    expect((await send(port, { tensors })).outcomes).toEqual(successes(6));
    expect(asked.every(({ body }) => body.length > 400_000)).toBe(true);
  });

  it('takes compressed replies, whose JSON has the length in the head', async () => {
    const { port, asked } = await listen((stream, { headers, body }) => {
      expect(headers['content-encoding']).toBe('gzip');
      const plain = gunzipSync(body);
      const json = Number(headers['inference-header-content-length']);
      expect(JSON.parse(plain.toString('utf8', 0, json))).toHaveProperty('inputs');
      const reply = rawReply(50);
      stream.respond({
        ':status': 200,
        'content-encoding': 'gzip',
        'inference-header-content-length': String(reply.json),
      });
      stream.end(gzipSync(reply.body));
    });
    expect((await send(port, { compression: 'gzip' })).outcomes).toEqual(successes(6));
    expect(asked).toHaveLength(6);
  });

  it('counts a refusal, a reset and a broken reply as failures of their requests only', async () => {
    const { port } = await listen((stream, asked, number) => {
      if (number === 1) {
        stream.respond({ ':status': 503 });
        stream.end('{"error":"no room"}');
      } else if (number === 2) stream.close(constants.NGHTTP2_REFUSED_STREAM);
      else if (number === 3) {
        stream.respond({ ':status': 200, 'inference-header-content-length': '9999' });
        stream.end('{}');
      } else answerRaw(2)(stream, asked, number);
    });
    const { outcomes } = await send(port, {}, 5, 1);
    expect(outcomes).toEqual([
      'HTTP 503: no room',
      'stream reset: the server reset the stream with HTTP/2 error 7',
      'bad response: a reply with a wrong Inference-Header-Content-Length',
      ...successes(2),
    ]);
  });

  it('continues on another connection where the server closes one', async () => {
    const { port } = await listen((stream, asked, number) => {
      answerRaw(2)(stream, asked, number);
      if (number === 2) stream.session?.close();
    });
    const { outcomes, transport } = await send(port, {}, 5, 1);
    expect(outcomes.filter((outcome) => outcome === 'success').length).toBeGreaterThanOrEqual(4);
    expect(transport.opened.count).toBe(2);
  });
});

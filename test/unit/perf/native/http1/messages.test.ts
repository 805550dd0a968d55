import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  encodeHttpRequest,
  type HttpReply,
  HttpReplyReader,
  HttpResponseChecker,
  parseHttpHead,
} from '../../../../../main/perf/native/http1/messages';

interface Seen {
  readonly reply: HttpReply;
  readonly body: string;
}

function collect(): { readonly reader: HttpReplyReader; readonly seen: Seen[]; begun: () => number } {
  const seen: Seen[] = [];
  let begun = 0;
  const reader = new HttpReplyReader({
    bodyBegins: () => {
      begun += 1;
    },
    reply: (reply, buffer, start, end) => {
      seen.push({ reply, body: buffer.toString('latin1', start, end) });
    },
  });
  return { reader, seen, begun: () => begun };
}

const head = (body: string, more = '') =>
  `HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\n${more}Content-Length: ${body.length}\r\n\r\n`;

describe('replies', () => {
  it('are found wherever the pieces of the connection end', () => {
    const bodies = fc.array(fc.string({ unit: 'binary-ascii', maxLength: 80 }), {
      minLength: 1,
      maxLength: 4,
    });
    fc.assert(
      fc.property(bodies, fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1 }), (sent, sizes) => {
        const { reader, seen, begun } = collect();
        for (const body of sent) {
          const wire = Buffer.from(head(body) + body, 'latin1');
          for (let at = 0, piece = 0; at < wire.length; piece += 1) {
            const end = Math.min(wire.length, at + (sizes[piece % sizes.length] ?? 1));
            reader.push(wire.subarray(at, end), end - at);
            at = end;
          }
        }
        expect(seen.map((reply) => reply.body)).toEqual(sent);
        expect(begun()).toBe(sent.filter((body) => body !== '').length);
      }),
    );
  });

  it('have the fields that matter read', () => {
    expect(
      parseHttpHead(
        'HTTP/1.1 400 Bad Request\r\ncontent-length:12\r\nINFERENCE-HEADER-CONTENT-LENGTH: 5\r\nConnection: close',
      ),
    ).toEqual({ status: 400, jsonBytes: 5, bodyBytes: 12, keepAlive: false });
  });

  it.each([
    ['something else', 'SSH-2.0-OpenSSH', /HTTP\/1\.1/],
    ['no length', 'HTTP/1.1 200 OK', /Content-Length/],
    ['a wrong length', 'HTTP/1.1 200 OK\r\nContent-Length: -4', /Content-Length/],
    ['chunks', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked', /chunks/],
    [
      'more JSON than body',
      'HTTP/1.1 200 OK\r\nContent-Length: 4\r\nInference-Header-Content-Length: 5',
      /wrong/,
    ],
  ])('with %s are refused', (_what, text, message) => {
    expect(() => parseHttpHead(text)).toThrow(message);
  });

  it('with bytes behind them are refused', () => {
    const wire = Buffer.from(`${head('abc')}abcd`, 'latin1');
    expect(() => {
      collect().reader.push(wire, wire.length);
    }).toThrow(/nobody asked/);
  });
});

describe('the check of an inference reply', () => {
  const reply = (outputs: unknown, raw: number) => {
    const json = Buffer.from(JSON.stringify({ model_name: 'm', outputs }));
    return { bytes: Buffer.concat([json, Buffer.alloc(raw)]), json: json.length };
  };
  const output = (datatype: string, shape: readonly number[], bytes: number) => ({
    name: 'OUTPUT__0',
    datatype,
    shape,
    parameters: { binary_data_size: bytes },
  });
  const run = (outputs: unknown, raw: number, checker = new HttpResponseChecker()) => {
    const { bytes, json } = reply(outputs, raw);
    checker.check(bytes, 0, bytes.length, json);
  };

  it('takes what is whole, again and again and in turn', () => {
    const checker = new HttpResponseChecker();
    for (const elements of [3, 3, 5, 3]) {
      run([output('FP32', [elements], elements * 4)], elements * 4, checker);
    }
    expect(() => {
      run([output('FP32', [3], 12)], 11, checker);
    }).toThrow(/11 bytes .* 12/);
  });

  it.each([
    ['no outputs', [], 0, /no output/],
    ['an output that is empty', [output('FP32', [4], 0)], 0, /0 bytes where .* 16/],
    ['fewer bytes than announced', [output('FP32', [4], 16)], 8, /8 bytes .* 16/],
    ['an output as JSON', [{ name: 'O', datatype: 'FP32', shape: [1], data: [1] }], 0, /raw form/],
  ])('refuses %s', (_what, outputs, raw, message) => {
    expect(() => {
      run(outputs, raw);
    }).toThrow(message);
  });

  it('refuses a reply that is JSON altogether', () => {
    expect(() => {
      new HttpResponseChecker().check(Buffer.from('{}'), 0, 2, -1);
    }).toThrow(/raw form/);
  });
});

it('a request has the lengths of its parts in its head', () => {
  const data = Buffer.alloc(8, 1);
  const bytes = encodeHttpRequest({ modelName: 'a b', modelVersion: '2' }, 'host:8000', [
    { name: 'X', datatype: 'FP32', shape: [2], data },
  ]);
  const [top = '', ...rest] = bytes.toString('latin1').split('\r\n\r\n');
  const body = rest.join('\r\n\r\n');
  expect(top.split('\r\n')[0]).toBe('POST /v2/models/a%20b/versions/2/infer HTTP/1.1');
  expect(top).toContain(`Content-Length: ${body.length}`);
  const json = Number(/Inference-Header-Content-Length: (\d+)/.exec(top)?.[1]);
  expect(JSON.parse(body.slice(0, json))).toMatchObject({
    inputs: [{ parameters: { binary_data_size: 8 } }],
  });
  expect(body.length - json).toBe(8);
});

it('a request says which sequence it belongs to', () => {
  const input = { name: 'X', datatype: 'FP32', shape: [1], data: Buffer.alloc(4) };
  const place = { id: 7, start: false, end: true, step: 2, first: 0 };
  const target = { modelName: 'm', modelVersion: '' };
  const text = encodeHttpRequest(target, 'host:8000', [input], null, place).toString('latin1');
  const json = JSON.parse(/\r\n\r\n(\{.*\})/.exec(text)?.[1] ?? '') as { parameters: unknown };
  expect(json.parameters).toEqual({
    binary_data_output: true,
    sequence_id: 7,
    sequence_start: false,
    sequence_end: true,
  });
});

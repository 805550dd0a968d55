import { deflateSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decodedBody,
  HttpReplyReader,
  HttpResponseChecker,
} from '../../../../../main/perf/native/http1/messages';
import type { ReplyHead } from '../../../../../main/perf/native/http1/reply-head';

interface Seen {
  readonly reply: ReplyHead;
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

  const chunkedHead = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';
  const chunksOf = (body: string, size: number): string => {
    const chunks: string[] = [];
    for (let at = 0; at < body.length; at += size) {
      const chunk = body.slice(at, at + size);
      chunks.push(`${chunk.length.toString(16)}\r\n${chunk}\r\n`);
    }
    return `${chunkedHead}${chunks.join('')}0\r\n\r\n`;
  };

  it('come in chunks, in turn with those of a length, wherever the pieces end', () => {
    const body = fc.string({ unit: 'binary-ascii', maxLength: 80 });
    fc.assert(
      fc.property(
        fc.array(fc.tuple(body, fc.nat(9)), { minLength: 1, maxLength: 4 }),
        fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1 }),
        (sent, sizes) => {
          const { reader, seen } = collect();
          for (const [text, size] of sent) {
            const wire = Buffer.from(size === 0 ? head(text) + text : chunksOf(text, size), 'latin1');
            for (let at = 0, piece = 0; at < wire.length; piece += 1) {
              const end = Math.min(wire.length, at + (sizes[piece % sizes.length] ?? 1));
              reader.push(wire.subarray(at, end), end - at);
              at = end;
            }
          }
          expect(seen.map((reply) => reply.body)).toEqual(sent.map(([text]) => text));
        },
      ),
    );
  });

  it('without a length end with the connection', () => {
    const { reader, seen } = collect();
    const wire = Buffer.from('HTTP/1.1 200 OK\r\n\r\nall', 'latin1');
    reader.push(wire, wire.length);
    expect(seen).toEqual([]);
    expect(reader.closed()).toBe(true);
    expect(seen).toMatchObject([{ body: 'all', reply: { keepAlive: false } }]);
  });

  it('with bytes behind the last chunk are refused', () => {
    const wire = Buffer.from(`${chunksOf('abc', 2)}more`, 'latin1');
    expect(() => {
      collect().reader.push(wire, wire.length);
    }).toThrow(/nobody asked/);
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

describe('tensors as JSON', () => {
  const check = (text: string) => {
    const bytes = Buffer.from(text);
    new HttpResponseChecker(false, true).check(bytes, 0, bytes.length, -1);
  };

  it('are whole', () => {
    expect(() => {
      check('{"outputs":[{"name":"Y","data":[1]}]}\n');
    }).not.toThrow();
  });

  it.each([
    ['that is cut off', '{"outputs":[{"name":"Y","da', /not whole JSON/],
    ['without outputs', '{"detail":"none"}', /no output/],
  ])('are refused in a reply %s', (_what, text, message) => {
    expect(() => {
      check(text);
    }).toThrow(message);
  });
});

it('the length of the JSON is that before compression, and may not be beyond the body', () => {
  expect(() => {
    new HttpResponseChecker().check(Buffer.from('{}'), 0, 2, 3);
  }).toThrow(/wrong Inference-Header-Content-Length/);
});

describe('an encoded body', () => {
  const plain = Buffer.from('outputs '.repeat(100));

  it.each([
    ['gzip', gzipSync(plain)],
    ['deflate', deflateSync(plain)],
  ])('in %s is decoded', (encoding, body) => {
    expect(decodedBody(encoding, body, 1000).equals(plain)).toBe(true);
  });

  it.each([
    ['beyond the limit', 'gzip', gzipSync(plain), 100, /larger than|limit/i],
    ['that is broken', 'gzip', Buffer.from('no gzip'), 1000, /header/],
    ['that was not asked for', 'br', plain, 1000, /"br", which was not asked for/],
  ])('%s is refused', (_what, encoding, body, limit, message) => {
    expect(() => decodedBody(encoding, body, limit)).toThrow(message);
  });
});

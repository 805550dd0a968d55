import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BodyReader } from '../../../../../main/perf/native/http1/body-reader';
import type { ReplyHead } from '../../../../../main/perf/native/http1/reply-head';

function reader(limitBytes = 1000) {
  const replies: { head: ReplyHead; body: string; ended: boolean }[] = [];
  const made = new BodyReader(
    {
      head: (head) => replies.push({ head, body: '', ended: false }),
      body: (buffer, start, end) => {
        const last = replies.at(-1);
        if (last !== undefined) last.body += buffer.toString('latin1', start, end);
      },
      end: () => {
        const last = replies.at(-1);
        if (last !== undefined) last.ended = true;
      },
    },
    limitBytes,
  );
  const push = (text: string) => {
    // The buffer is longer than what was read.
    const buffer = Buffer.from(`${text}\r\n\r\nrest`, 'latin1');
    made.push(buffer, text.length);
  };
  return { made, push, replies };
}

const chunked =
  'HTTP/1.1 200 OK\r\nContent-Type: Text/Event-Stream; charset=utf-8\r\nTransfer-Encoding: chunked\r\n\r\n' +
  '5\r\nhello\r\n6;name=value\r\n world\r\n0\r\nTrailer: 1\r\n\r\n';
const plain =
  'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 404 Not Found\r\ncontent-length: 4\r\nConnection: close\r\n\r\nnone';
const empty = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n';
const whole = chunked + empty + plain;
const plainBody = { jsonBytes: -1, encoding: '' };
const expected = [
  {
    head: { status: 200, type: 'text/event-stream', keepAlive: true, ...plainBody },
    body: 'hello world',
    ended: true,
  },
  { head: { status: 200, type: '', keepAlive: true, ...plainBody }, body: '', ended: true },
  { head: { status: 404, type: '', keepAlive: false, ...plainBody }, body: 'none', ended: true },
];

describe('replies of text', () => {
  it('are taken apart wherever the bytes are cut', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(whole.length), { maxLength: 30 }), (cuts) => {
        const { push, replies } = reader();
        const bounds = [0, ...cuts.toSorted((a, b) => a - b), whole.length];
        for (const [index, end] of bounds.slice(1).entries()) push(whole.slice(bounds[index], end));
        expect(replies).toEqual(expected);
      }),
    );
  });

  it('may end with the connection, where they have no length', () => {
    const { made, push, replies } = reader();
    push('HTTP/1.0 200 OK\r\n\r\nsome');
    expect(replies[0]).toMatchObject({ ended: false, head: { keepAlive: false } });
    expect(made.closed()).toBe(true);
    expect(replies[0]).toMatchObject({ body: 'some', ended: true });
  });

  it('are not complete where the connection ends within', () => {
    const { made, push, replies } = reader();
    push(chunked.slice(0, -10));
    expect(made.closed()).toBe(false);
    expect(replies[0]?.ended).toBe(false);
    expect(reader().made.closed()).toBe(false);
  });

  it.each([
    ['SSH-2.0\r\n\r\n', 'does not answer with HTTP/1.1'],
    ['HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n', 'wrong Content-Length'],
    ['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n', 'a chunk without a size'],
    ['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n', 'longer than its size'],
    ['HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n'.padEnd(2000, 'x'), 'at most 1,000 bytes'],
    [`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(70_000)}`, 'head of more than 64 KiB'],
  ])('are refused: %#', (text, message) => {
    expect(() => reader().push(text)).toThrow(message);
  });
});

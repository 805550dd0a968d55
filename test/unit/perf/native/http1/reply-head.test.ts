import { describe, expect, it } from 'vitest';
import { parseReplyHead } from '../../../../../main/perf/native/http1/reply-head';

describe('the head of a reply', () => {
  it('has the fields that matter read', () => {
    expect(
      parseReplyHead(
        'HTTP/1.1 400 Bad Request\r\ncontent-length:12\r\nINFERENCE-HEADER-CONTENT-LENGTH: 5\r\nConnection: close\r\n' +
          'Content-Encoding: GZIP\r\nContent-Type: application/Octet-Stream; x=1',
      ),
    ).toEqual({
      ...{ status: 400, jsonBytes: 5, keepAlive: false, encoding: 'gzip', type: 'application/octet-stream' },
      framing: { kind: 'length', bytes: 12 },
    });
  });

  it.each([
    ['chunks', 'Transfer-Encoding: chunked\r\nContent-Length: 3', 'chunks', true],
    ['no length', 'Content-Encoding: identity', 'close', false],
  ])('with %s says how its body ends', (_what, fields, kind, keepAlive) => {
    expect(parseReplyHead(`HTTP/1.1 200 OK\r\n${fields}`)).toMatchObject({
      ...{ keepAlive, encoding: '', framing: { kind } },
    });
  });

  it.each([
    ['something else', 'SSH-2.0-OpenSSH', /HTTP\/1\.1/],
    ['a wrong length', 'HTTP/1.1 200 OK\r\nContent-Length: -4', /wrong Content-Length/],
    [
      'a wrong length of the JSON',
      'HTTP/1.1 200 OK\r\nContent-Length: 4\r\nInference-Header-Content-Length: five',
      /wrong Inference-Header-Content-Length/,
    ],
  ])('with %s is refused', (_what, text, message) => {
    expect(() => parseReplyHead(text)).toThrow(message);
  });
});

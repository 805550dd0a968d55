import { gunzipSync, inflateSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { encodeHttpRequest } from '../../../../../main/perf/native/http1/infer-request';

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

const partsOf = (bytes: Buffer): { readonly top: string; readonly body: Buffer } => {
  const end = bytes.indexOf('\r\n\r\n');
  return { top: bytes.toString('latin1', 0, end), body: bytes.subarray(end + 4) };
};
const twice = [1, 2].map((value) => ({
  ...{ name: 'X', datatype: 'FP32', shape: [1, 16] },
  data: Buffer.alloc(64, value),
}));

it.each([
  ['gzip', gunzipSync],
  ['deflate', inflateSync],
] as const)(
  'a request in %s is the plain one, whose JSON has the length in the head',
  (compression, decode) => {
    const target = { modelName: 'm', modelVersion: '' };
    const [input] = twice;
    if (input === undefined) throw new Error('an input');
    const plain = partsOf(encodeHttpRequest(target, 'host:8000', [input]));
    const sent = partsOf(encodeHttpRequest({ ...target, compression }, 'host:8000', [input]));
    expect(decode(sent.body).equals(plain.body)).toBe(true);
    expect(sent.top).toContain(`Content-Encoding: ${compression}`);
    expect(sent.top).toContain(`Accept-Encoding: ${compression}`);
    expect(sent.top).toContain(`Content-Length: ${sent.body.length}`);
    const length = /Inference-Header-Content-Length: \d+/;
    expect(length.exec(sent.top)?.[0]).toBe(length.exec(plain.top)?.[0]);
  },
);

it('a request of JSON tensors has all of them in its JSON', () => {
  const data = Buffer.from(new Float32Array([1.5, -2]).buffer);
  const target = { modelName: 'm', modelVersion: '', json: true };
  const { top, body } = partsOf(
    encodeHttpRequest(target, 'host:8000', [{ name: 'X', datatype: 'FP32', shape: [1, 2], data }]),
  );
  expect(JSON.parse(body.toString('utf8'))).toEqual({
    inputs: [{ name: 'X', datatype: 'FP32', shape: [1, 2], data: [1.5, -2] }],
  });
  expect(top).toContain('Content-Type: application/json');
  expect(top).not.toContain('Inference-Header-Content-Length');
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeInferReply, encodeInferRequest, jsonLengthHeader } from '../../../main/triton/plain-message';
import { tensorValues, zeroTensor } from '../../../main/triton/tensor';

const bytes = (...values: number[]) => Uint8Array.from(values);
const tensor = (datatype: string, data: Uint8Array, shape: number[]) => ({
  name: 't',
  datatype,
  shape,
  data,
});

describe('tensor', () => {
  it('reads every 32-bit float back', () => {
    fc.assert(
      fc.property(fc.array(fc.float()), (values) => {
        const data = new Uint8Array(new Float32Array(values).buffer);
        expect(tensorValues(tensor('FP32', data, [values.length]))).toEqual(values);
      }),
    );
  });

  it('reads half precision: normal, subnormal, infinite, not a number', () => {
    const data = bytes(0x00, 0x3c, 0x00, 0xc0, 0xff, 0x7b, 0x01, 0x00, 0x00, 0x7c, 0x00, 0xfc, 0x00, 0x7e);
    expect(tensorValues(tensor('FP16', data, [7]))).toEqual([
      1,
      -2,
      65_504,
      2 ** -24,
      Infinity,
      -Infinity,
      NaN,
    ]);
    expect(tensorValues(tensor('BF16', bytes(0x80, 0x3f, 0x80, 0x7f), [2]))).toEqual([1, Infinity]);
  });

  it('reads integers by their sign and width, at any place in a buffer', () => {
    const data = new Uint8Array(17).fill(255).subarray(1);
    expect(tensorValues(tensor('INT64', data, [2]))).toEqual([-1, -1]);
    expect(tensorValues(tensor('UINT32', data, [4]))).toEqual([
      2 ** 32 - 1,
      2 ** 32 - 1,
      2 ** 32 - 1,
      2 ** 32 - 1,
    ]);
    expect(tensorValues(tensor('INT8', data, [16]))).toEqual(Array.from({ length: 16 }, () => -1));
  });

  it('refuses bytes that do not fit the shape, and text', () => {
    expect(() => tensorValues(tensor('FP32', bytes(0, 0, 0), [1]))).toThrow('3 bytes');
    expect(() => tensorValues(tensor('BYTES', bytes(0, 0, 0, 0), [1]))).toThrow('BYTES');
  });

  it('makes zeros of the right size', () => {
    expect(zeroTensor('a', 'FP16', [2, 3]).data).toHaveLength(12);
    expect(zeroTensor('a', 'BYTES', [2]).data).toHaveLength(8);
    expect(zeroTensor('a', 'INT64', []).data).toHaveLength(8);
  });
});

describe('inference messages', () => {
  it('put raw tensors behind the JSON', () => {
    const data = bytes(1, 2, 3, 4);
    const { body, headers } = encodeInferRequest([tensor('FP32', data, [1, 1])], 'id-1');
    const length = Number(headers[jsonLengthHeader]);
    expect(body.subarray(length)).toEqual(Buffer.from(data));
    expect(JSON.parse(body.subarray(0, length).toString())).toEqual({
      id: 'id-1',
      inputs: [{ name: 't', datatype: 'FP32', shape: [1, 1], parameters: { binary_data_size: 4 } }],
      parameters: { binary_data_output: true },
    });
  });

  it('read replies, and refuse those that are cut off or of another form', () => {
    const output = (name: string, size: number) => ({
      name,
      datatype: 'UINT8',
      shape: [size],
      parameters: { binary_data_size: size },
    });
    const json = Buffer.from(
      JSON.stringify({ model_name: 'm', model_version: '1', outputs: [output('a', 1), output('b', 2)] }),
    );
    const whole = Buffer.concat([json, bytes(7, 8, 9)]);
    const reply = decodeInferReply(whole, String(json.length));
    expect(reply.outputs.map((one) => [one.name, tensorValues(one)])).toEqual([
      ['a', [7]],
      ['b', [8, 9]],
    ]);
    expect(() => decodeInferReply(whole.subarray(0, -1), String(json.length))).toThrow('cannot be read');
    expect(() => decodeInferReply(Buffer.from('<html>'), null)).toThrow('cannot be read');
    expect(() => decodeInferReply(whole, '4')).toThrow('cannot be read');
  });
});

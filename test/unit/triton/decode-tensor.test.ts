import { describe, expect, it } from 'vitest';
import { bytesElements, decodeTensor } from '../../../main/triton/decode-tensor';
import { encodeTexts } from '../../../main/triton/encode-values';

const tensor = (datatype: string, shape: number[], data: Uint8Array) => ({
  name: 'OUT',
  datatype,
  shape,
  data,
});
const bytes = (values: ArrayBufferView) =>
  new Uint8Array(values.buffer, values.byteOffset, values.byteLength);

describe('decodeTensor', () => {
  it('gives numbers, and texts where numbers would not be exact', () => {
    expect(decodeTensor(tensor('FP32', [2], bytes(Float32Array.of(1, 0.5)))).values).toEqual([1, 0.5]);
    expect(decodeTensor(tensor('INT64', [2], bytes(BigInt64Array.of(-1n, 5n)))).values).toEqual([-1, 5]);
    expect(decodeTensor(tensor('INT64', [2], bytes(BigInt64Array.of(1n, 2n ** 53n + 1n)))).values).toEqual([
      '1',
      '9007199254740993',
    ]);
    expect(decodeTensor(tensor('UINT64', [1], bytes(BigUint64Array.of(2n ** 64n - 1n)))).values).toEqual([
      '18446744073709551615',
    ]);
  });

  it('gives texts of BYTES, and bytes that are no text as hexadecimal digits', () => {
    const data = encodeTexts(['grün', '', Uint8Array.of(0xff, 0x00)]);
    expect(decodeTensor(tensor('BYTES', [3], data)).values).toEqual(['grün', '', '0xff00']);
  });

  it('refuses bytes that are not of the shape', () => {
    expect(() => decodeTensor(tensor('BYTES', [2], encodeTexts(['one'])))).toThrow('has 1 elements where');
    expect(() => decodeTensor(tensor('FP32', [2], new Uint8Array(4)))).toThrow('4 bytes');
    expect(() => bytesElements(tensor('BYTES', [1], Uint8Array.of(9, 0, 0, 0, 65)))).toThrow(
      'cut off at byte 0',
    );
    expect(() => bytesElements(tensor('BYTES', [1], Uint8Array.of(9, 0)))).toThrow('cut off');
  });
});

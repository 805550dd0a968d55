import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Datatype, datatypeBytes } from '../../../main/contract/measured/input-data';
import { encodeTexts } from '../../../main/triton/encode-values';
import { jsonData, tensorOfJson } from '../../../main/triton/json-tensors';

const floats = (values: readonly number[]) => Buffer.from(new Float32Array(values).buffer);

describe('tensors as JSON', () => {
  const written: readonly Datatype[] = ['FP64', 'FP32', 'BOOL', 'UINT8', 'INT8', 'INT32', 'UINT32', 'INT64'];

  it('come back as they were sent, of every datatype', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...written),
        fc.array(fc.integer({ min: 0, max: 100 }), { minLength: 1, maxLength: 20 }),
        (datatype, given) => {
          const values = datatype === 'BOOL' ? given.map((value) => value % 2) : given;
          const shape = [values.length];
          const { data } = tensorOfJson({ name: 'X', datatype, shape, data: values });
          const text = jsonData({ name: 'X', datatype, shape, data });
          const again = tensorOfJson({
            ...{ name: 'X', datatype, shape },
            data: JSON.parse(text) as unknown[],
          });
          expect(data).toHaveLength(values.length * datatypeBytes[datatype]);
          expect(Buffer.from(again.data).equals(data)).toBe(true);
        },
      ),
    );
  });

  it('keep each 32-bit float', () => {
    fc.assert(
      fc.property(
        fc.array(fc.float({ noNaN: true, noDefaultInfinity: true }), { minLength: 1 }),
        (values) => {
          const data = floats(values);
          const shape = [values.length];
          const sent = JSON.parse(jsonData({ name: 'X', datatype: 'FP32', shape, data })) as unknown[];
          const { data: back } = tensorOfJson({ name: 'X', datatype: 'FP32', shape, data: sent });
          // JSON has no negative zero.
          const zeroless = (bytes: Uint8Array) =>
            Array.from(new Float32Array(Uint8Array.from(bytes).buffer), (value) => value + 0);
          expect(zeroless(back)).toEqual(zeroless(data));
        },
      ),
    );
  });

  it('keep the digits of whole numbers beyond 2^53', () => {
    const data = Buffer.alloc(16);
    data.writeBigInt64LE(-(2n ** 63n), 0);
    data.writeBigInt64LE(2n ** 53n + 1n, 8);
    expect(jsonData({ name: 'X', datatype: 'INT64', shape: [2], data })).toBe(
      '[-9223372036854775808,9007199254740993]',
    );
  });

  it('have texts as strings', () => {
    const data = encodeTexts(['a "quoted" text', 'ü']);
    expect(jsonData({ name: 'T', datatype: 'BYTES', shape: [2], data })).toBe('["a \\"quoted\\" text","ü"]');
  });

  it.each([
    ['NaN', 'FP32', floats([1, NaN]), [2], /NaN or an infinity/],
    ['bytes that are no text', 'BYTES', encodeTexts([Buffer.from([0xff, 0xd8])]), [1], /not UTF-8/],
  ])('are refused for %s', (_what, datatype, data, shape, message) => {
    expect(() => jsonData({ name: 'X', datatype, shape, data })).toThrow(message);
  });

  it('of a reply may be nested', () => {
    const { data } = tensorOfJson({
      name: 'Y',
      datatype: 'FP32',
      shape: [2, 2],
      data: [
        [1, 2],
        [3, 4],
      ],
    });
    expect(Buffer.from(data).equals(floats([1, 2, 3, 4]))).toBe(true);
  });

  it.each([
    ['another number of values', 'FP32', [3], [1, 2], /2 values where its shape has 3/],
    ['null for a value', 'FP32', [1], [null], /output Y: value 0 \(null\) is not a number/],
    ['a type that it does not know', 'FP8', [1], [1], /FP8, which has no JSON form/],
  ])('of a reply are refused with %s', (_what, datatype, shape, data, message) => {
    expect(() => tensorOfJson({ name: 'Y', datatype, shape, data })).toThrow(message);
  });
});

import { describe, expect, it } from 'vitest';
import { outputText } from '../../../../../main/perf/native/grpc/output-text';
import {
  encodeBytesField,
  encodeStringField,
  encodeVarint,
} from '../../../../../main/perf/native/grpc/protobuf';
import { encodeTexts } from '../../../../../main/triton/encode-values';

interface Output {
  readonly name: string;
  readonly datatype?: string;
  readonly data: Buffer;
}

const texts = (...all: readonly string[]) => encodeTexts(all);

/** A ModelInferResponse. */
const response = (...outputs: readonly Output[]): Buffer =>
  Buffer.concat([
    ...outputs.map(({ name, datatype = 'BYTES' }) =>
      encodeBytesField(
        5,
        Buffer.concat([
          encodeStringField(1, name),
          encodeStringField(2, datatype),
          encodeBytesField(3, encodeVarint(1)),
        ]),
      ),
    ),
    ...outputs.map(({ data }) => encodeBytesField(6, data)),
  ]);

const textOf = (...outputs: readonly Output[]) => {
  const bytes = response(...outputs);
  return outputText(bytes, 0, bytes.length);
};

describe('the text of an answer', () => {
  it('is that of text_output, or of the only output of text', () => {
    expect(textOf({ name: 'reason', data: texts('stop') }, { name: 'text_output', data: texts('a é') })).toBe(
      'a é',
    );
    const score = { name: 'score', datatype: 'FP32', data: Buffer.alloc(4) };
    expect(textOf(score, { name: 'OUT', data: texts('a', 'b') })).toBe('ab');
  });

  it('is missing where it cannot be told, and of bytes that are no such tensor', () => {
    expect(textOf({ name: 'a', data: texts('1') }, { name: 'b', data: texts('2') })).toBeNull();
    expect(textOf({ name: 'x', datatype: 'FP32', data: Buffer.alloc(4) })).toBeNull();
    expect(textOf({ name: 'text_output', data: Buffer.from([9, 0, 0, 0, 65]) })).toBeNull();
  });
});

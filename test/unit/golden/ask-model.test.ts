import { describe, expect, it } from 'vitest';
import { askModel, joinAnswers } from '../../../main/golden/ask-model';
import type { TritonClient } from '../../../main/triton/client';
import { decodeTensor } from '../../../main/triton/decode-tensor';
import { encodeTexts, encodeValues } from '../../../main/triton/encode-values';
import type { ModelConfig } from '../../../main/triton/model-config';
import type { Tensor } from '../../../main/triton/tensor';
import { rejection } from '../../support/rejection';

const text = (...values: readonly (string | Uint8Array)[]): Tensor => ({
  ...{ name: 'text_output', datatype: 'BYTES', shape: [values.length] },
  data: encodeTexts(values),
});
const number = (value: number): Tensor => ({
  ...{ name: 'score', datatype: 'FP32', shape: [1] },
  data: encodeValues('FP32', [value]),
});

describe('the responses to one request', () => {
  it('are one text, whatever its pieces', () => {
    const bytes = Buffer.from('né 日本');
    const pieces = [bytes.subarray(0, 2), bytes.subarray(2, 5), bytes.subarray(5)];
    const joined = joinAnswers(
      'lm',
      pieces.map((piece) => [text(piece)]),
    );
    expect(joined.map(decodeTensor)).toEqual([
      { name: 'text_output', datatype: 'BYTES', shape: [1], values: ['né 日本'] },
    ]);
  });

  it('are themselves where there is one, or none', () => {
    const only = [number(0.5), text('a', 'b')];
    expect(joinAnswers('lm', [only])).toBe(only);
    expect(joinAnswers('lm', [])).toEqual([]);
  });

  it.each([
    ['numbers', [[number(1)], [number(2)]]],
    ['several texts at a time', [[text('a', 'b')], [text('c', 'd')]]],
    ['an output that one of them lacks', [[text('a')], [number(1)]]],
  ])('are refused where they are %s', async (_what, answers) => {
    const refused = Promise.resolve().then(() => joinAnswers('lm', answers));
    expect(await rejection(refused)).toMatchObject({
      code: 'combination-unsupported',
      message: 'lm is decoupled, and sent 2 responses to one request that are not single texts',
    });
  });
});

it('asks a decoupled model over a stream only', async () => {
  const config = {
    ...{ name: 'lm', maxBatchSize: 0, input: [], output: [] },
    modelTransactionPolicy: { decoupled: true },
  } as ModelConfig;
  const client = { infer: () => Promise.reject(new Error('not over HTTP')) } as unknown as TritonClient;
  expect(await rejection(askModel({ client, model: 'lm', version: '', config }, []))).toMatchObject({
    code: 'combination-unsupported',
    remedy: 'Golden files support models with one response per request.',
  });
});

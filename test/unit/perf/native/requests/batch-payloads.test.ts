import { describe, expect, it } from 'vitest';
import { batchPayloads } from '../../../../../main/perf/native/requests/batch-payloads';
import { parseAddress } from '../../../../../main/perf/native/seam/load-job';

const tensor = (samples: number) => ({
  name: 'X',
  datatype: 'UINT8' as const,
  shape: [1],
  samples: Array.from({ length: samples }, (_unused, index) => Buffer.from([index])),
});
const sent = (samples: number, batchSize: number) =>
  batchPayloads({ tensors: [tensor(samples)], batchSize, batched: true }).map((inputs) => [
    ...(inputs[0]?.data ?? []),
  ]);

describe('the requests of a level', () => {
  it('take the samples in turn and begin again behind the last', () => {
    expect(sent(3, 1)).toEqual([[0], [1], [2]]);
    expect(sent(3, 2)).toEqual([
      [0, 1],
      [2, 0],
      [1, 2],
    ]);
    expect(sent(1, 3)).toEqual([[0, 0, 0]]);
  });

  it('are as many as it takes until they repeat', () => {
    expect(sent(4, 2)).toEqual([
      [0, 1],
      [2, 3],
    ]);
    expect(sent(4, 8)).toEqual([[0, 1, 2, 3, 0, 1, 2, 3]]);
  });

  it('have the shape of their items, which is one', () => {
    const varied = { ...tensor(3), shapes: [[1], [2], [2]] };
    const of = (batchSize: number) => batchPayloads({ tensors: [varied], batchSize, batched: true });
    expect(of(1).map((inputs) => inputs[0]?.shape)).toEqual([
      [1, 1],
      [1, 2],
      [1, 2],
    ]);
    expect(() => of(2)).toThrow('Entries 0 and 1 have X as [1] and [2]');
  });

  it('are padded to their longest item where the tensor says with what', () => {
    const samples = [[1], [2, 2], [3, 3, 3]].map((values) => Buffer.from(new Uint16Array(values).buffer));
    const tokens = {
      ...{ name: 'X', datatype: 'UINT16' as const, shape: [1], shapes: [[1], [2], [3]], samples },
      padding: Buffer.from(new Uint16Array([9]).buffer),
    };
    const of = (tensor: typeof tokens, batchSize: number) =>
      batchPayloads({ tensors: [tensor], batchSize, batched: true }).map(([input]) => [
        input?.shape,
        [...new Uint16Array(Uint8Array.from(input?.data ?? []).buffer)],
      ]);
    expect(of(tokens, 2)).toEqual([
      [
        [2, 2],
        [1, 9, 2, 2],
      ],
      [
        [2, 3],
        [3, 3, 3, 1, 9, 9],
      ],
      [
        [2, 3],
        [2, 2, 9, 3, 3, 3],
      ],
    ]);
    expect(of(tokens, 1).map(([shape]) => shape)).toEqual([
      [1, 1],
      [1, 2],
      [1, 3],
    ]);
    const wide = {
      ...tokens,
      shapes: [
        [1, 1],
        [1, 2],
        [1, 3],
      ],
    };
    expect(() => of(wide, 2)).toThrow('they cannot be in one batch');
  });

  it('have a batch dimension where the model has one', () => {
    const shape = (batched: boolean) =>
      batchPayloads({ tensors: [tensor(1)], batchSize: 1, batched })[0]?.[0]?.shape;
    expect(shape(true)).toEqual([1, 1]);
    expect(shape(false)).toEqual([1]);
  });
});

describe('addresses', () => {
  it.each([
    ['localhost:8001', { host: 'localhost', port: 8001 }],
    ['[::1]:8000', { host: '::1', port: 8000 }],
  ])('%s', (text, expected) => {
    expect(parseAddress(text)).toEqual(expected);
  });

  it.each(['localhost', ':1', 'a:0', 'a:70000', 'http://a:1', '::1:8000'])('%s is none', (text) => {
    expect(() => parseAddress(text)).toThrow(/host:port/);
  });
});

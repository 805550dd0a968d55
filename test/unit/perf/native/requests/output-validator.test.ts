import { describe, expect, it, vi } from 'vitest';
import {
  encodeBytesField,
  encodeStringField,
  encodeVarint,
} from '../../../../../main/perf/native/grpc/protobuf';
import { decodeGrpcOutputs } from '../../../../../main/perf/native/grpc/response';
import { OutputValidator } from '../../../../../main/perf/native/requests/output-validator';
import type { OutputCheckJob } from '../../../../../main/perf/native/seam/load-job';
import type { Tensor } from '../../../../../main/triton/tensor';

const floats = (...values: number[]) => Buffer.from(Float32Array.from(values).buffer);
const y = (values: readonly number[], shape: readonly number[] = [2, 2], name = 'Y'): Tensor => ({
  name,
  datatype: 'FP32',
  shape,
  data: floats(...values),
});
const job: OutputCheckJob = {
  outputs: [{ name: 'Y', datatype: 'FP32', shape: [-1, -1] }],
  finite: false,
  expected: [],
};
/** What is wrong with the first response to request `payload` of batch size 2. */
function kindOf(outputs: readonly Tensor[], change: Partial<OutputCheckJob> = {}, payload = 0) {
  const validator = new OutputValidator({ ...job, ...change }, { batchSize: 2, batched: true });
  expect(validator.begin(3, payload)).toBe(true);
  validator.check(3, payload, () => outputs);
  return validator.take(3)?.fault?.kind ?? null;
}

describe('a response', () => {
  it.each<[string, Tensor, string | null]>([
    ['as the model says', y([1, 2, 3, 4]), null],
    ['of another type', { ...y([1, 2, 3, 4]), datatype: 'INT32' }, 'output type'],
    ['of another rank', y([1, 2, 3, 4], [4]), 'output shape'],
    ['of another batch', y([1, 2, 3, 4], [1, 4]), 'output shape'],
    ['shorter than its shape', y([1, 2, 3]), 'output size'],
    ['by another name', y([1, 2, 3, 4], [2, 2], 'Z'), 'output missing'],
  ])('%s', (_what, output, kind) => {
    expect(kindOf([output])).toBe(kind);
  });

  it('with NaN or an infinity is wrong where that is asked for', () => {
    for (const value of [NaN, Infinity]) {
      expect(kindOf([y([1, value, 3, 4])])).toBeNull();
      expect(kindOf([y([1, value, 3, 4])], { finite: true })).toBe('output not finite');
    }
    const words = { name: 'Y', datatype: 'BYTES', shape: [2, 1], data: Buffer.from('\x01\0\0\0a\0\0\0\0') };
    const outputs = [{ name: 'Y', datatype: 'BYTES', shape: [-1, 1] }];
    expect(kindOf([words], { outputs, finite: true })).toBeNull();
    expect(kindOf([{ ...words, data: words.data.subarray(1) }], { outputs })).toBe('output size');
  });

  it('is compared with the samples of its own request', () => {
    const samples = [floats(1, 2), floats(3, NaN), floats(5, 6)];
    const expected = [{ name: 'Y', datatype: 'FP32' as const, shape: [2], samples }];
    expect(kindOf([y([1, 2, 3, NaN])], { expected })).toBeNull();
    expect(kindOf([y([1, 2, 3.0001, NaN])], { expected })).toBeNull();
    expect(kindOf([y([1, 2, 3.1, NaN])], { expected })).toBe('output differs');
    expect(kindOf([y([1, 2, 3, 4])], { expected })).toBe('output differs');
    // Request 1 has the third sample and, from the beginning again, the first.
    expect(kindOf([y([5, 6, 1, 2])], { expected }, 1)).toBeNull();
    expect(kindOf([y([1, 2, 3, NaN])], { expected }, 1)).toBe('output differs');
    expect(kindOf([y([1, 2, 3], [2, -1])], { expected, outputs: [] })).toBe('output differs');
  });

  it('that cannot be decoded is wrong', () => {
    const validator = new OutputValidator(job, { batchSize: 1, batched: false });
    validator.begin(0, 0);
    validator.check(0, 0, () => {
      throw new Error('cut off');
    });
    expect(validator.take(0)?.fault).toEqual({ kind: 'bad response', message: 'cut off' });
    expect(validator.counts).toMatchObject({ checked: 1, wrong: 1, compared: 0 });
  });
});

describe('NaN and infinities', () => {
  it.each([
    ['FP64', Buffer.from(Float64Array.of(1, -Infinity).buffer)],
    ['FP32', floats(1, NaN)],
    ['FP16', Buffer.from(Uint16Array.of(0x3c00, 0x7e00).buffer)],
    ['BF16', Buffer.from(Uint16Array.of(0x3f80, 0xff80).buffer)],
  ])('are found in %s', (datatype, data) => {
    const outputs = [{ name: 'Y', datatype, shape: [2] }];
    const validator = new OutputValidator({ ...job, outputs }, { batchSize: 1, batched: false });
    const odd = Buffer.concat([Buffer.alloc(1), data]).subarray(1);
    for (let round = 0; round < 2; round += 1) {
      if (validator.begin(0, 0))
        validator.check(0, 0, () => [{ name: 'Y', datatype, shape: [2], data: odd }]);
      expect(validator.take(0)?.fault ?? null).toBeNull();
    }
    // The second response to a request is not one of the first ones.
    expect(validator.counts).toMatchObject({ wrong: 0, finiteChecked: 1, notFinite: 1 });
    expect(validator.counts.notFiniteMessage).toBe('Y has NaN or an infinity at value 1');
  });
});

it('looks at every response where values are expected, as long as that takes a twentieth of the time', () => {
  const clock = vi.spyOn(performance, 'now');
  try {
    const samples = [floats(1, 2)];
    const expected = [{ name: 'Y', datatype: 'FP32' as const, shape: [2], samples }];
    const checkedCount = (everyMs: number, checkMs: number) => {
      let atMs = 0;
      clock.mockImplementation(() => atMs);
      const validator = new OutputValidator({ ...job, expected }, { batchSize: 1, batched: true });
      for (let round = 0; round < 1000; round += 1) {
        atMs += everyMs;
        if (!validator.begin(0, 0)) continue;
        validator.check(0, 0, () => {
          atMs += checkMs;
          return [y([1, 3], [1, 2])];
        });
        expect(validator.take(0)?.fault?.kind).toBe('output differs');
      }
      return { ...validator.counts, spent: (validator.counts.checked * checkMs - 100) / atMs };
    };
    expect(checkedCount(1, 0.01)).toMatchObject({ checked: 1000, compared: 1000, wrong: 1000 });
    const { checked, spent } = checkedCount(1, 0.5);
    expect(checked).toBeGreaterThan(80);
    expect(spent).toBeLessThan(0.06);
  } finally {
    clock.mockRestore();
  }
});

describe('several responses to one request', () => {
  const expected = [{ name: 'Y', datatype: 'FP32' as const, shape: [2], samples: [floats(1, 2)] }];
  const one = (
    change: Partial<OutputCheckJob> = { finite: true, expected },
  ): [OutputValidator, (values: readonly number[], first: boolean) => void] => {
    const validator = new OutputValidator(
      { ...job, anyBatch: true, ...change },
      { batchSize: 1, batched: true },
    );
    const check = (values: readonly number[], first: boolean) => {
      if (first) validator.begin(0, 0);
      validator.check(0, 0, () => [y(values, [values.length / 2, 2])]);
    };
    return [validator, check];
  };

  it('are all looked at, and the first fault is told', () => {
    const [validator, check] = one();
    for (const [index, value] of [1, NaN, 5, Infinity].entries()) check([value, 2], index === 0);
    expect(validator.take(0)?.fault?.message).toContain('NaN or an infinity at value 0');
    expect(validator.counts).toMatchObject({ checked: 4, wrong: 2, compared: 0 });
    expect(validator.take(0)).toBeNull();
  });

  it('are not held against values that are of one response', () => {
    const [validator, check] = one();
    check([7, 8], true);
    check([1, 2, 3, 4], false);
    expect(validator.take(0)?.fault).toBeNull();
    expect(validator.counts).toMatchObject({ checked: 2, wrong: 0, compared: 0 });
  });

  it('that turn out to be one are', () => {
    const [validator, check] = one();
    check([7, 8], true);
    expect(validator.take(0)?.fault?.kind).toBe('output differs');
    expect(validator.counts).toMatchObject({ checked: 1, wrong: 1, compared: 1 });
  });

  it('of a request that is passed over are all passed over', () => {
    const [validator, check] = one({});
    // The first of its kind, then the first that is picked at random, then one that is not.
    for (let round = 0; round < 3; round += 1) check([1, 2], true);
    check([NaN, NaN], false);
    expect(validator.take(0)).toBeNull();
    expect(validator.counts.checked).toBe(2);
  });
});

it('looks at the first response to each request, and then at one in a hundred or so', () => {
  const validator = new OutputValidator(job, { batchSize: 2, batched: true });
  const checkedCount = new Set<number>();
  for (let round = 0; round < 4000; round += 1) {
    for (const payload of [0, 1, 2, 3]) {
      if (!validator.begin(0, payload)) continue;
      checkedCount.add(payload);
      validator.check(0, payload, () => [y([1, 2, 3, 4])]);
    }
    if (round === 0) expect(checkedCount.size).toBe(4);
  }
  expect(validator.counts.checked).toBeGreaterThan(120);
  expect(validator.counts.checked).toBeLessThan(200);
});

it('decodes a gRPC response', () => {
  const output = Buffer.concat([
    encodeStringField(1, 'Y'),
    encodeStringField(2, 'FP32'),
    encodeBytesField(3, Buffer.concat([encodeVarint(2), encodeVarint(1)])),
  ]);
  const message = Buffer.concat([
    encodeStringField(1, 'model'),
    encodeBytesField(5, output),
    encodeBytesField(6, floats(7, 8)),
  ]);
  const framed = Buffer.concat([Buffer.from([9, 9]), message, Buffer.from([9])]);
  expect(decodeGrpcOutputs(framed, 2, 2 + message.length)).toEqual([y([7, 8], [2, 1])]);
});

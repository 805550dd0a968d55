import { describe, expect, it } from 'vitest';
import { WorkbenchError } from '../../../../main/contract/errors';
import { parseInputJson } from '../../../../main/perf/input/parse-input-json';
import type { WantedTensors } from '../../../../main/perf/input/wanted-tensor';

const wanted: WantedTensors = {
  inputs: [
    { name: 'X', datatype: 'FP32', shape: [2, 2] },
    { name: 'N', datatype: 'INT64', shape: [-1], sample: undefined, optional: true },
  ],
  outputs: [{ name: 'Y', datatype: 'FP32', shape: [2] }],
};
const texts: WantedTensors = { inputs: [{ name: 'T', datatype: 'BYTES', shape: [1] }], outputs: [] };

const read = (value: unknown, of: WantedTensors = wanted) =>
  parseInputJson(typeof value === 'string' ? value : JSON.stringify(value), of, 'data.json');
const floats = (...values: number[]) => Buffer.from(Float32Array.from(values).buffer);
const x = [1, 2, 3, 4];

describe("perf_analyzer's file of input data", () => {
  it('has entries with flat lists', () => {
    const { streams, expected } = read({ data: [{ X: x }, { X: [5, 6, 7, 8] }] });
    expect(streams.map((stream) => stream.map((entry) => entry.get('X')?.data))).toEqual([
      [floats(1, 2, 3, 4), floats(5, 6, 7, 8)],
    ]);
    expect(streams[0]?.[0]?.get('X')?.shape).toEqual([2, 2]);
    expect(expected).toBeNull();
  });

  it('may have a class for each entry, which is no tensor', () => {
    const data = [{ X: x, class: 'short' }, { X: x }];
    expect(read({ data }).classes).toEqual(['short', '']);
    expect(read({ data, validation_data: [{ Y: [1, 2] }, { Y: [1, 2] }] }).classes).toEqual(['short', '']);
    expect(read({ data: [{ X: x }] }).classes).toBeUndefined();
  });

  it('takes lists nested as the shape is, and a member "model" that is not looked at', () => {
    const [[entry] = []] = read({
      data: [
        {
          X: [
            [1, 2],
            [3, 4],
          ],
          model: 'a',
        },
      ],
    }).streams;
    expect(entry?.get('X')?.data).toEqual(floats(...x));
  });

  it('has content with a shape of its own, as values and in base64', () => {
    const raw = Buffer.from(BigInt64Array.from([1n, -(2n ** 60n)]).buffer).toString('base64');
    const { streams } = read({
      data: [
        { X: x, N: { content: [7, 8, 9], shape: [3] } },
        { X: { b64: floats(...x).toString('base64') }, N: { content: { b64: raw }, shape: [2] } },
      ],
    });
    expect(streams[0]?.map((entry) => entry.get('N')?.shape)).toEqual([[3], [2]]);
    expect(streams[0]?.[1]?.get('N')?.data.readBigInt64LE(8)).toBe(-(2n ** 60n));
    expect(streams[0]?.[1]?.get('X')?.data).toEqual(floats(...x));
  });

  it('takes the shape of the command line where an entry has none', () => {
    const [first, second] = wanted.inputs;
    if (first === undefined || second === undefined) throw new Error('no inputs');
    const given = { ...wanted, inputs: [first, { ...second, sample: [2] }] };
    const { streams } = read(
      {
        data: [
          { X: x, N: [1, 2] },
          { X: x, N: { content: [1], shape: [1] } },
        ],
      },
      given,
    );
    expect(streams[0]?.map((entry) => entry.get('N')?.shape)).toEqual([[2], [1]]);
  });

  it('has texts, which carry their lengths', () => {
    const { streams } = read(
      { data: [{ T: ['ä'] }, { T: { b64: Buffer.from('\x01\0\0\0b').toString('base64') } }] },
      texts,
    );
    expect(streams[0]?.map((entry) => entry.get('T')?.data)).toEqual([
      Buffer.from('\x02\0\0\0\xc3\xa4', 'latin1'),
      Buffer.from('\x01\0\0\0b'),
    ]);
  });

  it('keeps streams apart', () => {
    const { streams } = read({ data: [[{ X: x }, { X: x }, { X: x }], [{ X: x }]] });
    expect(streams.map((stream) => stream.length)).toEqual([3, 1]);
  });

  it('has what the entries are to be answered with', () => {
    const { expected } = read({ data: [{ X: x }], validation_data: [{ Y: [1, 2] }] });
    expect(expected?.[0]?.[0]?.get('Y')?.data).toEqual(floats(1, 2));
    const both = read({
      data: [[{ X: x }], [{ X: x }]],
      validation_data: [[{ Y: [1, 2] }], [{ Y: [3, 4] }]],
    });
    expect(both.expected?.map((stream) => stream.length)).toEqual([1, 1]);
  });

  it('has outputs of any length where the model says that they vary', () => {
    const varying = {
      inputs: wanted.inputs,
      outputs: [{ name: 'Y', datatype: 'FP32' as const, shape: [-1, -1] }],
    };
    const { expected } = read({ data: [{ X: x }], validation_data: [{ Y: [1, 2, 3] }] }, varying);
    expect(expected?.[0]?.[0]?.get('Y')?.data).toEqual(floats(1, 2, 3));
  });

  it('names the values of a type', () => {
    const of = (datatype: 'BOOL' | 'FP16' | 'BF16' | 'UINT8' | 'INT16') => ({
      inputs: [{ name: 'V', datatype, shape: [3] }],
      outputs: [],
    });
    const bytes = (datatype: Parameters<typeof of>[0], values: unknown[]) =>
      read({ data: [{ V: values }] }, of(datatype)).streams[0]?.[0]?.get('V')?.data;
    expect(bytes('BOOL', [true, 0, 1])).toEqual(Buffer.from([1, 0, 1]));
    expect(bytes('UINT8', [0, 255, 7])).toEqual(Buffer.from([0, 255, 7]));
    expect(bytes('INT16', [-1, 0, 258])).toEqual(Buffer.from([255, 255, 0, 0, 2, 1]));
    // 0.1, the largest one, and one below the normal numbers, as numpy rounds them.
    expect(bytes('FP16', [0.1, 65504, 1e-7])?.toString('hex')).toBe('662eff7b0200');
    expect(bytes('FP16', [-2, 1e9, 2 ** -14 - 2 ** -26])?.toString('hex')).toBe('00c0007c0004');
    expect(bytes('BF16', [1, -2.5, 0.1])?.toString('hex')).toBe('803f20c0cd3d');
  });
});

const { inputs, outputs } = wanted;
/** Each is one fault and the words that name it. */
const bad: [fault: string, value: unknown, words: RegExp, place?: RegExp][] = [
  ['no JSON', '{"data": [', /Not a JSON file/, /^data\.json$/],
  ['no object', '[]', /no member "data"/],
  ['no data', { inputs: [] }, /no member "data"/],
  ['data is no list', { data: {} }, /no list of entries/],
  ['an empty list', { data: [] }, /no list of entries/],
  ['an entry that is no object', { data: [{ X: x }, 7] }, /entry is not an object/, /data\[1\]$/],
  ['a tensor that the model does not have', { data: [{ X: x, Z: [1] }] }, /no tensor "Z"/, /data\[0\]/],
  [
    'a missing tensor',
    { data: [{ X: x }, { N: { content: [1], shape: [1] } }] },
    /X is missing.*FP32 \[2, 2\]/,
    /data\[1\]$/,
  ],
  [
    'too few values',
    { data: [{ X: [1, 2, 3] }] },
    /X has 3 values where FP32 \[2, 2\] has 4/,
    /data\[0\], X$/,
  ],
  ['a text among numbers', { data: [{ X: [1, 2, 3, 'a'] }] }, /value 3 \("a"\) is not a number/],
  ['null among numbers', { data: [{ X: [1, null, 3, 4] }] }, /value 1 \(null\) is not a number/],
  [
    'a number out of range',
    { data: [{ X: x, N: { content: [2 ** 63], shape: [1] } }] },
    /out of range.*base64/,
  ],
  [
    'a fraction among whole numbers',
    { data: [{ X: x, N: { content: [1.5], shape: [1] } }] },
    /not a whole number/,
  ],
  ['no shape where one is needed', { data: [{ X: x, N: [1] }] }, /N needs a shape.*INT64 \[-1\]/],
  ['a shape that is no list', { data: [{ X: { content: x, shape: 4 } }] }, /not a list of whole numbers: 4/],
  ['a negative size', { data: [{ X: x, N: { content: [], shape: [-1] } }] }, /not a list of whole numbers/],
  [
    'a shape with the batch in it',
    { data: [{ X: { content: x, shape: [1, 2, 2] } }] },
    /\[2, 2\] without the batch/,
  ],
  [
    'another shape',
    { data: [{ X: { content: x, shape: [4, 1] } }] },
    /shape \[4, 1\] where the model takes FP32 \[2, 2\]/,
  ],
  ['neither content nor b64', { data: [{ X: { shape: [2, 2] } }] }, /neither "content" nor "b64"/],
  ['content that is one value', { data: [{ X: 1 }] }, /X is 1 and not a list/],
  ['what is no base64', { data: [{ X: { b64: '*' } }] }, /not base64/],
  ['b64 that is no text', { data: [{ X: { b64: 5 } }] }, /not base64/],
  [
    'base64 of another length',
    { data: [{ X: { b64: 'AAAA' } }] },
    /X has 3 bytes where FP32 \[2, 2\] has 16/,
  ],
  ['entries beside streams', { data: [{ X: x }, [{ X: x }]] }, /are mixed/],
  ['an empty stream', { data: [[{ X: x }], []] }, /no entry/, /data\[1\]$/],
  [
    'a fault within a stream',
    { data: [[{ X: x }], [{ X: x }, { X: [] }]] },
    /0 values/,
    /data\[1\]\[1\], X$/,
  ],
  [
    'an optional tensor in some entries',
    { data: [{ X: x, N: { content: [1], shape: [1] } }, { X: x }] },
    /optional input N/,
  ],
  [
    'fewer validations than entries',
    { data: [{ X: x }, { X: x }], validation_data: [{ Y: [1, 2] }] },
    /1 entries where "data" has 2/,
  ],
  [
    'an unknown output',
    { data: [{ X: x }], validation_data: [{ Q: [1] }] },
    /no tensor "Q"/,
    /validation_data\[0\]/,
  ],
];

describe('a file that is not right is refused, and the place is named', () => {
  it.each(bad)('%s', (_fault, value, words, place) => {
    let error: unknown;
    try {
      read(value, { inputs, outputs });
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(WorkbenchError);
    if (!(error instanceof WorkbenchError)) return;
    expect(error.code).toBe('input-invalid');
    expect(error.message).toMatch(words);
    // What the form is, and never only that something is wrong.
    expect(error.remedy).toMatch(/It has: |["a-z].{10}/);
    expect(error.where).toMatch(place ?? /^data\.json/);
  });

  it.each<[string, unknown, RegExp]>([
    ['a number among texts', { data: [{ T: [5] }] }, /is not a string/],
    ['raw texts without lengths', { data: [{ T: { b64: 'YWJj' } }] }, /not a raw BYTES tensor/],
    ['more texts than the shape has', { data: [{ T: ['a', 'b'] }] }, /2 values/],
  ])('%s', (_fault, value, words) => {
    expect(() => read(value, texts)).toThrow(words);
  });
});

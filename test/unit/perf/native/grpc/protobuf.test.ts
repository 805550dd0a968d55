import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GrpcMessageReader } from '../../../../../main/perf/native/grpc/message-reader';
import {
  encodeBytesField,
  encodeStringField,
  encodeVarint,
  ProtobufReader,
} from '../../../../../main/perf/native/grpc/protobuf';
import { encodeGrpcRequest } from '../../../../../main/perf/native/grpc/request';
import { GrpcResponseChecker } from '../../../../../main/perf/native/grpc/response';
import { GrpcResponseSkimmer } from '../../../../../main/perf/native/grpc/stream';

/** A ModelInferResponse as Triton writes it, its outputs with the given data type, shape and raw bytes. */
function response(outputs: readonly { datatype: string; shape: readonly number[]; bytes: number }[]): Buffer {
  return Buffer.concat([
    encodeStringField(1, 'resnet50'),
    encodeStringField(2, '1'),
    ...outputs.map(({ datatype, shape }, index) =>
      encodeBytesField(
        5,
        Buffer.concat([
          encodeStringField(1, `OUTPUT__${index}`),
          encodeStringField(2, datatype),
          encodeBytesField(3, Buffer.concat(shape.map(encodeVarint))),
        ]),
      ),
    ),
    ...outputs.map(({ bytes }) => encodeBytesField(6, Buffer.alloc(bytes, 7))),
  ]);
}

const check = (message: Buffer) => new GrpcResponseChecker().check(message, 0, message.length);

describe('varints', () => {
  it('come back', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), (value) => {
        const bytes = encodeVarint(value);
        const reader = new ProtobufReader().open(bytes, 0, bytes.length);
        expect(reader.varint()).toBe(value);
        expect(reader.done).toBe(true);
      }),
    );
  });

  it('that never end are refused', () => {
    const bytes = Buffer.alloc(11, 0xff);
    expect(() => new ProtobufReader().open(bytes, 0, 11).varint()).toThrow(/more than ten/);
    expect(() => new ProtobufReader().open(bytes, 0, 3).varint()).toThrow(/ends inside/);
  });
});

describe('a request', () => {
  it('holds model, tensors and raw contents behind the gRPC prefix', () => {
    const data = Buffer.from(new Float32Array([1, 2]).buffer);
    const bytes = encodeGrpcRequest({ modelName: 'm', modelVersion: '3' }, [
      { name: 'X', datatype: 'FP32', shape: [300, 2], data },
    ]);
    expect(bytes[0]).toBe(0);
    expect(bytes.readUInt32BE(1)).toBe(bytes.length - 5);
    const found: [number, string][] = [];
    const reader = new ProtobufReader().open(bytes, 5, bytes.length);
    while (reader.next()) found.push([reader.number, bytes.toString('hex', reader.start, reader.end)]);
    expect(found).toEqual([
      [1, Buffer.from('m').toString('hex')],
      [2, Buffer.from('3').toString('hex')],
      [5, `0a01581204465033321a03ac0202`],
      [7, data.toString('hex')],
    ]);
  });

  it('leaves the version out where the server may choose', () => {
    const bytes = encodeGrpcRequest({ modelName: 'm', modelVersion: '' }, []);
    expect(bytes.toString('hex')).toBe('00000000030a016d');
  });
});

describe("a sequence's request", () => {
  const parameters = (bytes: Buffer) => {
    const found: string[] = [];
    const reader = new ProtobufReader().open(bytes, 5, bytes.length);
    while (reader.next())
      if (reader.number === 4) found.push(bytes.toString('hex', reader.start, reader.end));
    return found;
  };
  // A map entry: key (1), and value (2) with a bool (1) or an int64 (2) in it.
  const entry = (key: string, value: string) =>
    `0a${encodeVarint(key.length).toString('hex')}${Buffer.from(key).toString('hex')}12${encodeVarint(value.length / 2).toString('hex')}${value}`;

  it('says which sequence it belongs to, and whether it starts or ends it', () => {
    const sequence = { id: 300, start: true, end: false, step: 0, first: 0 };
    const bytes = encodeGrpcRequest({ modelName: 'm', modelVersion: '' }, [], { sequence, emptyFinal: true });
    expect(parameters(bytes)).toEqual([
      entry('sequence_id', '10ac02'),
      entry('sequence_start', '0801'),
      entry('sequence_end', '0800'),
      entry('triton_enable_empty_final_response', '0801'),
    ]);
  });
});

describe('a response', () => {
  it('is accepted when every output has the bytes of its shape and type', () => {
    expect(
      check(
        response([
          { datatype: 'FP32', shape: [2, 1000], bytes: 8000 },
          { datatype: 'INT64', shape: [1], bytes: 8 },
          { datatype: 'FP16', shape: [], bytes: 2 },
          { datatype: 'BYTES', shape: [1], bytes: 11 },
        ]),
      ),
    ).toBe(8021);
  });

  it.each([
    ['no output', [], /no output/],
    ['too few bytes', [{ datatype: 'FP32', shape: [2], bytes: 4 }], /4 bytes where .* 8/],
    ['empty contents', [{ datatype: 'FP32', shape: [1024], bytes: 0 }], /0 bytes where .* 4096/],
  ])('with %s is refused', (_what, outputs, message) => {
    expect(() => check(response(outputs))).toThrow(message);
  });

  it('that is cut anywhere is refused', () => {
    const whole = response([{ datatype: 'FP32', shape: [3], bytes: 12 }]);
    fc.assert(
      fc.property(fc.integer({ min: 0, max: whole.length - 1 }), (length) => {
        expect(() => check(whole.subarray(0, length))).toThrow();
      }),
    );
  });

  it('with typed contents in place of raw ones is refused', () => {
    const tensor = Buffer.concat([encodeStringField(2, 'FP32'), encodeBytesField(5, Buffer.alloc(0))]);
    expect(() => check(encodeBytesField(5, tensor))).toThrow(/typed contents/);
  });
});

/** What is said of a message: its bytes of contents, or why it is refused. */
function verdictOf(decode: () => number): number | string {
  try {
    return decode();
  } catch (error) {
    return (error as Error).message;
  }
}

/** The verdict on a message that comes in pieces of these sizes. */
function skim(skimmer: GrpcResponseSkimmer, message: Buffer, sizes: readonly number[]): number | string {
  return verdictOf(() => {
    let bytes: number | null = null;
    skimmer.begin(message.length);
    for (let at = 0, piece = 0; at < message.length; piece += 1) {
      const end = Math.min(message.length, at + (sizes[piece % sizes.length] ?? 1));
      // What was only lent for the call is gone after it.
      const lent = Buffer.from(message.subarray(at, end));
      bytes = skimmer.push(lent, 0, lent.length);
      lent.fill(0xee);
      at = end;
    }
    return bytes ?? -1;
  });
}

describe('a response that is decoded as it comes', () => {
  const outputs = fc.array(
    fc.record({
      datatype: fc.constantFrom('FP32', 'INT64', 'BYTES', 'UINT8'),
      shape: fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 3 }),
      bytes: fc.integer({ min: 0, max: 5000 }),
      right: fc.boolean(),
    }),
    { minLength: 1, maxLength: 4 },
  );
  const widths: Readonly<Record<string, number>> = { FP32: 4, INT64: 8, UINT8: 1 };
  const messages = outputs.map((all) =>
    response(
      all.map(({ datatype, shape, bytes, right }) => ({
        ...{ datatype, shape },
        bytes: right ? shape.reduce((product, size) => product * size, widths[datatype] ?? 1) : bytes,
      })),
    ),
  );
  const sizes = fc.array(fc.integer({ min: 1, max: 3000 }), { minLength: 1 });

  it('is judged as one that is there whole, wherever its pieces end', () => {
    const skimmer = new GrpcResponseSkimmer(new GrpcResponseChecker());
    fc.assert(
      fc.property(messages, sizes, (message, pieces) => {
        expect(skim(skimmer, message, pieces)).toBe(verdictOf(() => check(message)));
      }),
    );
  });

  it('is refused where the whole one would be, cut or with a wrong byte', () => {
    const skimmer = new GrpcResponseSkimmer(new GrpcResponseChecker());
    const wrong = fc.record({ at: fc.nat(), value: fc.integer({ min: 0, max: 255 }), cut: fc.nat() });
    fc.assert(
      fc.property(messages, sizes, wrong, (message, pieces, { at, value, cut }) => {
        const spoilt = Buffer.from(message.subarray(0, message.length - (cut % 3)));
        spoilt[at % spoilt.length] = value;
        const whole = verdictOf(() => check(spoilt));
        const inPieces = skim(skimmer, spoilt, pieces);
        // Which of several faults is found first may differ.
        expect(typeof inPieces).toBe(typeof whole);
        if (typeof whole === 'number') expect(inPieces).toBe(whole);
      }),
      { numRuns: 500 },
    );
  });

  it('may hold a field that is longer than what is kept at first', () => {
    const long = Buffer.concat([
      encodeStringField(3, 'i'.repeat(5000)),
      response([{ datatype: 'FP32', shape: [2], bytes: 8 }]),
    ]);
    expect(skim(new GrpcResponseSkimmer(new GrpcResponseChecker()), long, [700])).toBe(8);
  });
});

describe('a message in pieces', () => {
  it('is put together wherever they end', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 200 }),
        fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1 }),
        (content, sizes) => {
          const prefix = Buffer.alloc(5);
          prefix.writeUInt32BE(content.length, 1);
          const message = Buffer.concat([prefix, content]);
          const reader = new GrpcMessageReader();
          // Twice: a slot's reader is used again.
          for (let round = 0; round < 2; round += 1) {
            reader.reset();
            const seen: Buffer[] = [];
            let at = 0;
            for (let piece = 0; at < message.length; piece += 1) {
              const end = Math.min(message.length, at + (sizes[piece % sizes.length] ?? 1));
              reader.push(message, at, end, {
                message: (buffer, start, stop) => {
                  seen.push(Buffer.from(buffer.subarray(start, stop)));
                },
                gathers: () => true,
                piece: () => undefined,
              });
              at = end;
            }
            expect(seen).toEqual([Buffer.from(content)]);
            expect(reader.complete).toBe(true);
          }
        },
      ),
    );
  });

  it('is handed on as it comes where nobody wants it whole', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 1, maxLength: 200 }),
        fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1 }),
        (content, sizes) => {
          const message = Buffer.concat([Buffer.from([0, 0, 0, 0, content.length]), content]);
          const reader = new GrpcMessageReader();
          for (let round = 0; round < 2; round += 1) {
            reader.reset();
            const seen: Buffer[] = [];
            for (let at = 0, piece = 0; at < message.length; piece += 1) {
              const end = Math.min(message.length, at + (sizes[piece % sizes.length] ?? 1));
              reader.push(message, at, end, {
                // One that is there at once is handed over whole all the same.
                message: (buffer, start, stop) => {
                  seen.push(Buffer.from(buffer.subarray(start, stop)));
                },
                gathers: () => false,
                piece: (buffer, start, stop) => {
                  seen.push(Buffer.from(buffer.subarray(start, stop)));
                },
              });
              expect(reader.room(100_000)).toBeNull();
              at = end;
            }
            expect(Buffer.concat(seen)).toEqual(Buffer.from(content));
            expect(reader.complete).toBe(true);
          }
        },
      ),
    );
  });

  it('is refused when it is compressed, or not alone', () => {
    const nobody = { message: () => undefined, gathers: () => true, piece: () => undefined };
    const compressed = Buffer.from([1, 0, 0, 0, 0]);
    expect(() => {
      new GrpcMessageReader().push(compressed, 0, 5, nobody);
    }).toThrow(/compressed/);
    const two = Buffer.alloc(10);
    expect(() => {
      new GrpcMessageReader().push(two, 0, 10, nobody);
    }).toThrow(/more than one/);
  });
});

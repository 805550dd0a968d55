import { fileLimits } from '../contract/reader-limits';
import type { FileWindow } from '../platform/zip-directory';

/** A protobuf field in a file: a number, or the range of its bytes. */
export interface MessageField {
  readonly number: number;
  /** Of a varint; -1 for negative numbers and those beyond 2^53. */
  readonly value: number;
  readonly start: number;
  /** Equal to `start` for numbers. */
  readonly end: number;
}

/** More than any real graph: a file of tiny fields must not be walked for minutes. */
const { fields: fieldLimit, textBytes: textLimit } = fileLimits.protobufModel;
const stringLimit = 4096;

export class CutOff extends RangeError {
  /** @param wanted end of the field, bytes from the start of the file */
  constructor(readonly wanted: number) {
    super('A field goes beyond the end of its message');
  }
}

/** Walks protobuf messages in place and counts the fields. */
export class MessageWalk {
  private visited = 0;
  private textBytes = 0;

  constructor(private readonly file: FileWindow) {}

  /** Throws a RangeError or Error where the bytes are not a message. */
  *fields(start: number, end: number): Generator<MessageField> {
    let at = start;
    const varint = (): number => {
      let value = 0;
      let weight = 1;
      for (let count = 0; count < 10; count += 1) {
        if (at >= end) throw new CutOff(at + 1);
        const byte = this.file.byte(at);
        at += 1;
        value += (byte & 0x7f) * weight;
        if (byte < 0x80) return Number.isSafeInteger(value) ? value : -1;
        weight *= 128;
      }
      throw new Error('A number of more than ten bytes');
    };
    while (at < end) {
      this.visited += 1;
      if (this.visited > fieldLimit) throw new Error(`More than ${fieldLimit} fields`);
      const tag = varint();
      const number = Math.floor(tag / 8);
      if (number < 1) throw new Error('A field without a number');
      switch (tag % 8) {
        case 0: {
          const value = varint();
          yield { number, value, start: at, end: at };
          break;
        }
        case 1:
          at += 8;
          break;
        case 5:
          at += 4;
          break;
        case 2: {
          const length = varint();
          if (length < 0 || at + length > end) throw new CutOff(at + length);
          yield { number, value: 0, start: at, end: at + length };
          at += length;
          break;
        }
        default:
          throw new Error(`A field of the unknown type ${tag % 8}`);
      }
    }
    if (at > end) throw new CutOff(at);
  }

  entry(at: MessageField): readonly [string, MessageField | null] {
    let key = '';
    let value: MessageField | null = null;
    for (const field of this.fields(at.start, at.end)) {
      if (field.number === 1) key = this.text(field);
      if (field.number === 2) value = field;
    }
    return [key, value];
  }

  /** Refuses names over 4 KiB, and too many together. */
  text({ start, end }: MessageField): string {
    if (end - start > stringLimit) throw new Error(`A name of ${end - start} bytes`);
    this.textBytes += end - start;
    if (this.textBytes > textLimit) throw new Error(`Names of more than ${textLimit} bytes together`);
    return this.file.text(start, end - start);
  }
}

/** Throws an Error above the limit. */
export function limited(count: number, limit: number, what: string): void {
  if (count > limit) throw new Error(`More than ${limit} ${what}`);
}

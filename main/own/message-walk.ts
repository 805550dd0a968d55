import { fileLimits } from '../contract/reader-limits';
import type { FileWindow } from '../platform/zip-directory';

/** A field of a protobuf message in a file: a number, or where its bytes are. */
export interface MessageField {
  readonly number: number;
  /** Value of a varint; -1 for negative and other numbers beyond 2^53. */
  readonly value: number;
  readonly start: number;
  /** Equal to `start` for numbers. */
  readonly end: number;
}

/** More than any real graph has; a file of nothing but tiny fields is not walked for minutes. */
const { fields: fieldLimit, textBytes: textLimit } = fileLimits.protobufModel;
const stringLimit = 4096;

/** A field that says it is longer than the message, or the file, that it is in. */
export class CutOff extends RangeError {
  /** @param wanted the end of the field, in bytes from the beginning of the file. */
  constructor(readonly wanted: number) {
    super('A field goes beyond the end of its message');
  }
}

/** Walks protobuf messages of a file in place and counts what it visits. */
export class MessageWalk {
  private visited = 0;
  private textBytes = 0;

  constructor(private readonly file: FileWindow) {}

  /** The fields of the message between two offsets. Throws a RangeError or Error where the bytes are no message. */
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

  /** Key and value of an entry of a map. */
  entry(at: MessageField): readonly [string, MessageField | null] {
    let key = '';
    let value: MessageField | null = null;
    for (const field of this.fields(at.start, at.end)) {
      if (field.number === 1) key = this.text(field);
      if (field.number === 2) value = field;
    }
    return [key, value];
  }

  /** The text of a field; names longer than 4 KiB, and too many of them together, are refused. */
  text({ start, end }: MessageField): string {
    if (end - start > stringLimit) throw new Error(`A name of ${end - start} bytes`);
    this.textBytes += end - start;
    if (this.textBytes > textLimit) throw new Error(`Names of more than ${textLimit} bytes together`);
    return this.file.text(start, end - start);
  }
}

/** Throws an Error where a file has too many of something. */
export function limited(count: number, limit: number, what: string): void {
  if (count > limit) throw new Error(`More than ${limit} ${what}`);
}

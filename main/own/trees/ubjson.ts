import { fileLimits } from '../../contract/reader-limits';

const { depth: mostDepth, values: mostValues } = fileLimits.trees;

/** Numbers that nothing reads, such as thresholds: only their count is kept. */
export class SkippedNumbers {
  constructor(readonly length: number) {}
}

const sizes: Readonly<Record<string, number>> = { i: 1, U: 1, I: 2, l: 4, L: 8, d: 4, D: 8 };

/** Universal Binary JSON, draft 12, as XGBoost writes it. Numbers are big-endian. Throws an Error. */
class UbjsonReader {
  private at = 0;
  private values = 0;

  constructor(private readonly bytes: Buffer) {}

  document(): unknown {
    const value = this.value(this.marker(), 0);
    if (this.at < this.bytes.length) throw new Error('it has bytes behind its end');
    return value;
  }

  private need(count: number): void {
    if (count > this.bytes.length - this.at) throw new Error('it is cut off');
  }

  private marker(): string {
    this.need(1);
    const letter = String.fromCharCode(this.bytes[this.at] ?? 0);
    this.at += 1;
    return letter;
  }

  private peek(): string {
    this.need(1);
    return String.fromCharCode(this.bytes[this.at] ?? 0);
  }

  private number(type: string): number {
    const size = sizes[type];
    if (size === undefined) throw new Error(`it has a number of the unknown type ${JSON.stringify(type)}`);
    this.need(size);
    const from = this.at;
    this.at += size;
    switch (type) {
      case 'i':
        return this.bytes.readInt8(from);
      case 'U':
        return this.bytes.readUInt8(from);
      case 'I':
        return this.bytes.readInt16BE(from);
      case 'l':
        return this.bytes.readInt32BE(from);
      case 'L':
        return Number(this.bytes.readBigInt64BE(from));
      case 'd':
        return this.bytes.readFloatBE(from);
      default:
        return this.bytes.readDoubleBE(from);
    }
  }

  private length(): number {
    const type = this.marker();
    const count = /[dD]/.test(type) ? -1 : this.number(type);
    if (count < 0 || count > this.bytes.length) throw new Error('it has a length that it cannot have');
    return count;
  }

  private text(): string {
    const length = this.length();
    this.need(length);
    this.at += length;
    return this.bytes.toString('utf8', this.at - length, this.at);
  }

  private value(type: string, depth: number): unknown {
    this.values += 1;
    if (this.values > mostValues) throw new Error(`it has more than ${mostValues} values`);
    switch (type) {
      case '{':
        return this.object(depth + 1);
      case '[':
        return this.array(depth + 1);
      case 'S':
      case 'H':
        return this.text();
      case 'C':
        return this.marker();
      case 'T':
      case 'F':
        return type === 'T';
      case 'Z':
        return null;
      default:
        return this.number(type);
    }
  }

  /** Type and count of a container, where it states them. */
  private header(depth: number): { readonly type: string | null; readonly count: number | null } {
    if (depth > mostDepth)
      throw new Error(`it has more than ${mostDepth} lists and objects within each other`);
    let type: string | null = null;
    if (this.peek() === '$') {
      this.at += 1;
      type = this.marker();
      if (this.peek() !== '#') throw new Error('it has a list of one type without a count');
    }
    if (this.peek() !== '#') return { type, count: null };
    this.at += 1;
    return { type, count: this.length() };
  }

  private object(depth: number): Readonly<Record<string, unknown>> {
    const { type, count } = this.header(depth);
    const found: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
    for (let index = 0; count === null || index < count; index += 1) {
      while (count === null && this.peek() === 'N') this.at += 1;
      if (count === null && this.peek() === '}') {
        this.at += 1;
        break;
      }
      const name = this.text();
      found[name] = this.value(type ?? this.marker(), depth);
    }
    return found;
  }

  private array(depth: number): unknown {
    const { type, count } = this.header(depth);
    if (type !== null && count !== null) return this.typed(type, count, depth);
    const found: unknown[] = [];
    for (let index = 0; count === null || index < count; index += 1) {
      while (count === null && this.peek() === 'N') this.at += 1;
      if (count === null && this.peek() === ']') {
        this.at += 1;
        break;
      }
      found.push(this.value(this.marker(), depth));
    }
    return found;
  }

  /** Elements without a marker each. */
  private typed(type: string, count: number, depth: number): unknown {
    const size = sizes[type];
    if (size === undefined) {
      if (!/[SH{[]/.test(type)) throw new Error('it has a list of values without content');
      return Array.from({ length: count }, () => this.value(type, depth));
    }
    this.need(count * size);
    if (type === 'd' || type === 'D') {
      this.at += count * size;
      return new SkippedNumbers(count);
    }
    const found = type === 'L' ? new Float64Array(count) : new Int32Array(count);
    for (let index = 0; index < count; index += 1) found[index] = this.number(type);
    return found;
  }
}

/** Throws an Error for what is not UBJSON, or is beyond the limits. Lists of floats are only counted. */
export const parseUbjson = (bytes: Buffer): unknown => new UbjsonReader(bytes).document();

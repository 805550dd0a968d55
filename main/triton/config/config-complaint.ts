import * as protobuf from 'protobufjs/light.js';
import { type WorkbenchError } from '../../contract/errors';
import { nearestName } from '../../contract/fields/nearest-name';
import { integerRanges, modelConfigType, textName } from '../plain-message';
import { complaint, type ConfigToken, configTokens } from './config-tokens';

const deepest = 50;

/** Type names of other programs. */
const typeNames: readonly (readonly [RegExp, string])[] = [
  [/^(FLOAT|FLOAT32|F32|SINGLE)$/, 'TYPE_FP32'],
  [/^(HALF|FLOAT16|F16)$/, 'TYPE_FP16'],
  [/^(DOUBLE|FLOAT64|F64)$/, 'TYPE_FP64'],
  [/^(BFLOAT16)$/, 'TYPE_BF16'],
  [/^(INT|INTEGER|I32)$/, 'TYPE_INT32'],
  [/^(LONG|I64)$/, 'TYPE_INT64'],
  [/^(STR|BYTES|TEXT|UTF8|OBJECT)$/, 'TYPE_STRING'],
  [/^(BOOLEAN)$/, 'TYPE_BOOL'],
  [/^(BYTE|U8|CHAR)$/, 'TYPE_UINT8'],
];

function nearestValue(written: string, values: readonly string[]): string | null {
  const bare = written.toUpperCase().replace(/^(TYPE|KIND|FORMAT)_/, '');
  const alias = typeNames.find(([names, value]) => names.test(bare) && values.includes(value))?.[1];
  const ending = values.find((value) => value.endsWith(`_${bare}`));
  return alias ?? ending ?? nearestName(written, values);
}

/** Name and required type of a value. */
interface Slot {
  readonly name: string;
  readonly type: string;
  readonly resolved: protobuf.Type | protobuf.Enum | null;
  readonly repeated: boolean;
  /** Map entry with key and value. */
  readonly entry: boolean;
}

/** An open message: its fields and the position of its bracket. */
interface Open {
  readonly title: string;
  readonly slots: ReadonlyMap<string, Slot>;
  readonly line: number;
}

function slotOf(field: protobuf.Field): Slot {
  const { resolvedType, type, repeated } = field.resolve();
  const resolved =
    resolvedType instanceof protobuf.Type || resolvedType instanceof protobuf.Enum ? resolvedType : null;
  const entry = field instanceof protobuf.MapField;
  return { name: textName(field.name), type, resolved, repeated: repeated && !entry, entry };
}

function slotsOf(type: protobuf.Type): ReadonlyMap<string, Slot> {
  return new Map(type.fieldsArray.map((field) => [textName(field.name), slotOf(field)]));
}

/** Key and value fields of a map entry. */
function entrySlots(slot: Slot): ReadonlyMap<string, Slot> {
  const plain = { repeated: false, entry: false };
  return new Map([
    ['key', { name: 'key', type: 'any', resolved: null, ...plain }],
    ['value', { ...slot, name: 'value', ...plain }],
  ]);
}

const closing: Readonly<Record<string, string>> = { '{': '}', '<': '>' };
const closers = new Set(['}', '>', ']']);

/** Walks by schema, and throws at the first mismatch. */
class ConfigWalk {
  private at = 0;
  private readonly open: Open[] = [];

  constructor(private readonly tokens: readonly ConfigToken[]) {}

  file(): void {
    this.open.push({ title: 'config.pbtxt', slots: slotsOf(modelConfigType), line: 1 });
    this.fields(null);
  }

  private peek(): ConfigToken | undefined {
    return this.tokens[this.at];
  }

  private take(mark: string): ConfigToken | null {
    const token = this.peek();
    if (token?.kind !== 'mark' || token.text !== mark) return null;
    this.at += 1;
    return token;
  }

  private get lastLine(): number {
    return this.tokens[this.at - 1]?.line ?? 1;
  }

  private notClosed(opener: ConfigToken, token: ConfigToken | undefined): WorkbenchError {
    const close = closing[opener.text] ?? ']';
    const before = token === undefined ? 'the end of the file' : `"${token.text}" in line ${token.line}`;
    return complaint(
      opener.line,
      `"${opener.text}" is not closed before ${before}`,
      `Put "${close}" in front of ${before}.`,
    );
  }

  /** Fields up to the opener's closing bracket, or the end of file. */
  private fields(opener: ConfigToken | null): void {
    for (;;) {
      const token = this.peek();
      if (token === undefined) {
        if (opener === null) return;
        throw this.notClosed(opener, token);
      }
      if (opener !== null && this.take(closing[opener.text] ?? '')) return;
      if (token.kind === 'mark' && closers.has(token.text)) {
        if (opener !== null) throw this.notClosed(opener, token);
        throw complaint(token.line, `"${token.text}" closes nothing`, 'Remove it, or open it before.');
      }
      this.field(token, opener);
      if (this.take(',') === null) this.take(';');
    }
  }

  private field(token: ConfigToken, opener: ConfigToken | null): void {
    const current = this.open.at(-1);
    if (current === undefined) return;
    const { title, slots } = current;
    if (token.kind !== 'word') {
      throw complaint(
        token.line,
        `"${token.text}" where the name of a field of ${title} belongs`,
        token.kind === 'string'
          ? 'Names of fields have no quotes.'
          : 'Check the line, and the separator before it.',
      );
    }
    const slot = slots.get(token.text);
    if (slot === undefined) throw this.unknown(token, current, opener);
    this.at += 1;
    this.values(slot, token);
  }

  private unknown(
    { text, line }: ConfigToken,
    { title, slots }: Open,
    opener: ConfigToken | null,
  ): WorkbenchError {
    const outer = this.open.slice(0, -1).some((message) => message.slots.has(text));
    if (outer && opener !== null) return this.notClosed(opener, this.peek());
    const names = [...slots.keys()];
    const near = nearestName(text, names);
    return complaint(
      line,
      `"${text}" is not a field of ${title}`,
      near === null ? `Its fields are: ${names.join(', ')}.` : `Write ${near}.`,
    );
  }

  private values(slot: Slot, name: ConfigToken): void {
    const message = slot.entry || slot.resolved instanceof protobuf.Type;
    if (this.take(':') === null && !message) {
      throw complaint(name.line, `${slot.name} has no colon`, `Write ${slot.name}: value.`);
    }
    const list = this.take('[');
    if (list === null) return this.value(slot);
    if (!slot.repeated && !slot.entry) {
      throw complaint(list.line, `${slot.name} takes one value, not a list`, 'Remove the brackets [ ].');
    }
    if (this.take(']') !== null) return;
    for (;;) {
      this.value(slot);
      if (this.take(']') !== null) return;
      this.separator(slot, list);
    }
  }

  private separator(slot: Slot, list: ConfigToken): void {
    const comma = this.take(',');
    const next = this.peek();
    if (comma === null) {
      if (next === undefined || next.kind === 'word' || next.text === '}') throw this.notClosed(list, next);
      throw complaint(
        next.line,
        `No comma before "${next.text}" in ${slot.name}`,
        'Separate entries with commas.',
      );
    }
    if (next?.kind === 'mark' && (next.text === ']' || next.text === ',')) {
      throw complaint(
        comma.line,
        `A comma without a value after it in ${slot.name}`,
        'Remove the last comma.',
      );
    }
  }

  private value(slot: Slot): void {
    if (slot.entry || slot.resolved instanceof protobuf.Type) {
      this.message(slot);
      return;
    }
    const minus = this.take('-');
    const token = this.peek();
    const line = token?.line ?? this.lastLine;
    if (token === undefined || token.kind === 'mark') {
      const hint = slot.repeated ? `Write ${slot.name}: [ 1, 2 ].` : `Write ${slot.name}: value.`;
      throw complaint(line, `${slot.name} has no value`, hint);
    }
    this.at += 1;
    const wrong =
      slot.resolved instanceof protobuf.Enum
        ? enumComplaint(slot, token, Object.keys(slot.resolved.values))
        : scalarComplaint(slot, token, minus !== null);
    if (wrong !== null) throw wrong;
    // Adjacent strings are concatenated.
    while (token.kind === 'string' && this.peek()?.kind === 'string') this.at += 1;
  }

  private message(slot: Slot): void {
    const opener = this.take('{') ?? this.take('<');
    if (opener === null) {
      const token = this.peek();
      const inner =
        slot.resolved instanceof protobuf.Type ? [...slotsOf(slot.resolved).keys()] : ['key', 'value'];
      const [first = ''] = inner;
      throw complaint(
        token?.line ?? this.lastLine,
        `${slot.name} takes fields in braces`,
        first === 'key'
          ? `Write ${slot.name} { key: "NAME" value: … }.`
          : `Write ${slot.name}: { ${first}: … }.`,
      );
    }
    const slots = slot.resolved instanceof protobuf.Type ? slotsOf(slot.resolved) : new Map<string, Slot>();
    this.open.push({ title: slot.name, slots: slot.entry ? entrySlots(slot) : slots, line: opener.line });
    if (this.open.length <= deepest) this.fields(opener);
    this.open.pop();
  }
}

function enumComplaint(slot: Slot, { kind, text, line }: ConfigToken, values: readonly string[]) {
  if (kind === 'number' || (kind === 'word' && values.includes(text))) return null;
  const near = nearestValue(text, values);
  if (kind === 'string' && near === text) {
    return complaint(line, `${slot.name}: "${text}" is in quotes`, `Write ${slot.name}: ${text}.`);
  }
  const known = values.filter((value) => !value.endsWith('_INVALID')).join(', ');
  return complaint(
    line,
    `"${text.slice(0, 100)}" is not a value of ${slot.name}`,
    near === null ? `Write one of ${known}.` : `Write ${near}.`,
  );
}

function numberComplaint(slot: Slot, { kind, text, line }: ConfigToken, whole: boolean) {
  const write = (value: string) => `Write ${slot.name}: ${value}.`;
  if (kind === 'number' && (!whole || /^-?(\d+|0[xX][\da-fA-F]+)$/.test(text))) return null;
  const what = whole ? 'a whole number' : 'a number';
  const message = `${slot.name} must be ${what}, not ${kind === 'string' ? `"${text}"` : text}`;
  if (kind === 'string' && /^-?\d+$/.test(text))
    return complaint(line, message, `Without quotes: ${slot.name}: ${text}.`);
  if (kind === 'word' && !whole && /^(inf|infinity|nan)f?$/i.test(text)) return null;
  if (kind === 'word' && slot.name === 'dims')
    return complaint(line, message, `An axis that varies is -1: ${write('[ -1, 3 ]')}`);
  return complaint(line, message, write('8'));
}

function scalarComplaint(slot: Slot, token: ConfigToken, negative: boolean): WorkbenchError | null {
  const { kind, text, line } = token;
  const { name, type } = slot;
  if (type === 'any') return null;
  if (type === 'string') {
    if (kind === 'string') return null;
    return complaint(line, `${name} must be a text in quotes, not ${text}`, `Write ${name}: "${text}".`);
  }
  if (type === 'bool') {
    if (/^(true|false|True|False|t|f|0|1)$/.test(text) && kind !== 'string') return null;
    return complaint(
      line,
      `${name} must be true or false, not ${text}`,
      `Write ${name}: true, without quotes.`,
    );
  }
  if (negative && type.startsWith('uint')) {
    return complaint(line, `${name} must be 0 or more, not -${text}`, `Write ${name}: 0.`);
  }
  return numberComplaint(slot, token, /int/.test(type)) ?? rangeComplaint(slot, token, negative);
}

/** Integers out of range. */
function rangeComplaint(
  { name, type }: Slot,
  { text, line }: ConfigToken,
  negative: boolean,
): WorkbenchError | null {
  const [least, most] = integerRanges[type] ?? [];
  if (least === undefined || most === undefined || !/^\d+$/.test(text)) return null;
  const number = BigInt(text) * (negative ? -1n : 1n);
  if (number >= least && number <= most) return null;
  const what = `${name} cannot be ${number}: it is an ${type}`;
  return complaint(line, what, number > most ? `Use at most ${most}.` : `Use at least ${least}.`);
}

/** The first deviation from Triton's schema or text format syntax, with line and correction; null if none is found. */
export function configComplaint(text: string): WorkbenchError | null {
  if (/^\s*\{\s*("|\})/.test(text)) {
    return complaint(
      1,
      'The file is JSON; config.pbtxt is protobuf text format',
      'Write each field as name: value, without the outer braces and without quotes around names: name: "m" max_batch_size: 8.',
    );
  }
  try {
    new ConfigWalk(configTokens(text)).file();
    return null;
  } catch (error) {
    return error as WorkbenchError;
  }
}

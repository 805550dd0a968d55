import * as protobuf from 'protobufjs/light.js';
import { WorkbenchError } from '../../contract/errors';
import { canonicalJson } from '../../platform/files';
import { modelConfigType, type PlainMessage, plainMessage, textName } from '../plain-message';
import { applyEdits, type Edit, Layout, oneLine } from './config-layout';
import { configPath, type ConfigStep, entryIndex, withValue } from './config-path';
import { messageLines, parsePlain, scalarText } from './config-pbtxt';
import { type ConfigNode, type ConfigNodeMessage, type ConfigNodeValue, configTree } from './config-tree';

/** A message of the text whose field is changed; null for the file itself. */
interface Place {
  readonly message: ConfigNodeMessage | null;
  readonly fields: readonly ConfigNode[];
  readonly type: protobuf.Type;
}

type Steps = readonly ConfigStep[];

interface Entry {
  readonly node: ConfigNode;
  readonly value: ConfigNodeValue;
}

const letters: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

/** Text of a string without its escapes. */
function unescaped(text: string): string {
  return text.replace(/\\(?:([0-7]{1,3})|[xX]([\da-fA-F]{1,2})|([\s\S]))/g, (_all, octal, hex, other) => {
    if (octal !== undefined) return String.fromCharCode(parseInt(String(octal), 8));
    if (hex !== undefined) return String.fromCharCode(parseInt(String(hex), 16));
    return letters[String(other)] ?? String(other);
  });
}

/** Value of a text field of a message; undefined without it. */
function textOf({ message }: ConfigNodeValue, name: string): string | undefined {
  const found = message?.fields.find((field) => field.name === name)?.values[0];
  return found === undefined ? undefined : unescaped(found.parts.join(''));
}

const entriesOf = ({ fields }: Place, { field }: ConfigStep): readonly Entry[] =>
  fields
    .filter(({ name }) => name === textName(field.name) || name === field.name)
    .flatMap((node) => node.values.map((value) => ({ node, value })));

const messageType = (field: protobuf.Field): protobuf.Type | null =>
  field.resolvedType instanceof protobuf.Type ? field.resolvedType : null;

/** Changes one field of one text. */
class ConfigEdit {
  private readonly layout: Layout;

  constructor(
    text: string,
    private readonly path: string,
    private readonly value: unknown,
  ) {
    this.layout = new Layout(text);
  }

  private refused(message: string, remedy: string): WorkbenchError {
    return new WorkbenchError('config-invalid', `${this.path}: ${message}`, { where: this.path, remedy });
  }

  edits(place: Place, [step, ...rest]: Steps): Edit[] {
    if (step === undefined) return [];
    const { field, at } = step;
    const entries = entriesOf(place, step);
    if (at === null) {
      if (rest.length === 0 && field.repeated) return this.list(place, step, entries);
      const [entry] = entries;
      return entry === undefined ? this.add(place, step, rest) : this.change(entry, field, rest);
    }
    const names = entries.map(({ value }) => textOf(value, field.map ? 'key' : 'name'));
    // Of a key that appears twice, the last counts.
    const index = field.map ? names.lastIndexOf(String(at)) : entryIndex(at, names);
    const entry = entries[index];
    if (entry === undefined) {
      const isNext = field.map || at === entries.length;
      if (isNext || this.value === undefined) return this.append(place, step, rest, entries.at(-1));
      const what = typeof at === 'number' ? `entry ${at}` : `entry named "${at}"`;
      throw this.refused(`the file has no ${what}`, `It has ${entries.length}; the first is entry 0.`);
    }
    return field.map && (rest.length > 0 || this.value !== undefined)
      ? this.mapValue(entry, field, rest)
      : this.change(entry, field, rest);
  }

  /** Value of a map's entry, which is a field of the message `key`, `value`. */
  private mapValue({ value: { message } }: Entry, field: protobuf.Field, rest: Steps): Edit[] {
    const node = message?.fields.find(({ name }) => name === 'value');
    const [value] = node?.values ?? [];
    if (node === undefined || value === undefined) {
      return this.layout.insert([`value: ${this.valueText(field, rest)}`], message?.fields ?? [], message);
    }
    return this.change({ node, value }, field, rest);
  }

  private change(entry: Entry, field: protobuf.Field, rest: Steps): Edit[] {
    const { value } = entry;
    const type = messageType(field);
    if (rest.length > 0 && type !== null && value.message !== null) {
      return this.edits({ message: value.message, fields: value.message.fields, type }, rest);
    }
    if (this.value === undefined) return this.remove(entry);
    const { start, end } = value;
    const lines = this.valueLines(field, rest);
    const isLong = this.layout.isMultiline(value);
    return [{ start, end, text: isLong ? this.layout.linesAt(lines, start) : oneLine(lines) }];
  }

  private remove({ node, value }: Entry): Edit[] {
    if (node.list === null || node.values.length === 1) return [this.layout.cut(node)];
    const index = node.values.indexOf(value);
    const { comma } = value;
    if (comma !== null) return [this.layout.cut({ start: value.start, end: comma.end })];
    const before = node.values[index - 1]?.comma;
    return [
      ...(before === undefined || before === null ? [] : [{ ...spanOf(before), text: '' }]),
      this.layout.cut(value),
    ];
  }

  /** A field that the message lacks, with all that the path names below it. */
  private add({ fields, message, type }: Place, step: ConfigStep, rest: Steps): Edit[] {
    if (this.value === undefined) return [];
    return this.layout.insert(messageLines(type, this.plain(type, [step, ...rest])), fields, message);
  }

  private append(place: Place, step: ConfigStep, rest: Steps, last: Entry | undefined): Edit[] {
    const list = last?.node.list ?? null;
    if (this.value === undefined || last === undefined || list === null || step.field.map) {
      return this.add(place, step, rest);
    }
    const { end, start } = last.value;
    const lines = this.valueLines(step.field, rest);
    const isLong = this.layout.isMultiline({ start: list.open.start, end: list.close.end });
    const text = isLong ? this.layout.linesAt(['', ...lines], start) : ` ${oneLine(lines)}`;
    return [{ start: end, end, text: `,${text}` }];
  }

  /** All entries of a list: in place where their number is the same. */
  private list(place: Place, step: ConfigStep, entries: readonly Entry[]): Edit[] {
    const { field } = step;
    const nodes = [...new Set(entries.map(({ node }) => node))];
    const values = (this.value ?? []) as readonly unknown[];
    if (values.length === 0) return nodes.map((node) => this.layout.cut(node));
    const [first, ...others] = nodes;
    if (first === undefined) {
      const empty = place.fields.filter(({ name }) => name === textName(field.name));
      return [...empty.map((node) => this.layout.cut(node)), ...this.add(place, step, [])];
    }
    const texts = values.map((value) => oneLine(valueLinesOf(field, value)));
    if (texts.length === entries.length) {
      return entries.flatMap(({ value: { start, end, text } }, index) =>
        text === texts[index] ? [] : [{ start, end, text: texts[index] ?? '' }],
      );
    }
    const [from, to] = [first.values[0], first.values.at(-1)];
    const span = { start: from?.start ?? 0, end: to?.end ?? 0 };
    const all = texts.join(', ');
    return [
      { ...span, text: first.list === null ? `[ ${all} ]` : all },
      ...others.map((node) => this.layout.cut(node)),
    ];
  }

  /** The value with what the path names around it, as a message of a type. */
  private plain(type: protobuf.Type, steps: Steps): PlainMessage {
    return plainMessage(type, nested(steps, this.value), { unknown: 'reject' });
  }

  private valueLines(field: protobuf.Field, rest: Steps): readonly string[] {
    return valueLinesOf(field, nested(rest, this.value));
  }

  private valueText(field: protobuf.Field, rest: Steps): string {
    return oneLine(this.valueLines(field, rest));
  }
}

const spanOf = ({ start, end }: { readonly start: number; readonly end: number }) => ({ start, end });

function nested([step, ...rest]: Steps, value: unknown): unknown {
  if (step === undefined) return value;
  const { field, at } = step;
  const inner = nested(rest, value);
  if (field.map) return { [field.name]: at === null ? inner : { [String(at)]: inner } };
  return { [field.name]: at === null ? inner : [inner] };
}

function valueLinesOf(field: protobuf.Field, value: unknown): readonly string[] {
  const type = messageType(field);
  if (type === null) return [scalarText(field, value)];
  const lines = messageLines(type, plainMessage(type, value, { unknown: 'reject' }));
  return lines.length === 0 ? ['{ }'] : ['{', ...lines.map((line) => `  ${line}`), '}'];
}

/**
 * Changes one field of a config.pbtxt and keeps every other byte: comments, order, spacing, separators. A missing field is
 * written behind the others of its message, in their layout; `undefined` removes the field. The value is plain: a number,
 * text, boolean, list or message of names and values.
 * Throws config-invalid where the text, the path or the value is invalid.
 */
export function editConfigPbtxt(text: string, path: string, value: unknown): string {
  const before = parsePlain(text);
  const steps = configPath(path);
  const wanted = withValue(before, steps, value);
  const root = { message: null, fields: configTree(text), type: modelConfigType };
  const result = applyEdits(text, new ConfigEdit(text, path, value).edits(root, steps));
  if (canonicalJson(parsePlain(result)) === canonicalJson(wanted)) return result;
  throw new WorkbenchError('internal', `config.pbtxt does not read back as it was edited: ${path}`, {
    where: 'config.pbtxt',
    details: result,
  });
}

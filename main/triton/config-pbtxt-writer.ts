import * as protobuf from 'protobufjs/light.js';
import type { PlainMessage } from './plain-message';
import { textName } from './plain-message';

const escapes: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
};

/** Control characters become octal escapes; text beyond ASCII stays readable. */
function quote(text: string): string {
  let out = '';
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    const octal = code < 32 || code === 127 ? `\\${code.toString(8).padStart(3, '0')}` : character;
    out += escapes[character] ?? octal;
  }
  return `"${out}"`;
}

function scalarText(field: Pick<protobuf.FieldBase, 'resolvedType' | 'type'>, value: unknown): string {
  if (field.resolvedType instanceof protobuf.Enum) return String(value);
  if (field.type === 'string') return quote(String(value));
  if (Object.is(value, -0)) return '-0.0';
  return String(value).replace('Infinity', 'inf').replace('NaN', 'nan');
}

function indented(lines: readonly string[]): string[] {
  return lines.map((line) => `  ${line}`);
}

function block(head: string, lines: readonly string[], tail = '}'): string[] {
  return lines.length === 0 ? [`${head} ${tail}`] : [head, ...indented(lines), tail];
}

function mapLines(name: string, field: protobuf.MapField, map: PlainMessage): string[] {
  return Object.entries(map).flatMap(([key, value]) => {
    const { resolvedType } = field;
    const inner =
      resolvedType instanceof protobuf.Type
        ? messageLines(resolvedType, value as PlainMessage)
        : [scalarText(field, value)];
    const isMessage = resolvedType instanceof protobuf.Type;
    const valueLines =
      isMessage && inner.length <= 1
        ? [`value: { ${inner.join('')} }`]
        : isMessage
          ? block('value: {', inner)
          : [`value: ${inner.join('')}`];
    return block(`${name} {`, [`key: ${field.keyType === 'string' ? quote(key) : key}`, ...valueLines]);
  });
}

function fieldLines(field: protobuf.Field, value: unknown): string[] {
  const name = textName(field.name);
  if (field instanceof protobuf.MapField) return mapLines(name, field, value as PlainMessage);
  const { resolvedType } = field;
  if (!(resolvedType instanceof protobuf.Type)) {
    if (!field.repeated) return [`${name}: ${scalarText(field, value)}`];
    return [`${name}: [ ${(value as unknown[]).map((inner) => scalarText(field, inner)).join(', ')} ]`];
  }
  if (!field.repeated) return block(`${name} {`, messageLines(resolvedType, value as PlainMessage));
  const items = value as PlainMessage[];
  const lines = items.flatMap((item, index) =>
    block('{', messageLines(resolvedType, item), index === items.length - 1 ? '}' : '},'),
  );
  return block(`${name} [`, lines, ']');
}

/** A plain message (see plain-message.ts) as people write config.pbtxt: schema order, two spaces, lists in brackets. */
export function messageLines(type: protobuf.Type, message: PlainMessage): string[] {
  return [...type.fieldsArray]
    .sort((a, b) => a.id - b.id)
    .filter((field) => field.name in message)
    .flatMap((field) => fieldLines(field.resolve(), message[field.name]));
}

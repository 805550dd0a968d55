import * as textformat from 'protobufjs/ext/textformat.js';
import * as protobuf from 'protobufjs/light.js';
import { z } from 'zod';
import { WorkbenchError } from '../../contract/errors';
import { canonicalJson } from '../../platform/files';
import { type ModelConfig, modelConfigSchema } from '../model-config';
import { modelConfigType, type PlainMessage, plainMessage, textName } from '../plain-message';
import { configComplaint } from './config-complaint';

const escapes: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
};

/** Octal escapes for control characters; other text stays readable. */
function quote(text: string): string {
  let out = '';
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    const octal = code < 32 || code === 127 ? `\\${code.toString(8).padStart(3, '0')}` : character;
    out += escapes[character] ?? octal;
  }
  return `"${out}"`;
}

/** A scalar or enum value as text. */
export function scalarText(field: Pick<protobuf.FieldBase, 'resolvedType' | 'type'>, value: unknown): string {
  if (field.resolvedType instanceof protobuf.Enum) return String(value);
  if (field.type === 'string') return quote(String(value));
  if (Object.is(value, -0)) return '-0.0';
  return String(value).replace('Infinity', 'inf').replace('NaN', 'nan');
}

function block(head: string, lines: readonly string[], tail = '}'): string[] {
  return lines.length === 0 ? [`${head} ${tail}`] : [head, ...lines.map((line) => `  ${line}`), tail];
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

/** Formats a plain message (see plain-message.ts): schema order, two spaces, lists in brackets. */
export function messageLines(type: protobuf.Type, message: PlainMessage): string[] {
  return [...type.fieldsArray]
    .sort((a, b) => a.id - b.id)
    .filter((field) => field.name in message)
    .flatMap((field) => fieldLines(field.resolve(), message[field.name]));
}

const where = 'config.pbtxt';

/** The parser's error, or null. */
function complaint(text: string): string | null {
  try {
    textformat.fromText(modelConfigType, text);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** The parser omits the line for wrong types: the first after which the truncated text gives the same error. */
function lineOf(text: string, reason: string): number {
  const given = /\(line (\d+)\)/.exec(reason)?.[1];
  if (given !== undefined) return Number(given);
  const lines = text.split('\n');
  let low = 1;
  let high = lines.length;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (complaint(lines.slice(0, middle).join('\n')) === reason) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** `.inference.ModelInput.dataType` -> `ModelInput.data_type`. */
function readable(reason: string): string {
  return reason.replace(/\.inference\.([\w.]+)/g, (_all, name: string) =>
    name
      .split('.')
      .map((part) => (/^[A-Z]/.test(part) ? part : textName(part)))
      .join('.'),
  );
}

/** Every field of a text as a plain message. Throws config-invalid with the line. */
export function parsePlain(given: string): PlainMessage {
  let message: unknown;
  // Windows editors add a byte order mark.
  const text = given.replace(/^\ufeff/, '');
  try {
    message = textformat.fromText(modelConfigType, text);
  } catch (error) {
    const found = configComplaint(text);
    if (found !== null) throw found;
    const reason = error instanceof Error ? error.message : String(error);
    const line = lineOf(text, reason);
    const source = text.split('\n')[line - 1]?.trim() ?? '';
    const said = readable(reason.replace(/ \(line \d+\)/, ''));
    throw new WorkbenchError('config-invalid', `${said}: ${source.slice(0, 200)}`, {
      where: `${where}, line ${line}`,
      cause: error,
    });
  }
  return plainMessage(modelConfigType, message, { unknown: 'reject' });
}

/** Throws config-invalid with the invalid fields. */
export function toModelConfig(plain: unknown): ModelConfig {
  const parsed = modelConfigSchema.safeParse(plain);
  if (parsed.success) return parsed.data;
  throw new WorkbenchError('config-invalid', z.prettifyError(parsed.error), { where });
}

/** Comments are lost when {@link formatConfigPbtxt} writes it back. Throws config-invalid with the line. */
export function parseConfigPbtxt(text: string): ModelConfig {
  return toModelConfig(parsePlain(text));
}

/** Omits default values. */
function withoutDefaults(plain: PlainMessage): PlainMessage {
  const { name, maxBatchSize, ...rest } = plain;
  return {
    ...(name === '' ? {} : { name }),
    ...rest,
    ...(maxBatchSize === undefined ? {} : { maxBatchSize }),
  };
}

/** Formats config.pbtxt and verifies the round trip. Throws config-invalid naming the field. */
export function formatConfigPbtxt(config: ModelConfig): string {
  const plain = withoutDefaults(plainMessage(modelConfigType, config, { unknown: 'reject' }));
  const text = `${messageLines(modelConfigType, plain).join('\n')}\n`;
  if (canonicalJson(parsePlain(text)) !== canonicalJson(plain)) {
    throw new WorkbenchError('internal', 'config.pbtxt does not read back as it was written', {
      where,
      details: text,
    });
  }
  return text;
}

import * as protobuf from 'protobufjs/light.js';
import { editConfigPbtxt } from '../../../main/triton/config/config-editor';
import { parsePlain } from '../../../main/triton/config/config-pbtxt';
import { modelConfigType, type PlainMessage, textName } from '../../../main/triton/plain-message';

/** One value of a file, and another that its field takes. */
export interface FieldChange {
  readonly path: string;
  readonly from: unknown;
  readonly to: unknown;
}

const largest = 2 ** 31 - 1;

/** Another value of the same field. */
function other(field: protobuf.Field, value: unknown): unknown {
  if (field.resolvedType instanceof protobuf.Enum) {
    const names = Object.keys(field.resolvedType.values);
    return names.find((name) => name !== value) ?? value;
  }
  if (typeof value === 'boolean') return !value;
  if (typeof value === 'number') return value >= largest ? value - 1 : value + 1;
  return `${String(value)}_x`;
}

function* changesOf(type: protobuf.Type, message: PlainMessage, prefix: string): Generator<FieldChange> {
  for (const field of type.fieldsArray) {
    const value = message[field.name];
    if (value === undefined) continue;
    const { resolvedType } = field.resolve();
    const at = `${prefix}${textName(field.name)}`;
    const each: readonly (readonly [string, unknown])[] = field.map
      ? Object.entries(value as PlainMessage).map(([key, inner]) => [`${at}["${key}"]`, inner] as const)
      : field.repeated
        ? (value as readonly unknown[]).map((inner, index) => [`${at}[${index}]`, inner] as const)
        : [[at, value]];
    for (const [path, inner] of each) {
      if (resolvedType instanceof protobuf.Type) {
        yield* changesOf(resolvedType, inner as PlainMessage, `${path}.`);
      } else yield { path, from: inner, to: other(field, inner) };
    }
  }
}

/** Each value of a file with another one for it. Throws config-invalid. */
export const fieldChanges = (text: string): readonly FieldChange[] => [
  ...changesOf(modelConfigType, parsePlain(text), ''),
];

const startOf = (a: Buffer, b: Buffer): number => {
  let at = 0;
  while (at < a.length && at < b.length && a[at] === b[at]) at += 1;
  return at;
};

/** What was taken out of the bytes; null where nothing was changed. */
function takenOut(before: Buffer, after: Buffer): string {
  const start = startOf(before, after);
  const most = Math.min(before.length, after.length) - start;
  let tail = 0;
  while (tail < most && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail += 1;
  return before.subarray(start, before.length - tail).toString('utf8');
}

/** A value as a file may have it, of which the bytes that differ are a part. */
function isPartOf(taken: string, { from }: FieldChange): boolean {
  if (taken === '') return true;
  // Numbers are written in several ways, texts with escapes and in pieces: the token has no blank, comment or bracket.
  if (typeof from === 'string') return !/[\n#{}]/.test(taken) || from.includes(taken);
  return /^[\w.+-]+$/.test(taken);
}

/** Changes one value, and back: what other bytes became different; null: none. Throws config-invalid. */
export function damageOf(text: string, change: FieldChange): string | null {
  const before = Buffer.from(text);
  const after = Buffer.from(editConfigPbtxt(text, change.path, change.to));
  const taken = takenOut(before, after);
  if (!isPartOf(taken, change)) return `took out ${JSON.stringify(taken)}`;
  const put = takenOut(after, before);
  return put.length > JSON.stringify(change.to).length ? `put in ${JSON.stringify(put)}` : null;
}

/** Adds a field that the file lacks, and removes it: the bytes of the file are all there again; null: nothing to add. */
export function addedAndRemoved(text: string): boolean | null {
  const plain = parsePlain(text);
  const [path, value] =
    plain['metricTags'] === undefined ? ['metric_tags["added"]', 'here'] : ['response_cache.enable', true];
  if (path.startsWith('response') && plain['responseCache'] !== undefined) return null;
  const added = editConfigPbtxt(text, path, value);
  const before = Buffer.from(text);
  return takenOut(before, Buffer.from(added)) === '' && added.length > text.length;
}

import * as protobuf from 'protobufjs/light.js';
import { WorkbenchError } from '../../contract/errors';
import { nearestName } from '../../contract/fields/nearest-name';
import { modelConfigType, type PlainMessage, plainMessage, textName } from '../plain-message';

/** One field on the way: an entry of a list by index or by its name, an entry of a map by key; null for the field itself. */
export interface ConfigStep {
  readonly field: protobuf.Field;
  readonly at: number | string | null;
}

function refused(path: string, message: string, remedy: string): WorkbenchError {
  return new WorkbenchError('config-invalid', `${path}: ${message}`, { where: path, remedy });
}

const example = 'Write it as instance_group[0].count or parameters["name"].string_value.';

const pattern = /\.?([A-Za-z_]\w*)(?:\[(?:(\d{1,6})|"([^"]*)")\])?/g;

function fieldOf(type: protobuf.Type, name: string, path: string): protobuf.Field {
  const found = type.fieldsArray.find((field) => field.name === name || textName(field.name) === name);
  if (found !== undefined) return found.resolve();
  const names = type.fieldsArray.map((field) => textName(field.name));
  const near = nearestName(name, names);
  throw refused(
    path,
    `"${name}" is not a field of ${type.name}`,
    near === null ? `Its fields are: ${names.join(', ')}.` : `Write ${near}.`,
  );
}

/** Throws config-invalid where brackets and field do not fit. */
function checkBrackets({ field, at }: ConfigStep, isLast: boolean, path: string): void {
  const isList = field.repeated || field.map;
  const name = textName(field.name);
  if (at !== null && !isList) throw refused(path, `${name} is not a list`, 'Remove the brackets.');
  if (isList && at === null && !isLast) throw refused(path, `${name} is a list`, example);
}

/** `dynamic_batching.max_queue_delay_microseconds`, `input["images"].dims[0]`. Throws config-invalid naming the part. */
export function configPath(path: string): readonly ConfigStep[] {
  const parts = [...path.matchAll(pattern)];
  const isWhole = parts.length > 0 && !path.startsWith('.') && parts.map(([all]) => all).join('') === path;
  if (!isWhole) throw refused(path, 'not a path of a field', example);
  let type: protobuf.Type | null = modelConfigType;
  return parts.map(([, name = '', index, key], place): ConfigStep => {
    if (type === null) throw refused(path, `"${name}" is inside of a plain value`, example);
    const field: protobuf.Field = fieldOf(type, name, path);
    const step = { field, at: index === undefined ? (key ?? null) : Number(index) };
    checkBrackets(step, place === parts.length - 1, path);
    type = field.resolvedType instanceof protobuf.Type ? field.resolvedType : null;
    return step;
  });
}

/** Index of a list's entry: by number, or by the `name` of a message. -1 without it. */
export function entryIndex(at: number | string, names: readonly (string | undefined)[]): number {
  return typeof at === 'number' ? at : names.indexOf(at);
}

const nameOf = (item: unknown): string | undefined => {
  const { name } = (item ?? {}) as { name?: unknown };
  return typeof name === 'string' ? name : undefined;
};

type Steps = readonly ConfigStep[];

/** A copy with another value of a name; without it if `undefined`. */
const copied = (tree: unknown, name: string, value: unknown): PlainMessage =>
  Object.fromEntries(
    [...new Map(Object.entries({ ...(tree as PlainMessage | undefined) })).set(name, value)].filter(
      ([, inner]) => inner !== undefined,
    ),
  );

function changed(before: unknown, [step, ...rest]: Steps, value: unknown): unknown {
  if (step === undefined || (value === undefined && before === undefined)) return value;
  const { name } = step.field;
  return copied(before, name, changedEntry((before as PlainMessage | undefined)?.[name], step, rest, value));
}

function changedEntry(own: unknown, { at, field }: ConfigStep, rest: Steps, value: unknown): unknown {
  if (at === null) return changed(own, rest, value);
  if (field.map) {
    const key = String(at);
    return copied(own, key, changed((own as PlainMessage | undefined)?.[key], rest, value));
  }
  const list = [...((own as readonly unknown[] | undefined) ?? [])];
  const index = entryIndex(at, list.map(nameOf));
  const inner = changed(list[index], rest, value);
  if (inner !== undefined) list[index] = inner;
  else if (index >= 0) list.splice(index, 1);
  return list;
}

/** The plain message with another value at a path; `undefined` removes it. Throws config-invalid where it does not fit. */
export function withValue(plain: PlainMessage, steps: Steps, value: unknown): PlainMessage {
  return plainMessage(modelConfigType, changed(plain, steps, value), { unknown: 'reject' });
}

import * as protobuf from 'protobufjs/light.js';
import { WorkbenchError } from '../contract/errors';
import { canonicalJson } from '../platform/files';
import { toModelConfig } from './config-pbtxt';
import type { ModelConfig } from './model-config';
import { modelConfigType, plainMessage, textName } from './plain-message';

type ConfigPatch = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is ConfigPatch =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

/** The patch below a value of a map or below a field; null where nothing is below. */
function messageOf(field: protobuf.Field): protobuf.Type | null {
  return field.resolvedType instanceof protobuf.Type && (!field.repeated || field.map)
    ? field.resolvedType
    : null;
}

/** Names as in config.pbtxt become those of the JSON form, at every depth. Throws config-invalid with the path. */
function withJsonNames(type: protobuf.Type, patch: ConfigPatch, path: string): ConfigPatch {
  const entries = Object.entries(patch).map(([name, value]) => {
    const field = type.fieldsArray.find(
      (candidate) => candidate.name === name || textName(candidate.name) === name,
    );
    const where = `${path}${textName(field?.name ?? name)}`;
    if (field === undefined) {
      throw new WorkbenchError('config-invalid', `${where}: Triton's ModelConfig has no such field`, {
        where: `configure.configPatch.${where}`,
      });
    }
    const below = messageOf(field.resolve());
    if (below === null || !isObject(value)) return [field.name, value] as const;
    const inner = field.map
      ? Object.fromEntries(
          Object.entries(value).map(([key, item]) => [
            key,
            isObject(item) ? withJsonNames(below, item, `${where}["${key}"].`) : item,
          ]),
        )
      : withJsonNames(below, value, `${where}.`);
    return [field.name, inner] as const;
  });
  return Object.fromEntries(entries);
}

/** RFC 7396: null takes a member away, objects merge, anything else replaces. */
function merged(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const result = new Map(isObject(target) ? Object.entries(target) : []);
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) result.delete(key);
    else result.set(key, merged(result.get(key), value));
  }
  return Object.fromEntries(result);
}

/**
 * A configuration with a JSON merge patch (RFC 7396) over its JSON form.
 * Throws config-invalid with the field that Triton's schema does not know or that is of another type.
 */
export function applyConfigPatch(config: ModelConfig, patch: ConfigPatch): ModelConfig {
  if (Object.keys(patch).length === 0) return config;
  const base = plainMessage(modelConfigType, config, { unknown: 'reject' });
  const changed = merged(base, withJsonNames(modelConfigType, patch, ''));
  try {
    return toModelConfig(plainMessage(modelConfigType, changed, { unknown: 'reject' }));
  } catch (error) {
    if (!(error instanceof WorkbenchError)) throw error;
    throw new WorkbenchError('config-invalid', error.message, {
      where: `configure.configPatch.${error.where ?? ''}`.replace(/\.$/, ''),
      cause: error,
    });
  }
}

/** proto3 has no difference between a scalar's default and none. */
const isDefault = (value: unknown): boolean =>
  value === undefined || value === 0 || value === false || value === '';

function difference(from: ConfigPatch, to: ConfigPatch): ConfigPatch {
  const names = [...new Set([...Object.keys(from), ...Object.keys(to)])];
  const entries = names.flatMap((name): (readonly [string, unknown])[] => {
    const [before, after] = [from[name], to[name]];
    if (isDefault(before) && isDefault(after)) return [];
    if (after === undefined) return [[name, null]];
    if (!isObject(before) || !isObject(after)) {
      return canonicalJson(before ?? null) === canonicalJson(after) ? [] : [[name, after]];
    }
    const inner = difference(before, after);
    return Object.keys(inner).length === 0 ? [] : [[name, inner]];
  });
  return Object.fromEntries(entries);
}

/** The patch that makes `wanted` of `generated`; empty where they say the same. */
export function diffConfig(generated: ModelConfig, wanted: ModelConfig): ConfigPatch {
  return difference(
    plainMessage(modelConfigType, generated, { unknown: 'reject' }),
    plainMessage(modelConfigType, wanted, { unknown: 'reject' }),
  );
}

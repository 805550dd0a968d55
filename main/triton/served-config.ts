import * as protobuf from 'protobufjs/light.js';
import { WorkbenchError } from '../contract/errors';
import { canonicalJson } from '../platform/files';
import { toModelConfig } from './config/config-pbtxt';
import type { ModelConfig } from './model-config';
import { modelConfigType, plainMessage, textName } from './plain-message';

/** Parses `/v2/models/<name>/config` (int64 as numbers or strings). */
export function parseServedConfig(reply: unknown): ModelConfig {
  return toModelConfig(plainMessage(modelConfigType, reply, { unknown: 'ignore' }));
}

interface ConfigDifference {
  /** `dynamic_batching.preferred_batch_size`. */
  readonly field: string;
  readonly configured: string;
  /** "not set" if missing. */
  readonly served: string;
  /** Added by the server or a backend. */
  readonly added?: true;
}

const show = (value: unknown): string => (value === undefined ? 'not set' : JSON.stringify(value));

/** proto3 does not distinguish default values from missing ones. */
function isDefault(value: unknown): boolean {
  return value === 0 || value === false || value === '' || value === undefined;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

/** Entry of the same name (tensors), or at the same index. */
function partner(item: unknown, index: number, served: readonly unknown[]): unknown {
  if (!isRecord(item) || typeof item['name'] !== 'string') return served[index];
  return served.find((other) => isRecord(other) && other['name'] === item['name']);
}

function compare(configured: unknown, served: unknown, field: string): ConfigDifference[] {
  // The server replaces KIND_AUTO.
  if (configured === 'KIND_AUTO' || (isDefault(configured) && isDefault(served))) return [];
  if (isRecord(configured) && (isRecord(served) || served === undefined)) {
    if (served === undefined) return [{ field, configured: show(configured), served: 'not set' }];
    return Object.entries(configured).flatMap(([key, value]) =>
      compare(value, served[key], field === '' ? textName(key) : `${field}.${textName(key)}`),
    );
  }
  if (Array.isArray(configured) && Array.isArray(served) && configured.some(isRecord)) {
    const longer =
      configured.length === served.length
        ? []
        : [{ field, configured: `${configured.length} entries`, served: `${served.length} entries` }];
    return [
      ...longer,
      ...configured.flatMap((item: unknown, index) =>
        compare(item, partner(item, index, served), `${field}[${index}]`),
      ),
    ];
  }
  if (served !== undefined && canonicalJson(configured) === canonicalJson(served)) return [];
  return [{ field, configured: show(configured), served: show(served) }];
}

/** Scheduling fields, which backends may add. */
const telling = ['dynamicBatching', 'sequenceBatching', 'ensembleScheduling'] as const;

/** Servers fill in defaults, so only configured fields and scheduling count. Empty: equal. */
export function compareServedConfig(
  configured: ModelConfig,
  served: ModelConfig,
): readonly ConfigDifference[] {
  const set = plainMessage(modelConfigType, configured, { unknown: 'reject' });
  const inForce = plainMessage(modelConfigType, served, { unknown: 'ignore' });
  const added = telling
    .filter((key) => set[key] === undefined && inForce[key] !== undefined && inForce[key] !== null)
    .map((key) => ({
      field: textName(key),
      configured: 'not set',
      served: show(inForce[key]),
      added: true as const,
    }));
  return [...compare(set, inForce, ''), ...added];
}

type ConfigPatch = Readonly<Record<string, unknown>>;

/** Message type of a field or map value, or null. */
function messageOf(field: protobuf.Field): protobuf.Type | null {
  return field.resolvedType instanceof protobuf.Type && (!field.repeated || field.map)
    ? field.resolvedType
    : null;
}

/** Converts config.pbtxt names to JSON names recursively. Throws config-invalid with the path. */
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
    if (below === null || !isRecord(value)) return [field.name, value] as const;
    const inner = field.map
      ? Object.fromEntries(
          Object.entries(value).map(([key, item]) => [
            key,
            isRecord(item) ? withJsonNames(below, item, `${where}["${key}"].`) : item,
          ]),
        )
      : withJsonNames(below, value, `${where}.`);
    return [field.name, inner] as const;
  });
  return Object.fromEntries(entries);
}

/** RFC 7396. */
function merged(target: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch;
  const result = new Map(isRecord(target) ? Object.entries(target) : []);
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) result.delete(key);
    else result.set(key, merged(result.get(key), value));
  }
  return Object.fromEntries(result);
}

/** Applies a JSON merge patch (RFC 7396). Throws config-invalid for unknown fields and wrong types. */
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

/** proto3 does not distinguish default scalars from missing ones. */
function difference(from: ConfigPatch, to: ConfigPatch): ConfigPatch {
  const names = [...new Set([...Object.keys(from), ...Object.keys(to)])];
  const entries = names.flatMap((name): (readonly [string, unknown])[] => {
    const [before, after] = [from[name], to[name]];
    if (isDefault(before) && isDefault(after)) return [];
    if (after === undefined) return [[name, null]];
    if (!isRecord(before) || !isRecord(after)) {
      return canonicalJson(before ?? null) === canonicalJson(after) ? [] : [[name, after]];
    }
    const inner = difference(before, after);
    return Object.keys(inner).length === 0 ? [] : [[name, inner]];
  });
  return Object.fromEntries(entries);
}

/** Merge patch from `generated` to `wanted`; empty if equal. */
export function diffConfig(generated: ModelConfig, wanted: ModelConfig): ConfigPatch {
  return difference(
    plainMessage(modelConfigType, generated, { unknown: 'reject' }),
    plainMessage(modelConfigType, wanted, { unknown: 'reject' }),
  );
}

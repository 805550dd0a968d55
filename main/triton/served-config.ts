import { canonicalJson } from '../platform/files';
import { toModelConfig } from './config-pbtxt';
import type { ModelConfig } from './model-config';
import { modelConfigType, plainMessage, textName } from './plain-message';

/** Triton's JSON (`/v2/models/<name>/config`; int64 as numbers or strings) in the form of a parsed config.pbtxt. */
export function parseServedConfig(reply: unknown): ModelConfig {
  return toModelConfig(plainMessage(modelConfigType, reply, { unknown: 'ignore' }));
}

interface ConfigDifference {
  /** Name as in config.pbtxt: `dynamic_batching.preferred_batch_size`. */
  readonly field: string;
  readonly configured: string;
  /** "not set" when the server reports nothing there. */
  readonly served: string;
  /** It was not configured at all: the server, or a backend of it, added it by itself. */
  readonly added?: true;
}

const show = (value: unknown): string => (value === undefined ? 'not set' : JSON.stringify(value));

/** proto3 has no difference between a default value and none. */
function isDefault(value: unknown): boolean {
  return value === 0 || value === false || value === '' || value === undefined;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

/** The entry of the same name where entries have names of ours (tensors), else the one at the same place. */
function partner(item: unknown, index: number, served: readonly unknown[]): unknown {
  if (!isRecord(item) || typeof item['name'] !== 'string') return served[index];
  return served.find((other) => isRecord(other) && other['name'] === item['name']);
}

function compare(configured: unknown, served: unknown, field: string): ConfigDifference[] {
  // The server replaces KIND_AUTO by what it decided on.
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

/** What backends add where nothing is said, and what changes how requests are served. */
const telling = ['dynamicBatching', 'sequenceBatching', 'ensembleScheduling'] as const;

/**
 * What the running server does otherwise than it was configured. The server fills in much by itself, so only fields
 * that were set count, and of the others how requests are scheduled; an empty list says that all is as configured.
 */
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

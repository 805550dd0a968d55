import { someOf } from '../platform/lines';
import { nearestName } from '../platform/nearest-name';
import type { CallOptions, TritonClient } from './client';

/** "Did you mean echo? The names are: echo, resnet50." */
export function namesRemedy(name: string, known: readonly string[]): string {
  const near = nearestName(name, known);
  return `${near === null ? '' : `Did you mean ${near}? `}The names are: ${someOf(known)}.`;
}

/**
 * What is wrong with the name of a model that the server does not list, loaded or not, and the names that it has; null where
 * it lists the model, and where it does not answer or has no list.
 */
export async function unlistedModel(
  client: TritonClient,
  model: string,
  options?: CallOptions,
): Promise<{ readonly message: string; readonly remedy: string } | null> {
  const index = await client.repositoryIndex(options).catch(() => null);
  if (index === null) return null;
  const names = [...new Set(index.map(({ name }) => name))];
  if (names.includes(model)) return null;
  const message = `Triton at ${client.address} has no model "${model}"`;
  if (names.length === 0) return { message, remedy: 'Its model repository is empty: load a model first.' };
  return { message, remedy: namesRemedy(model, names) };
}

import { nearestName } from '../contract/fields/nearest-name';
import { someOf } from '../platform/lines';
import type { CallOptions, TritonClient } from './client';

/** "Did you mean echo? The names are: echo, resnet50." */
export function namesRemedy(name: string, known: readonly string[]): string {
  const near = nearestName(name, known);
  return `${near === null ? '' : `Did you mean ${near}? `}The names are: ${someOf(known)}.`;
}

/** Error with the listed names; null if the model is listed, or if the server has no list. */
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

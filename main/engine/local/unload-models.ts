import { setTimeout as sleep } from 'node:timers/promises';
import type { TritonClient } from '../../triton/client';

const pollMs = 50;
const longestMs = 3000;

/**
 * Has Triton give back its models before it is told to end: while one is loaded, an ending Triton looks only once a second.
 * For at most 3 s; what goes wrong here is for the end itself to deal with.
 */
export async function unloadModels(client: TritonClient): Promise<void> {
  const signal = AbortSignal.timeout(longestMs);
  const loaded = async () => {
    const entries = await client.repositoryIndex({ signal });
    return entries.filter(({ state }) => state !== undefined && state !== 'UNAVAILABLE');
  };
  try {
    const names = new Set((await loaded()).map(({ name }) => name));
    await Promise.all([...names].map((name) => client.unloadModel(name, { signal })));
    while ((await loaded()).length > 0) await sleep(pollMs, undefined, { signal });
  } catch {
    // A server that is gone or hangs is ended as any other.
  }
}

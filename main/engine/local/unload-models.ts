import { setTimeout as sleep } from 'node:timers/promises';
import type { TritonClient } from '../../triton/client';

const pollMs = 50;
const longestMs = 6000;
/** Of one answer: a server that hangs gives none. */
const answerLimitMs = 3000;

/**
 * Has Triton give back its models before it is told to end: while one is loaded, an ending Triton looks only once a second.
 * For at most 6 s, or 3 s without an answer; what goes wrong here is for the end itself to deal with.
 */
export async function unloadModels(client: TritonClient): Promise<void> {
  const signal = AbortSignal.timeout(longestMs);
  const call = { signal, timeoutMs: answerLimitMs };
  const loaded = async () => {
    const entries = await client.repositoryIndex(call);
    return entries.filter(({ state }) => state !== undefined && state !== 'UNAVAILABLE');
  };
  try {
    const names = new Set((await loaded()).map(({ name }) => name));
    await Promise.all([...names].map((name) => client.unloadModel(name, call)));
    while ((await loaded()).length > 0) await sleep(pollMs, undefined, { signal });
  } catch {
    // A server that is gone or hangs is ended as any other.
  }
}
